//! Determines which notes are current: neither superseded, condensed nor retired.

use cm_note::graph::{Edge, Graph};
use cm_note::note::Note;
use cm_note::note::types::SUPERSEDES;

/// Why a note is not current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCurrent {
    /// Another note supersedes it, or it was condensed into others.
    Replaced,
    /// A draft or an unverified memory.
    Waiting,
    Retired,
    /// An observation that was condensed or marked irrelevant.
    Stale,
}

/// For each note of the graph, whether it is current. Condensed, superseded and retired notes and
/// stale observations are not current; nor are drafts and unverified memories.
pub fn live(graph: &Graph<'_>) -> Vec<bool> {
    not_current(graph).into_iter().map(|reason| reason.is_none()).collect()
}

/// For each note of the graph, why it is not current; `None` if it is.
pub fn not_current(graph: &Graph<'_>) -> Vec<Option<NotCurrent>> {
    let reason = |(note, in_place): (&Note, bool)| {
        if !in_place {
            Some(NotCurrent::Replaced)
        } else if note.is_waiting() {
            Some(NotCurrent::Waiting)
        } else if note.is_retired() {
            Some(NotCurrent::Retired)
        } else {
            note.staleness().map(|_| NotCurrent::Stale)
        }
    };
    graph.notes().iter().zip(in_place(graph)).map(reason).collect()
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
