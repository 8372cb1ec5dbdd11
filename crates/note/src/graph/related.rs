//! Neighbors of a note: distance, edge types and connecting notes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{Edge, Graph};
use cm_text::named_enum;

named_enum! {
    /// Direction in which an edge is followed.
    pub enum EdgeDirection {
        /// From its start to its end.
        Outgoing = "outgoing",
        /// From its end to its start, as a backlink.
        Incoming = "incoming",
    }
}

/// Filter for the edges that may be followed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeFilter {
    /// Allowed edge types in upper case; all types if empty.
    pub relations: Vec<String>,
    /// Allowed direction; both if `None`.
    pub direction: Option<EdgeDirection>,
}

/// A note reached from the start.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedNote {
    /// Position of the reached note in [`Graph::notes()`].
    pub node: usize,
    /// Distance in edges, from 1.
    pub hops: u8,
    /// Type of the last edge of the path.
    pub relation: String,
    /// Direction of the last edge of the path.
    pub direction: EdgeDirection,
    /// Product of the strengths along the path.
    pub strength: f64,
    /// Notes along the path, without start and end.
    pub via: Vec<usize>,
}

/// Last step of a path to a note.
struct PathStep<'g> {
    edge: &'g Edge,
    direction: EdgeDirection,
    before: usize,
    strength: f64,
    hops: u8,
}

impl Graph<'_> {
    /// Returns the notes at most `hops` edges away, by shortest paths. A note has one entry for
    /// each type and direction of the last edge, with the strongest such path. Sorted by hops, the
    /// note's best strength, title, and the entry's own strength.
    pub fn related(&self, start: usize, hops: u8, route: &EdgeFilter) -> Vec<RelatedNote> {
        let mut steps: HashMap<usize, Vec<PathStep<'_>>> = HashMap::new();
        let mut frontier = vec![start];
        let mut reached = Vec::new();
        for hop in 1..=hops {
            let mut next = Vec::new();
            for before in frontier {
                let so_far = steps.get(&before).and_then(|ways| best(ways)).map_or(1.0, |step| step.strength);
                for (edge, direction, node) in self.walkable(before, route) {
                    let step =
                        PathStep { edge, direction, before, strength: so_far * edge.strength, hops: hop };
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
        route: &EdgeFilter,
    ) -> impl Iterator<Item = (&'g Edge, EdgeDirection, usize)> {
        let outgoing = self.outgoing(note).map(|edge| (edge, EdgeDirection::Outgoing, edge.to));
        let incoming = self.incoming(note).map(|edge| (edge, EdgeDirection::Incoming, edge.from));
        outgoing.chain(incoming).filter(|(edge, direction, _)| {
            route.direction.is_none_or(|only| only == *direction)
                && (route.relations.is_empty() || route.relations.contains(&edge.relation))
        })
    }
}

/// Returns the strongest of the shortest paths to a note; the first one if several are equal.
fn best<'s, 'g>(ways: &'s [PathStep<'g>]) -> Option<&'s PathStep<'g>> {
    ways.iter().reduce(|best, step| if step.strength > best.strength { step } else { best })
}

/// Adds a path, unless there is a shorter one, or one at least as strong with the same type and
/// direction.
fn add<'g>(ways: &mut Vec<PathStep<'g>>, step: PathStep<'g>) {
    if ways.first().is_some_and(|first| first.hops < step.hops) {
        return;
    }
    let same =
        |way: &&mut PathStep<'g>| way.edge.relation == step.edge.relation && way.direction == step.direction;
    match ways.iter_mut().find(same) {
        Some(way) if step.strength > way.strength => *way = step,
        Some(_) => {}
        None => ways.push(step),
    }
}

fn related(node: usize, start: usize, steps: &HashMap<usize, Vec<PathStep<'_>>>) -> Vec<RelatedNote> {
    let mut ways: Vec<&PathStep<'_>> = steps[&node].iter().collect();
    ways.sort_by(|a, b| {
        let stronger = b.strength.total_cmp(&a.strength);
        stronger.then_with(|| a.edge.relation.cmp(&b.edge.relation)).then(a.direction.cmp(&b.direction))
    });
    let of = |step: &&PathStep<'_>| RelatedNote {
        node,
        hops: step.hops,
        relation: step.edge.relation.clone(),
        direction: step.direction,
        strength: step.strength,
        via: via(step.before, start, steps),
    };
    ways.iter().map(of).collect()
}

/// Returns the notes between the start and the end of a path.
fn via(mut before: usize, start: usize, steps: &HashMap<usize, Vec<PathStep<'_>>>) -> Vec<usize> {
    let mut via = Vec::new();
    while before != start {
        via.push(before);
        let Some(step) = steps.get(&before).and_then(|ways| best(ways)) else { break };
        before = step.before;
    }
    via.reverse();
    via
}
