//! Determines which notes are current: neither superseded, condensed nor retired.

use cm_note::graph::{Edge, Graph};
use cm_note::note::Note;
use cm_note::note::types::SUPERSEDES;

/// For each note of the graph, whether it is current. Condensed, superseded and retired notes and
/// stale observations are not current; nor are drafts and unverified memories.
pub fn live(graph: &Graph<'_>) -> Vec<bool> {
    let is_retired = |note: &Note| note.state.as_deref() == Some("retired");
    let holds = |note: &Note| !note.is_waiting() && !is_retired(note) && note.staleness().is_none();
    let notes = graph.notes().iter().zip(in_place(graph));
    notes.map(|(note, in_place)| in_place && holds(note)).collect()
}

/// For each note of the graph, whether no other note has replaced it by condensing or superseding
/// it.
pub fn in_place(graph: &Graph<'_>) -> Vec<bool> {
    let mut in_place: Vec<bool> = graph.notes().iter().map(|note| note.condensed_into.is_empty()).collect();
    for edge in supersessions(graph) {
        in_place[edge.to] = false;
    }
    in_place
}

/// Returns the SUPERSEDES edges that are in effect. Edges from notes that still need confirmation
/// are not.
pub fn supersessions<'g>(graph: &'g Graph<'_>) -> impl Iterator<Item = &'g Edge> {
    let confirmed = |edge: &&Edge| !graph.notes()[edge.from].is_waiting();
    graph.edges().iter().filter(|edge| edge.relation == SUPERSEDES).filter(confirmed)
}
