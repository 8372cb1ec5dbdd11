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
    /// The notes up to `hops` edges away, each once, by its shortest way and of those the strongest; ordered
    /// by hops, strength and title.
    pub fn related(&self, start: usize, hops: u8, route: &Route) -> Vec<Related> {
        let mut steps: HashMap<usize, Step<'_>> = HashMap::new();
        let mut frontier = vec![start];
        let mut reached = Vec::new();
        for hop in 1..=hops {
            let mut next = Vec::new();
            for before in frontier {
                let so_far = steps.get(&before).map_or(1.0, |step| step.strength);
                for (edge, direction, node) in self.walkable(before, route) {
                    let step = Step { edge, direction, before, strength: so_far * edge.strength, hops: hop };
                    match steps.entry(node) {
                        _ if node == start => {}
                        Entry::Vacant(entry) => {
                            entry.insert(step);
                            next.push(node);
                        }
                        Entry::Occupied(mut known) => {
                            if known.get().hops == hop && step.strength > known.get().strength {
                                known.insert(step);
                            }
                        }
                    }
                }
            }
            reached.extend_from_slice(&next);
            frontier = next;
        }
        let mut found: Vec<Related> = reached.into_iter().map(|node| related(node, start, &steps)).collect();
        found.sort_by(|a, b| {
            let title = |related: &Related| &self.notes[related.node].title;
            let nearer = a.hops.cmp(&b.hops).then_with(|| b.strength.total_cmp(&a.strength));
            nearer.then_with(|| title(a).cmp(title(b))).then(a.node.cmp(&b.node))
        });
        found
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

fn related(node: usize, start: usize, steps: &HashMap<usize, Step<'_>>) -> Related {
    let step = &steps[&node];
    let mut via = Vec::new();
    let mut before = step.before;
    while before != start {
        via.push(before);
        before = steps[&before].before;
    }
    via.reverse();
    let Step { edge, direction, strength, hops, .. } = step;
    Related {
        node,
        hops: *hops,
        relation: edge.relation.clone(),
        direction: *direction,
        strength: *strength,
        via,
    }
}
