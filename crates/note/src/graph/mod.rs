//! How the notes of a vault hang together: every edge once, whichever sources say it, both ways.
//!
//! Nodes are positions in the slice of notes that the graph was built from. It reads no file and ranks nothing.

mod collect;
pub mod formats;
mod names;
mod nearest;
mod related;
#[doc(hidden)]
pub mod sample;
mod shape;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::instant::Instant;
use crate::note::{Note, RelationTable};

pub use names::{Mention, NameKey, Names, Resolution, called, mentions, names_of};
pub use related::{Direction, Related, Route};
pub use shape::Shape;

/// How strong a plain link is: it says less than a typed edge, which is 1 where nothing is written.
pub const LINK_STRENGTH: f64 = 0.5;

/// An edge between two notes, with everything that says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The note it leads from.
    pub from: usize,
    /// The note it leads to.
    pub to: usize,
    /// Its type, such as `SOLVES`, or `LINKS_TO`.
    pub relation: String,
    /// 0–1: the greatest that any source gives, [`LINK_STRENGTH`] for plain links.
    pub strength: f64,
    /// Where it is written, the order of the notes kept.
    pub sources: Vec<Source>,
}

/// One place that says that an edge exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Which way of writing an edge.
    pub form: SourceForm,
    /// The note that says it; for an edge file the edge's own note.
    pub note: usize,
    /// The line in that note's file; `None` for an edge file.
    pub line: Option<u32>,
}

/// The ways of writing an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceForm {
    /// A file of `graph/edges/`.
    EdgeFile,
    /// An entry of `relations` in the frontmatter.
    Frontmatter,
    /// A `TYPE:: [[target]]` line.
    Inline,
    /// A wikilink or a markdown link.
    Link,
}

/// The notes of a vault with their edges.
pub struct Graph<'n> {
    notes: &'n [Note],
    names: Names<'n>,
    /// Sorted by `from`, `to` and type.
    edges: Vec<Edge>,
    /// Where the edges of each note begin in `edges`, and their end.
    outgoing: Vec<u32>,
    /// The same for `incoming_edges`.
    incoming: Vec<u32>,
    /// Positions in `edges`, sorted by `to`.
    incoming_edges: Vec<u32>,
}

impl<'n> Graph<'n> {
    /// Collects the edges of all four sources, and what is wrong with them: links that lead nowhere or to
    /// several notes, and types of inline edges that `relations` does not know.
    pub fn build(notes: &'n [Note], relations: &RelationTable) -> (Self, Vec<Finding>) {
        let names = Names::of(notes);
        let (edges, findings) = collect::edges(notes, &names, Some(relations));
        (Self::assemble(notes, names, edges), findings)
    }

    /// The same graph for those who do not ask what is wrong, which costs much less where something is.
    pub fn connect(notes: &'n [Note]) -> Self {
        let names = Names::of(notes);
        let (edges, _) = collect::edges(notes, &names, None);
        Self::assemble(notes, names, edges)
    }

    /// The graph of edges that were collected before, for the same notes in the same order. An edge with an
    /// end outside of `notes` is left out.
    pub fn of_edges(notes: &'n [Note], mut edges: Vec<Edge>) -> Self {
        edges.retain(|edge| edge.from < notes.len() && edge.to < notes.len());
        edges.sort_by(|a, b| (a.from, a.to, &a.relation).cmp(&(b.from, b.to, &b.relation)));
        Self::assemble(notes, Names::of(notes), edges)
    }

    fn assemble(notes: &'n [Note], names: Names<'n>, edges: Vec<Edge>) -> Self {
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

    /// The notes that it was built from.
    pub fn notes(&self) -> &'n [Note] {
        self.notes
    }

    /// All edges, sorted by their ends and type.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Gives the edges away, to be kept for [`Graph::of_edges`].
    pub fn into_edges(self) -> Vec<Edge> {
        self.edges
    }

    /// Which note a text names, as in a wikilink or on the command line.
    pub fn resolve(&self, reference: &str) -> Resolution {
        self.names.resolve(reference)
    }

    /// What a wikilink to a note says, see [`Names::link_target`].
    pub fn link_target(&self, note: usize) -> &'n str {
        self.names.link_target(note)
    }

    /// When an edge was written down, where a file of its own says so.
    pub fn written(&self, edge: &Edge) -> Option<Instant> {
        let file = edge.sources.iter().find(|source| source.form == SourceForm::EdgeFile)?;
        let note = &self.notes[file.note];
        note.created.or(note.updated)
    }

    /// The edges that lead from a note.
    pub fn outgoing(&self, note: usize) -> impl Iterator<Item = &Edge> {
        let range = range_of(&self.outgoing, note);
        self.edges[range].iter()
    }

    /// The edges that lead to a note: its backlinks.
    pub fn incoming(&self, note: usize) -> impl Iterator<Item = &Edge> {
        let range = range_of(&self.incoming, note);
        self.incoming_edges[range].iter().map(|position| &self.edges[*position as usize])
    }
}

/// Where the run of each of `count` keys begins when sorted by key, and the end of the last.
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

/// The run of a key; empty for a note that does not exist.
fn range_of(starts: &[u32], note: usize) -> std::ops::Range<usize> {
    match (starts.get(note), starts.get(note + 1)) {
        (Some(begin), Some(end)) => *begin as usize..*end as usize,
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests;
