//! Which notes still hold: nothing has taken their place, and nobody has retired them.

use cm_note::graph::{Edge, Graph};
use cm_note::note::Note;
use cm_note::note::types::SUPERSEDES;

/// For each note whether it holds. A note of which a reflection made another, or that another one supersedes,
/// is history, and a stale observation is too; a draft or an unverified memory waits to be confirmed.
pub fn live(graph: &Graph<'_>) -> Vec<bool> {
    let is_retired = |note: &Note| note.state.as_deref() == Some("retired");
    let holds = |note: &Note| !note.is_waiting() && !is_retired(note) && note.staleness().is_none();
    let notes = graph.notes().iter().zip(in_place(graph));
    notes.map(|(note, in_place)| in_place && holds(note)).collect()
}

/// For each note whether it is in its place still: no reflection made another of it, and none supersedes it.
pub fn in_place(graph: &Graph<'_>) -> Vec<bool> {
    let mut in_place: Vec<bool> = graph.notes().iter().map(|note| note.condensed_into.is_empty()).collect();
    for edge in supersessions(graph) {
        in_place[edge.to] = false;
    }
    in_place
}

/// The SUPERSEDES edges that count: a note that waits to be confirmed takes no other's place yet.
pub fn supersessions<'g>(graph: &'g Graph<'_>) -> impl Iterator<Item = &'g Edge> {
    let confirmed = |edge: &&Edge| !graph.notes()[edge.from].is_waiting();
    graph.edges().iter().filter(|edge| edge.relation == SUPERSEDES).filter(confirmed)
}
