//! The notes around a note: who is how many edges away, along which kinds of edges.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Edge, Graph};

/// Which way an edge is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From its begin to its end.
    Outgoing,
    /// Against it, as a backlink.
    Incoming,
}

/// Which edges may be walked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    /// Only edges of these types, upper case; all where empty.
    pub relations: Vec<String>,
    /// Only this way; both where `None`.
    pub direction: Option<Direction>,
}

/// A note that was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Related {
    /// The note.
    pub node: usize,
    /// How many edges away, from 1.
    pub hops: u8,
    /// The type of the last edge on the way.
    pub relation: String,
    /// Which way the last edge was walked.
    pub direction: Direction,
    /// The product of the strengths on the way.
    pub strength: f64,
    /// The notes on the way, without the two ends.
    pub via: Vec<usize>,
}

/// The last step to a note.
struct Step<'g> {
    edge: &'g Edge,
    direction: Direction,
    before: usize,
    strength: f64,
    hops: u8,
}

impl Graph<'_> {
    /// The notes up to `hops` edges away by their shortest ways, one entry for each type and direction of the last edge,
    /// of several ways with the same one the strongest; ordered by hops, the strength of a note's best way, title, and the
    /// entry's own strength.
    pub fn related(&self, start: usize, hops: u8, route: &Route) -> Vec<Related> {
        let mut steps: HashMap<usize, Vec<Step<'_>>> = HashMap::new();
        let mut frontier = vec![start];
        let mut reached = Vec::new();
        for hop in 1..=hops {
            let mut next = Vec::new();
            for before in frontier {
                let so_far = steps.get(&before).and_then(|ways| best(ways)).map_or(1.0, |step| step.strength);
                for (edge, direction, node) in self.walkable(before, route) {
                    let step = Step { edge, direction, before, strength: so_far * edge.strength, hops: hop };
                    match steps.entry(node) {
                        _ if node == start => {}
                        Entry::Vacant(entry) => {
                            entry.insert(vec![step]);
                            next.push(node);
                        }
                        Entry::Occupied(mut ways) => add(ways.get_mut(), step),
                    }
                }
            }
            reached.extend_from_slice(&next);
            frontier = next;
        }
        let of_best = |node: &usize| {
            let step = steps.get(node).and_then(|ways| best(ways));
            step.map_or((u8::MAX, 0.0), |step| (step.hops, step.strength))
        };
        reached.sort_by(|a: &usize, b: &usize| {
            let title = |node: &usize| &self.notes[*node].title;
            let ((hops, strength), (other_hops, other_strength)) = (of_best(a), of_best(b));
            let nearer = hops.cmp(&other_hops).then_with(|| other_strength.total_cmp(&strength));
            nearer.then_with(|| title(a).cmp(title(b))).then(a.cmp(b))
        });
        reached.into_iter().flat_map(|node| related(node, start, &steps)).collect()
    }

    fn walkable<'g>(
        &'g self,
        note: usize,
        route: &Route,
    ) -> impl Iterator<Item = (&'g Edge, Direction, usize)> {
        let outgoing = self.outgoing(note).map(|edge| (edge, Direction::Outgoing, edge.to));
        let incoming = self.incoming(note).map(|edge| (edge, Direction::Incoming, edge.from));
        outgoing.chain(incoming).filter(|(edge, direction, _)| {
            route.direction.is_none_or(|only| only == *direction)
                && (route.relations.is_empty() || route.relations.contains(&edge.relation))
        })
    }
}

/// Of the shortest ways to a note the strongest, the first of equals.
fn best<'s, 'g>(ways: &'s [Step<'g>]) -> Option<&'s Step<'g>> {
    ways.iter().reduce(|best, step| if step.strength > best.strength { step } else { best })
}

/// Adds a way, unless there is a shorter one, or as strong a one by the same type and direction.
fn add<'g>(ways: &mut Vec<Step<'g>>, step: Step<'g>) {
    if ways.first().is_some_and(|first| first.hops < step.hops) {
        return;
    }
    let same =
        |way: &&mut Step<'g>| way.edge.relation == step.edge.relation && way.direction == step.direction;
    match ways.iter_mut().find(same) {
        Some(way) if step.strength > way.strength => *way = step,
        Some(_) => {}
        None => ways.push(step),
    }
}

fn related(node: usize, start: usize, steps: &HashMap<usize, Vec<Step<'_>>>) -> Vec<Related> {
    let mut ways: Vec<&Step<'_>> = steps[&node].iter().collect();
    ways.sort_by(|a, b| {
        let stronger = b.strength.total_cmp(&a.strength);
        stronger.then_with(|| a.edge.relation.cmp(&b.edge.relation)).then(a.direction.cmp(&b.direction))
    });
    let of = |step: &&Step<'_>| Related {
        node,
        hops: step.hops,
        relation: step.edge.relation.clone(),
        direction: step.direction,
        strength: step.strength,
        via: via(step.before, start, steps),
    };
    ways.iter().map(of).collect()
}

/// The notes between the start and the end of a way.
fn via(mut before: usize, start: usize, steps: &HashMap<usize, Vec<Step<'_>>>) -> Vec<usize> {
    let mut via = Vec::new();
    while before != start {
        via.push(before);
        let Some(step) = steps.get(&before).and_then(|ways| best(ways)) else { break };
        before = step.before;
    }
    via.reverse();
    via
}
