//! GraphML output, for Gephi, yEd and network libraries.

use std::collections::BTreeSet;

use crate::graph::Graph;

use super::{Subgraph, name, strength, type_of};

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="id" for="node" attr.name="id" attr.type="string"/>
  <key id="title" for="node" attr.name="title" attr.type="string"/>
  <key id="type" for="node" attr.name="type" attr.type="string"/>
  <key id="path" for="node" attr.name="path" attr.type="string"/>
  <key id="relation" for="edge" attr.name="type" attr.type="string"/>
  <key id="strength" for="edge" attr.name="strength" attr.type="double"/>
  <graph id="vault" edgedefault="directed">
"#;

/// Writes the graph, or its subgraph of some notes, as GraphML.
pub fn graphml(graph: &Graph<'_>, only: Option<&BTreeSet<usize>>) -> String {
    let part = Subgraph::of(graph, only);
    let mut text = String::from(HEAD);
    for (node, note) in part.nodes() {
        let values = [
            ("id", note.key()),
            ("title", &note.title),
            ("type", type_of(note)),
            ("path", note.path.as_str()),
        ];
        text += &format!(
            "    <node id=\"{node}\">{}</node>\n",
            values.map(|(key, value)| data(key, value)).concat()
        );
    }
    for edge in &part.edges {
        let values = data("relation", &edge.relation) + &data("strength", &strength(edge).to_string());
        let (from, to) = (name(edge.from), name(edge.to));
        text += &format!("    <edge source=\"{from}\" target=\"{to}\">{values}</edge>\n");
    }
    text + "  </graph>\n</graphml>\n"
}

fn data(key: &str, value: &str) -> String {
    let mut text = format!("<data key=\"{key}\">");
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            // A raw carriage return would be read back as a line feed.
            '\r' => text.push_str("&#13;"),
            '\n' | '\t' => text.push(c),
            // No XML document may hold these, not even as references.
            '\u{fffe}' | '\u{ffff}' => text.push('\u{fffd}'),
            _ if c.is_control() => text.push('\u{fffd}'),
            _ => text.push(c),
        }
    }
    text + "</data>"
}
