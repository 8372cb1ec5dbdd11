//! Exports the graph as Graphviz, Mermaid, JSON or GraphML.
//!
//! The exporters are pure functions. They escape titles, so that a title cannot break out of its
//! label. The output follows the order of the notes, so equal graphs give equal bytes.

mod dot;
mod graphml;
mod json;
mod mermaid;

use std::collections::BTreeSet;

use crate::note::{Note, NoteKind};
use crate::rounding::round_to_four_decimals;

use super::{Edge, Graph};

pub use dot::dot;
pub use graphml::graphml;
pub use json::json;
pub use mermaid::mermaid;

/// The subgraph that is exported.
struct Subgraph<'g> {
    /// Positions of the exported notes in `notes`, ascending.
    nodes: Vec<usize>,
    edges: Vec<&'g Edge>,
    notes: &'g [Note],
}

impl<'g> Subgraph<'g> {
    /// Selects the notes of `only` and the edges between them; without `only`, all notes except
    /// edge files that have no edges of their own.
    fn of(graph: &'g Graph<'_>, only: Option<&BTreeSet<usize>>) -> Self {
        let notes = graph.notes();
        let shown = |note: &usize| match only {
            Some(only) => only.contains(note),
            None => {
                notes[*note].kind != NoteKind::Edge
                    || graph.outgoing(*note).chain(graph.incoming(*note)).next().is_some()
            }
        };
        let nodes: Vec<usize> = (0..notes.len()).filter(shown).collect();
        let within =
            |edge: &&Edge| only.is_none_or(|only| only.contains(&edge.from) && only.contains(&edge.to));
        Self { nodes, edges: graph.edges().iter().filter(within).collect(), notes }
    }

    /// Iterates over the exported notes with their node names: `n` and the note's position, such as
    /// `n3`.
    fn nodes(&self) -> impl Iterator<Item = (String, &'g Note)> {
        self.nodes.iter().map(|node| (name(*node), &self.notes[*node]))
    }
}

fn name(node: usize) -> String {
    format!("n{node}")
}

/// The type of a note, or its kind if it has none.
fn type_of(note: &Note) -> &str {
    note.note_type.as_deref().unwrap_or(note.kind.name())
}

/// The strength rounded to four decimal places.
fn strength(edge: &Edge) -> f64 {
    round_to_four_decimals(edge.strength)
}

#[cfg(test)]
mod tests;
