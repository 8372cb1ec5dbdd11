//! Exports the graph of a vault as text.

use std::collections::BTreeSet;

use super::error::{Error, Result};
use super::find::find;
use super::memory::Memory;
use super::related::FARTHEST;
use cm_note::graph::{Graph, Route, formats};

/// Output format of a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// Graphviz DOT.
    Dot,
    /// Mermaid, which many Markdown viewers render.
    Mermaid,
    /// JSON with nodes and edges.
    #[default]
    Json,
    /// GraphML, an XML format.
    GraphMl,
}

/// Exports the whole graph, or the notes within `hops` edges of one note.
///
/// # Errors
/// A note that is not found, or `hops` out of range.
pub fn graph(memory: &Memory, around: Option<&str>, hops: u8, format: Format) -> Result<String> {
    if !(1..=FARTHEST).contains(&hops) {
        return Err(Error::usage(format!("hops are 1 to {FARTHEST}")));
    }
    let found = around.map(|reference| find(memory, reference)).transpose()?;
    let open = found.as_ref().map_or_else(|| memory.target(), |found| found.open);
    let notes = memory.notes_of(open)?;
    let graph = Graph::connect(&notes);
    let only: Option<BTreeSet<usize>> = found.map(|found| {
        let at = notes.iter().position(|note| note.path == found.note.path);
        let near = at.map(|at| graph.related(at, hops, &Route::default())).unwrap_or_default();
        at.into_iter().chain(near.into_iter().map(|reached| reached.node)).collect()
    });
    Ok(match format {
        Format::Dot => formats::dot(&graph, only.as_ref()),
        Format::Mermaid => formats::mermaid(&graph, only.as_ref()),
        Format::Json => formats::json(&graph, only.as_ref()),
        Format::GraphMl => formats::graphml(&graph, only.as_ref()),
    })
}
