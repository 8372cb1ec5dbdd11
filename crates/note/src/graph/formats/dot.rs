//! Graphviz output.

use std::collections::BTreeSet;

use crate::graph::Graph;

use super::{Subgraph, name};

/// Writes the graph, or its subgraph of some notes, as a Graphviz digraph.
pub fn dot(graph: &Graph<'_>, only: Option<&BTreeSet<usize>>) -> String {
    let part = Subgraph::of(graph, only);
    let mut text = String::from("digraph vault {\n");
    for (node, note) in part.nodes() {
        text +=
            &format!("  {node} [label={}, tooltip={}];\n", quoted(&note.title), quoted(note.path.as_str()));
    }
    for edge in &part.edges {
        text += &format!("  {} -> {} [label={}];\n", name(edge.from), name(edge.to), quoted(&edge.relation));
    }
    text + "}\n"
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            _ if c.is_control() => quoted.push(' '),
            _ => quoted.push(c),
        }
    }
    quoted + "\""
}
