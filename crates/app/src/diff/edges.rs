//! The edges that differ between two states of a vault, whichever way they are written.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use cm_note::graph::{Edge, Graph, SourceForm};
use cm_note::note::Note;

/// An end of an edge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct End {
    /// What the note answers to.
    pub id: String,
    /// Its title.
    pub title: String,
}

/// An edge that came, went, or changed its strength.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EdgeChange {
    /// The note that it leads from.
    pub from: End,
    /// Its type; `LINKS_TO` of a plain link.
    #[serde(rename = "type")]
    pub relation: String,
    /// The note that it leads to.
    pub to: End,
    /// Its strength before; null where it came.
    pub old: Option<f64>,
    /// Its strength after; null where it went.
    pub new: Option<f64>,
    /// The edge's own file, where it has one.
    pub file: Option<String>,
}

/// From, type, and to.
type Key = (String, String, String);

/// The edges that differ, by their ends. `moved` gives notes whose key changed their new one.
pub(super) fn changes(before: &[Note], after: &[Note], moved: &HashMap<String, String>) -> Vec<EdgeChange> {
    let mut all = edges(before, moved);
    let mut changes: BTreeMap<Key, EdgeChange> = BTreeMap::new();
    for (key, mut edge) in edges(after, &HashMap::new()) {
        edge.new = edge.old.take();
        let was = all.remove(&key);
        edge.old = was.and_then(|was| was.old);
        if edge.old != edge.new {
            changes.insert(key, edge);
        }
    }
    changes.extend(all);
    changes.into_values().collect()
}

/// All edges, with their strength as the old one.
fn edges(notes: &[Note], moved: &HashMap<String, String>) -> BTreeMap<Key, EdgeChange> {
    let graph = Graph::connect(notes);
    let end = |note: &Note| {
        let id = moved.get(note.key()).map_or(note.key(), String::as_str).to_owned();
        End { id, title: note.title.clone() }
    };
    let change = |edge: &Edge| {
        let file = edge.sources.iter().find(|source| source.form == SourceForm::EdgeFile);
        let change = EdgeChange {
            from: end(&notes[edge.from]),
            relation: edge.relation.clone(),
            to: end(&notes[edge.to]),
            old: Some((edge.strength * 10_000.0).round() / 10_000.0),
            new: None,
            file: file.map(|source| notes[source.note].path.to_string()),
        };
        ((change.from.id.clone(), change.relation.clone(), change.to.id.clone()), change)
    };
    graph.edges().iter().map(change).collect()
}
