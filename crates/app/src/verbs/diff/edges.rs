//! Edges that differ between two states of a vault, regardless of how they are written.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use cm_note::graph::{Edge, EdgeSourceForm, Graph};
use cm_note::note::Note;
use cm_note::rounding::round_to_four_decimals;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EdgeEndNote {
    pub id: String,
    pub title: String,
}

/// An edge that was added, removed, or changed in strength.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EdgeChange {
    /// Source of the edge.
    pub from: EdgeEndNote,
    /// Relation type; `LINKS_TO` for a plain link.
    #[serde(rename = "type")]
    pub relation: String,
    /// Target of the edge.
    pub to: EdgeEndNote,
    /// Strength before; null if the edge was added.
    pub old: Option<f64>,
    /// Strength after; null if the edge was removed.
    pub new: Option<f64>,
    /// Path of the edge file, if the edge has one.
    pub file: Option<String>,
}

/// Identifies an edge: source ID, relation type and target ID.
type EdgeKey = (String, String, String);

/// Returns the edges that differ, sorted by source, relation and target. `moved` maps the keys of
/// moved notes to their new keys.
pub(super) fn changes(before: &[Note], after: &[Note], moved: &HashMap<String, String>) -> Vec<EdgeChange> {
    let mut all = edges(before, moved);
    let mut changes: BTreeMap<EdgeKey, EdgeChange> = BTreeMap::new();
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

/// Returns all edges of the notes, with the current strength in [`EdgeChange::old`].
fn edges(notes: &[Note], moved: &HashMap<String, String>) -> BTreeMap<EdgeKey, EdgeChange> {
    let graph = Graph::connect(notes);
    let end = |note: &Note| {
        let id = moved.get(note.key()).map_or(note.key(), String::as_str).to_owned();
        EdgeEndNote { id, title: note.title.clone() }
    };
    let change = |edge: &Edge| {
        let file = edge.sources.iter().find(|source| source.form == EdgeSourceForm::EdgeFile);
        let change = EdgeChange {
            from: end(&notes[edge.from]),
            relation: edge.relation.clone(),
            to: end(&notes[edge.to]),
            old: Some(round_to_four_decimals(edge.strength)),
            new: None,
            file: file.map(|source| notes[source.note].path.to_string()),
        };
        ((change.from.id.clone(), change.relation.clone(), change.to.id.clone()), change)
    };
    graph.edges().iter().map(change).collect()
}
