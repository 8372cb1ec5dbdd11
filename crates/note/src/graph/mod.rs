//! The graph of a vault's notes: edges merged from all sources, navigable in both directions.
//!
//! Nodes are positions in the slice of notes that the graph was built from. The module reads no
//! files and does not rank notes.

mod collect;
pub mod formats;
mod names;
mod related;
mod relink;
#[doc(hidden)]
pub mod sample;
mod statistics;
mod title_suggestion;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::instant::Instant;
use crate::note::{Note, RelationTable};

pub use names::{Mention, NameKey, NoteNames, Resolution, keys_of, mentions, names_of};
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

/// The notes of a vault with their edges.
pub struct Graph<'n> {
    notes: &'n [Note],
    names: NoteNames<'n>,
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

impl<'n> Graph<'n> {
    /// Builds the graph from edge files, frontmatter relations, `TYPE::` lines and plain links.
    /// Returns findings for dangling and ambiguous links, and for inline edges of a type that is
    /// not in `relations`.
    pub fn build(notes: &'n [Note], relations: &RelationTable) -> (Self, Vec<Finding>) {
        let names = NoteNames::of(notes);
        let (edges, findings) = collect::edges(notes, &names, Some(relations));
        (Self::assemble(notes, names, edges), findings)
    }

    /// Builds the graph without findings, which is much faster if there are dangling links.
    pub fn connect(notes: &'n [Note]) -> Self {
        let names = NoteNames::of(notes);
        let (edges, _) = collect::edges(notes, &names, None);
        Self::assemble(notes, names, edges)
    }

    /// Builds the graph from edges collected earlier for the same notes in the same order. Drops
    /// edges with an end outside `notes`.
    pub fn of_edges(notes: &'n [Note], mut edges: Vec<Edge>) -> Self {
        edges.retain(|edge| edge.from < notes.len() && edge.to < notes.len());
        edges.sort_by(|a, b| (a.from, a.to, &a.relation).cmp(&(b.from, b.to, &b.relation)));
        Self::assemble(notes, NoteNames::of(notes), edges)
    }

    fn assemble(notes: &'n [Note], names: NoteNames<'n>, edges: Vec<Edge>) -> Self {
        let outgoing = starts(notes.len(), edges.iter().map(|edge| edge.from));
        let incoming = starts(notes.len(), edges.iter().map(|edge| edge.to));
        let mut next = incoming.clone();
        let mut incoming_edges = vec![0; edges.len()];
        for (position, edge) in edges.iter().enumerate() {
            incoming_edges[next[edge.to] as usize] = position as u32;
            next[edge.to] += 1;
        }
        Self { notes, names, edges, outgoing, incoming, incoming_edges }
    }

    pub fn notes(&self) -> &'n [Note] {
        self.notes
    }

    /// All edges, sorted by their ends and type.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the edges, for a later [`Graph::of_edges`].
    pub fn into_edges(self) -> Vec<Edge> {
        self.edges
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
        let range = range_of(&self.outgoing, note);
        self.edges[range].iter()
    }

    /// Iterates over the edges that end at a note, its backlinks.
    pub fn incoming(&self, note: usize) -> impl Iterator<Item = &Edge> {
        let range = range_of(&self.incoming, note);
        self.incoming_edges[range].iter().map(|position| &self.edges[*position as usize])
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

#[cfg(test)]
mod tests;
