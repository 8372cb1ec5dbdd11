//! Statistics of the graph.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::note::NoteKind;
use crate::union_find::UnionFind;

use super::Graph;

/// Size and connectivity of a graph. Edge files count as edges, not as notes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraphStatistics {
    /// Number of notes.
    pub notes: usize,
    /// Number of distinct edges.
    pub edges: usize,
    /// Number of notes by `type`, or by kind for notes without a type.
    pub notes_by_type: BTreeMap<String, usize>,
    /// Number of edges by type.
    pub edges_by_type: BTreeMap<String, usize>,
    /// Number of connected groups of at least two notes, ignoring edge direction.
    pub components: usize,
    /// Number of notes in the largest group.
    pub largest: usize,
    /// Number of notes without any edge.
    pub orphans: usize,
}

impl Graph<'_> {
    pub fn shape(&self) -> GraphStatistics {
        let mut shape = GraphStatistics { edges: self.edges().len(), ..GraphStatistics::default() };
        let mut groups = UnionFind::new(self.notes.len());
        for edge in self.edges() {
            count(&mut shape.edges_by_type, &edge.relation);
            groups.join(edge.from, edge.to);
        }
        let mut sizes = vec![0; self.notes.len()];
        for (position, note) in self.notes.iter().enumerate() {
            if note.kind != NoteKind::Edge {
                shape.notes += 1;
                count(&mut shape.notes_by_type, note.note_type.as_deref().unwrap_or(note.kind.name()));
                sizes[groups.root(position)] += 1;
            }
        }
        shape.orphans = (0..self.notes.len())
            .filter(|note| self.notes[*note].kind != NoteKind::Edge)
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
