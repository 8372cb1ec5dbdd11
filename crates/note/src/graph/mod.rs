//! The graph of a vault's notes: edges merged from all sources, navigable in both directions.
//!
//! Nodes are positions in the slice of notes that the graph was built from. The module reads no
//! files and does not rank notes.

mod collect;
mod edge_table;
pub mod formats;
mod linked_notes;
mod names;
mod related;
mod relink;
#[doc(hidden)]
pub mod sample;
mod statistics;
mod title_suggestion;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::instant::Instant;
use crate::note::{Note, RelationTable};

pub use collect::{EdgeStatement, EdgeTypeTable, LinkFinding, Statements};
use edge_table::EdgeTable;
pub use linked_notes::LinkedNotes;
pub use names::{Mention, NameKey, NoteNames, Resolution, further_mentions, keys_of, mentions, names_of};
pub use related::{EdgeDirection, EdgeFilter, RelatedNote};
pub use relink::Relinker;
pub use statistics::GraphStatistics;

/// Strength of a plain link, which is weaker than a typed edge (1 by default).
pub const LINK_STRENGTH: f64 = 0.5;

/// A directed edge between two notes, with all its sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// Position, in [`Graph::notes()`], of the note where the edge starts.
    pub from: usize,
    /// Position, in [`Graph::notes()`], of the note where the edge ends.
    pub to: usize,
    /// Type, such as `SOLVES` or `LINKS_TO`.
    pub relation: String,
    /// Strength from 0 to 1: the maximum of the sources, [`LINK_STRENGTH`] for plain links.
    pub strength: f64,
    /// Places that define the edge, in the order of the notes.
    pub sources: Vec<EdgeSource>,
}

/// A place that defines an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeSource {
    pub form: EdgeSourceForm,
    /// Position of the defining note; for an edge file, of that file's note.
    pub note: usize,
    /// Line in that note's file, from 1; `None` for an edge file.
    pub line: Option<u32>,
}

/// Syntax that defines an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeSourceForm {
    /// A file of `graph/edges/`.
    EdgeFile,
    /// An entry of `relations` in the frontmatter.
    Frontmatter,
    /// A line `TYPE:: [[target]]`.
    Inline,
    /// A wikilink or Markdown link.
    Link,
}

/// Collects what the notes for which `is_wanted` is true, by position, say about edges, with the
/// findings of [`Graph::build`].
pub fn statements(
    notes: &[Note],
    relations: &RelationTable,
    types: &mut EdgeTypeTable,
    is_wanted: impl Fn(usize) -> bool,
) -> Statements {
    collect::statements(notes, &NoteNames::of(notes), Some(relations), types, is_wanted)
}

/// The notes of a vault with their edges.
pub struct Graph<'n> {
    notes: &'n [Note],
    names: NoteNames<'n>,
    edges: Arc<EdgeTable>,
}

impl<'n> Graph<'n> {
    /// Builds the graph from edge files, frontmatter relations, `TYPE::` lines and plain links.
    /// Returns findings for dangling and ambiguous links, and for inline edges of a type that is
    /// not in `relations`.
    pub fn build(notes: &'n [Note], relations: &RelationTable) -> (Self, Vec<Finding>) {
        let names = NoteNames::of(notes);
        let mut types = EdgeTypeTable::default();
        let stated = collect::statements(notes, &names, Some(relations), &mut types, |_| true);
        let suggestions = LinkFinding::suggestions(&stated.findings, notes);
        let findings = LinkFinding::with_suggestions(stated.findings, suggestions);
        (Self::assemble(notes, names, collect::merge(stated.edges, &types)), findings)
    }

    /// Builds the graph without findings, which is much faster if there are dangling links.
    pub fn connect(notes: &'n [Note]) -> Self {
        let names = NoteNames::of(notes);
        let mut types = EdgeTypeTable::default();
        let stated = collect::statements(notes, &names, None, &mut types, |_| true);
        Self::assemble(notes, names, collect::merge(stated.edges, &types))
    }

    fn assemble(notes: &'n [Note], names: NoteNames<'n>, edges: Vec<Edge>) -> Self {
        Self { notes, names, edges: Arc::new(EdgeTable::of(notes.len(), edges)) }
    }

    pub fn notes(&self) -> &'n [Note] {
        self.notes
    }

    /// All edges, sorted by their ends and type.
    pub fn edges(&self) -> &[Edge] {
        self.edges.all()
    }

    /// Resolves a reference to a note, such as a wikilink's target or a command line argument.
    pub fn resolve(&self, reference: &str) -> Resolution {
        self.names.resolve(reference)
    }

    /// Returns the wikilink target for a note, see [`NoteNames::link_target`].
    pub fn link_target(&self, note: usize) -> &'n str {
        self.names.link_target(note)
    }

    /// Returns when the edge file of an edge was created, else when it was changed; `None` if no
    /// edge file defines the edge or the file has neither date.
    pub fn written(&self, edge: &Edge) -> Option<Instant> {
        let file = edge.sources.iter().find(|source| source.form == EdgeSourceForm::EdgeFile)?;
        let note = &self.notes[file.note];
        note.created.or(note.updated)
    }

    /// Iterates over the edges that start at a note.
    pub fn outgoing(&self, note: usize) -> impl Iterator<Item = &Edge> {
        self.edges.outgoing(note)
    }

    /// Iterates over the edges that end at a note, its backlinks.
    pub fn incoming(&self, note: usize) -> impl Iterator<Item = &Edge> {
        self.edges.incoming(note)
    }
}

#[cfg(test)]
mod tests;
