//! Which notes still hold: nothing has taken their place, and nobody has retired them.

use crate::domain::graph::Graph;
use crate::domain::note::Note;
use crate::domain::note::types::SUPERSEDES;

/// For each note whether it holds. A note of which a reflection made another, or that another one supersedes,
/// is history, and a stale observation is too; a draft or an unverified memory waits to be confirmed.
pub(super) fn live(graph: &Graph<'_>) -> Vec<bool> {
    let holds = |state: Option<&str>| !matches!(state, Some("draft" | "retired" | Note::UNVERIFIED));
    let notes = graph.notes().iter().zip(in_place(graph));
    notes
        .map(|(note, in_place)| in_place && note.staleness().is_none() && holds(note.state.as_deref()))
        .collect()
}

/// For each note whether it is in its place still: no reflection made another of it, and none supersedes it.
pub(super) fn in_place(graph: &Graph<'_>) -> Vec<bool> {
    let mut in_place: Vec<bool> = graph.notes().iter().map(|note| note.condensed_into.is_empty()).collect();
    for edge in graph.edges().iter().filter(|edge| edge.relation == SUPERSEDES) {
        in_place[edge.to] = false;
    }
    in_place
}
