//! The graph as text for other programs: Graphviz, Mermaid, JSON and GraphML.
//!
//! Each is a pure function; whatever a title holds, it stays a label. Order follows the notes, so that the same
//! graph gives the same bytes.

mod dot;
mod graphml;
mod json;
mod mermaid;

use std::collections::BTreeSet;

use crate::note::{Kind, Note};

use super::{Edge, Graph};

pub use dot::dot;
pub use graphml::graphml;
pub use json::json;
pub use mermaid::mermaid;

/// The part of a graph that is written.
struct Part<'g> {
    /// Positions of the notes, rising.
    nodes: Vec<usize>,
    edges: Vec<&'g Edge>,
    notes: &'g [Note],
}

impl<'g> Part<'g> {
    /// The notes of `only` with the edges among them; else all notes, and of the edge files those that have
    /// edges of their own.
    fn of(graph: &'g Graph<'_>, only: Option<&BTreeSet<usize>>) -> Self {
        let notes = graph.notes();
        let shown = |note: &usize| match only {
            Some(only) => only.contains(note),
            None => {
                notes[*note].kind != Kind::Edge
                    || graph.outgoing(*note).chain(graph.incoming(*note)).next().is_some()
            }
        };
        let nodes: Vec<usize> = (0..notes.len()).filter(shown).collect();
        let within =
            |edge: &&Edge| only.is_none_or(|only| only.contains(&edge.from) && only.contains(&edge.to));
        Self { nodes, edges: graph.edges().iter().filter(within).collect(), notes }
    }

    /// The nodes under the names that the text formats give them: `n0`, `n1` and so on, by their position
    /// among all notes.
    fn nodes(&self) -> impl Iterator<Item = (String, &'g Note)> {
        self.nodes.iter().map(|node| (name(*node), &self.notes[*node]))
    }
}

fn name(node: usize) -> String {
    format!("n{node}")
}

/// What a node's type is called.
fn type_of(note: &Note) -> &str {
    note.note_type.as_deref().unwrap_or(note.kind.name())
}

/// A strength as it is written: four digits, no tail of zeros.
fn strength(edge: &Edge) -> f64 {
    (edge.strength * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests;
