//! JSON output: a list of nodes and a list of edges.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::graph::Graph;

use super::{Subgraph, strength, type_of};

/// Returns the graph, or its subgraph of some notes, as one JSON object. Edges refer to notes by id,
/// or by path for notes without an id.
pub fn json(graph: &Graph<'_>, only: Option<&BTreeSet<usize>>) -> Value {
    let part = Subgraph::of(graph, only);
    let node = |(_, note): (_, &crate::note::Note)| json!({ "id": note.key(), "title": note.title, "type": type_of(note), "path": note.path });
    let nodes: Vec<Value> = part.nodes().map(node).collect();
    let edge = |edge: &&crate::graph::Edge| {
        let (from, to) = (part.notes[edge.from].key(), part.notes[edge.to].key());
        json!({ "from": from, "to": to, "type": edge.relation, "strength": strength(edge) })
    };
    let edges: Vec<Value> = part.edges.iter().map(edge).collect();
    json!({ "nodes": nodes, "edges": edges })
}
