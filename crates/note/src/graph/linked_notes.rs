//! Notes whose edges are collected once, however many graphs are made of them.

use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::collect::{EdgeStatement, EdgeTypeTable, merge};
use super::edge_table::EdgeTable;
use super::{Graph, NoteNames};
use crate::note::Note;

/// The notes of a vault. Their edges are collected at the first [`LinkedNotes::graph`].
#[derive(Debug, Default)]
pub struct LinkedNotes {
    notes: Vec<Note>,
    /// Edges that the notes define; only if the notes were loaded without their links.
    stated: Mutex<Option<(Vec<EdgeStatement>, EdgeTypeTable)>>,
    edges: OnceLock<Arc<EdgeTable>>,
}

impl LinkedNotes {
    /// Creates the notes with the edges that they define (`stated`), so that their own relations and links
    /// may be left out.
    pub fn with_statements(notes: Vec<Note>, stated: Vec<EdgeStatement>, types: EdgeTypeTable) -> Self {
        Self { notes, stated: Mutex::new(Some((stated, types))), edges: OnceLock::new() }
    }

    /// The graph of these notes, like [`Graph::connect`].
    pub fn graph(&self) -> Graph<'_> {
        let edges = self.edges.get_or_init(|| {
            match self.stated.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some((stated, types)) => Arc::new(EdgeTable::of(self.notes.len(), merge(stated, &types))),
                None => Graph::connect(&self.notes).edges,
            }
        });
        Graph { notes: &self.notes, names: NoteNames::of(&self.notes), edges: Arc::clone(edges) }
    }
}

impl From<Vec<Note>> for LinkedNotes {
    fn from(notes: Vec<Note>) -> Self {
        Self { notes, stated: Mutex::default(), edges: OnceLock::new() }
    }
}

impl Deref for LinkedNotes {
    type Target = [Note];

    fn deref(&self) -> &[Note] {
        &self.notes
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::note;
    use super::*;

    #[test]
    fn every_graph_of_the_same_notes_has_the_same_edges() {
        let body = "CAUSES:: [[B]]\n\nSee [[C]].";
        let notes =
            [note("a.md", "A").with_body(body), note("b.md", "B"), note("c.md", "C").with_body("[[A]]")];
        let notes = LinkedNotes::from(notes.to_vec());
        let connected = Graph::connect(&notes);
        assert_eq!(connected.edges().len(), 3);
        for _ in 0..2 {
            let graph = notes.graph();
            assert_eq!(graph.edges(), connected.edges());
            assert_eq!(graph.resolve("B"), connected.resolve("B"));
        }
    }
}
