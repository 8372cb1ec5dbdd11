//! The edges between the notes of a slice, by position, navigable in both directions.
//!
//! The table does not know the notes themselves, so that it can be kept beside them.

use super::Edge;

/// Edges in both directions.
#[derive(Debug)]
pub(super) struct EdgeTable {
    /// Sorted by `from`, `to` and type.
    edges: Vec<Edge>,
    /// For each note, the index in `edges` of its first outgoing edge; last, the length of `edges`.
    outgoing: Vec<u32>,
    /// For each note, the index in `incoming_edges` of its first incoming edge; last, the length of
    /// that list.
    incoming: Vec<u32>,
    /// Positions in `edges`, sorted by `to`.
    incoming_edges: Vec<u32>,
}

impl EdgeTable {
    /// Arranges edges between `count` notes, which are sorted by their ends and type.
    pub(super) fn of(count: usize, edges: Vec<Edge>) -> Self {
        let outgoing = starts(count, edges.iter().map(|edge| edge.from));
        let incoming = starts(count, edges.iter().map(|edge| edge.to));
        let mut next = incoming.clone();
        let mut incoming_edges = vec![0; edges.len()];
        for (position, edge) in edges.iter().enumerate() {
            incoming_edges[next[edge.to] as usize] = position as u32;
            next[edge.to] += 1;
        }
        Self { edges, outgoing, incoming, incoming_edges }
    }

    /// All edges, sorted by their ends and type.
    pub(super) fn all(&self) -> &[Edge] {
        &self.edges
    }

    pub(super) fn outgoing(&self, note: usize) -> impl Iterator<Item = &Edge> {
        self.edges[range_of(&self.outgoing, note)].iter()
    }

    pub(super) fn incoming(&self, note: usize) -> impl Iterator<Item = &Edge> {
        let positions = &self.incoming_edges[range_of(&self.incoming, note)];
        positions.iter().map(|position| &self.edges[*position as usize])
    }
}

/// Given the keys of a list that is sorted by key, returns the index of the first item of each key
/// below `count`, and last the length of the list.
fn starts(count: usize, keys: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut starts = vec![0; count + 1];
    for key in keys {
        starts[key + 1] += 1;
    }
    for key in 0..count {
        starts[key + 1] += starts[key];
    }
    starts
}

/// Returns the index range of a note's edges, from the result of [`starts`]; empty for a note that
/// does not exist.
fn range_of(starts: &[u32], note: usize) -> std::ops::Range<usize> {
    match (starts.get(note), starts.get(note + 1)) {
        (Some(begin), Some(end)) => *begin as usize..*end as usize,
        _ => 0..0,
    }
}
