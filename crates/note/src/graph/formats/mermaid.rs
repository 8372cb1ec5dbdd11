//! Mermaid flowcharts, as GitHub and Obsidian render them.

use std::collections::BTreeSet;

use crate::graph::Graph;

use super::{Subgraph, name};

/// Writes the graph, or its subgraph of some notes, as a Mermaid flowchart.
pub fn mermaid(graph: &Graph<'_>, only: Option<&BTreeSet<usize>>) -> String {
    let part = Subgraph::of(graph, only);
    let mut text = String::from("flowchart LR\n");
    for (node, note) in part.nodes() {
        text += &format!("  {node}[\"{}\"]\n", label(&note.title));
    }
    for edge in &part.edges {
        text += &format!("  {} -->|\"{}\"| {}\n", name(edge.from), label(&edge.relation), name(edge.to));
    }
    text
}

/// Escapes a label with Mermaid entities; otherwise quotes would end it, and HTML or Markdown would
/// be rendered.
fn label(text: &str) -> String {
    let mut label = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '#' | '&' | '<' | '>' | '`' | '\\' | '{' | '}' | '%' => {
                label.push_str(&format!("#{};", c as u32));
            }
            '\u{2028}' | '\u{2029}' => label.push(' '),
            _ if c.is_control() => label.push(' '),
            _ => label.push(c),
        }
    }
    if label.trim().is_empty() { "#8203;".to_owned() } else { label }
}
