//! The graph in figures, for statistics.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::note::Kind;

use super::Graph;

/// How large and how connected a graph is. Edge files count as edges, not as notes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shape {
    /// How many notes.
    pub notes: usize,
    /// How many edges, each once whatever its sources.
    pub edges: usize,
    /// Notes by `type`, or by kind where they have none.
    pub notes_by_type: BTreeMap<String, usize>,
    /// Edges by type.
    pub edges_by_type: BTreeMap<String, usize>,
    /// Groups of at least two notes that are connected whichever way the edges lead.
    pub components: usize,
    /// The notes of the largest such group.
    pub largest: usize,
    /// Notes without any edge.
    pub orphans: usize,
}

impl Graph<'_> {
    /// Counts.
    pub fn shape(&self) -> Shape {
        let mut shape = Shape { edges: self.edges.len(), ..Shape::default() };
        let mut groups = Groups::of(self.notes.len());
        for edge in &self.edges {
            count(&mut shape.edges_by_type, &edge.relation);
            groups.join(edge.from, edge.to);
        }
        let mut sizes = vec![0; self.notes.len()];
        for (position, note) in self.notes.iter().enumerate() {
            if note.kind != Kind::Edge {
                shape.notes += 1;
                count(&mut shape.notes_by_type, note.note_type.as_deref().unwrap_or(note.kind.name()));
                sizes[groups.root(position)] += 1;
            }
        }
        shape.orphans = (0..self.notes.len())
            .filter(|note| self.notes[*note].kind != Kind::Edge)
            .filter(|note| self.outgoing(*note).next().is_none() && self.incoming(*note).next().is_none())
            .count();
        shape.components = sizes.iter().filter(|size| **size > 1).count();
        shape.largest = sizes.into_iter().filter(|size| *size > 1).max().unwrap_or(0);
        shape
    }
}

fn count(counts: &mut BTreeMap<String, usize>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => {
            counts.insert(name.to_owned(), 1);
        }
    }
}

/// Disjoint groups of notes; each note points to one of its group, the root to itself.
struct Groups(Vec<usize>);

impl Groups {
    fn of(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, mut note: usize) -> usize {
        while self.0[note] != note {
            self.0[note] = self.0[self.0[note]];
            note = self.0[note];
        }
        note
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        // The smaller number stays root, so that the result does not depend on the order of the edges.
        self.0[a.max(b)] = a.min(b);
    }
}
