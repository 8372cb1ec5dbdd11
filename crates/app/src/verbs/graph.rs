//! Exports the graph of a vault as text.

use std::collections::BTreeSet;

use serde_json::json;

use crate::context::find::find;
use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::verbs::related::MAX_HOPS;
use cm_note::graph::{EdgeFilter, formats};

/// Output format of a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GraphFormat {
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
pub fn graph(context: &Context, around: Option<&str>, hops: u8, format: GraphFormat) -> Result<String> {
    if !(1..=MAX_HOPS).contains(&hops) {
        return Err(Error::usage(format!("hops must be between 1 and {MAX_HOPS}")));
    }
    let found = around.map(|reference| find(context, reference)).transpose()?;
    let open = found.as_ref().map_or_else(|| context.target(), |found| found.open);
    let notes = context.notes_of(open)?;
    let graph = notes.graph();
    let only: Option<BTreeSet<usize>> = found.map(|found| {
        let at = notes.iter().position(|note| note.path == found.note.path);
        let near = at.map(|at| graph.related(at, hops, &EdgeFilter::default())).unwrap_or_default();
        at.into_iter().chain(near.into_iter().map(|reached| reached.node)).collect()
    });
    Ok(match format {
        GraphFormat::Dot => formats::dot(&graph, only.as_ref()),
        GraphFormat::Mermaid => formats::mermaid(&graph, only.as_ref()),
        GraphFormat::Json => {
            let mut document = formats::json(&graph, only.as_ref());
            if let Some(as_of) = context.read_at() {
                document["as_of"] = json!(as_of);
            }
            format!("{document:#}\n")
        }
        GraphFormat::GraphMl => formats::graphml(&graph, only.as_ref()),
    })
}
