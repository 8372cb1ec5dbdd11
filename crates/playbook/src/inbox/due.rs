//! Lists notes that are due for a check: not looked at for a long time, contradicted, or with an outdated source.

use super::InboxNoteEntry;
use super::contradictions::{ContradictionsByNote, contradicted, contradictions_by_note, obsolete};
use crate::current_notes::supersessions;
use cm_note::bullet::Bullet;
use cm_note::graph::{Edge, Graph};
use cm_note::instant::Instant;
use cm_note::note::types::DERIVED_FROM;
use cm_note::note::{Note, NoteKind};
use std::collections::HashMap;

/// Number of days in which trust in a note halves unless a person checks the note.
const HALF_LIFE: f64 = 90.0;

/// A note whose trust, 0–1, is below this value should be checked again.
const MIN_TRUST: f64 = 0.25;

/// Remaining trust in a note, 0–1: halves every [`HALF_LIFE`] days since its last check, update or
/// creation.
fn trust(note: &Note, now: Instant) -> f64 {
    let Some(looked) = note.last_checked.or(note.updated).or(note.created) else { return 0.0 };
    0.5_f64.powf(looked.days_until(now).max(0.0) / HALF_LIFE)
}

/// Lists memories and live rules that are due for a check: first those that are contradicted or
/// whose source changed, then the least recently checked.
pub fn due(graph: &Graph<'_>, now: Instant) -> Vec<InboxNoteEntry> {
    let obsolete = obsolete(graph);
    // A draft that contradicts a note is decided itself; until then the note stands.
    let is_in_use = |edge: &&Edge| [edge.from, edge.to].iter().all(|end| !graph.notes()[*end].is_waiting());
    let open: Vec<&Edge> = contradicted(graph, &obsolete).into_iter().filter(is_in_use).collect();
    let against = contradictions_by_note(&open);
    let mut newer = HashMap::new();
    for edge in supersessions(graph) {
        newer.entry(edge.to).or_insert(edge);
    }
    let doubts = Doubts { graph, obsolete: &obsolete, against: &against, newer: &newer };
    let mut ranked = Vec::new();
    for (at, note) in graph.notes().iter().enumerate() {
        let draft = note.is_draft() || note.is_unverified();
        let is_live = Bullet::of(note).is_none_or(|bullet| bullet.is_live());
        if !matches!(note.kind, NoteKind::Memory | NoteKind::Bullet) || obsolete[at] || draft || !is_live {
            continue;
        }
        let trust = trust(note, now);
        let looked = note.last_checked.or(note.updated).or(note.created);
        let doubt = doubts.of(at);
        let is_new =
            |since: Option<Instant>| since.is_none_or(|since| looked.is_none_or(|looked| looked < since));
        let doubted = doubt.as_ref().is_some_and(|(_, since)| is_new(*since));
        if trust < MIN_TRUST || doubted {
            ranked.push((!doubted, trust, at, entry_of_due(at, note, now, doubt.filter(|_| doubted))));
        }
    }
    ranked.sort_by(|a, b| (a.0).cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)).then_with(|| a.2.cmp(&b.2)));
    ranked.into_iter().map(|(.., entry)| entry).collect()
}

fn entry_of_due(
    at: usize,
    note: &Note,
    now: Instant,
    doubt: Option<(String, Option<Instant>)>,
) -> InboxNoteEntry {
    let looked = note.last_checked.or(note.updated).or(note.created);
    let why = match (doubt, looked) {
        (Some((why, _)), _) => why,
        (None, Some(looked)) => format!("not reviewed for {:.0} days", looked.days_until(now)),
        (None, None) => "it has no date".to_owned(),
    };
    InboxNoteEntry { notes: vec![at], why, since: looked, leftover: None }
}

/// Why notes may no longer hold, regardless of their age.
struct Doubts<'d, 'n> {
    graph: &'d Graph<'n>,
    obsolete: &'d [bool],
    against: &'d ContradictionsByNote<'d>,
    /// For each superseded note, by index, the first edge that supersedes it.
    newer: &'d HashMap<usize, &'d Edge>,
}

impl Doubts<'_, '_> {
    /// Returns the reason to doubt a note, such as a contradiction, and since when it applies.
    fn of(&self, at: usize) -> Option<(String, Option<Instant>)> {
        let Self { graph, obsolete, against, newer } = self;
        if let Some(edge) = against.get(&at) {
            return Some(("another note contradicts it".to_owned(), graph.written(edge)));
        }
        let sources = graph.outgoing(at).filter(|edge| edge.relation == DERIVED_FROM);
        let is_condensed_here = |source: usize| {
            graph.notes()[source].condensed_into.iter().any(|id| id == graph.notes()[at].key())
        };
        for source in sources.map(|edge| edge.to).filter(|source| !is_condensed_here(*source)) {
            let title = &graph.notes()[source].title;
            if obsolete[source] {
                let newer = newer.get(&source);
                let since = newer.and_then(|edge| graph.written(edge).or(graph.notes()[edge.from].created));
                return Some((format!("its source “{title}” is no longer valid"), since));
            }
            if let Some(edge) = against.get(&source) {
                return Some((
                    format!("its source “{title}” is contradicted by another note"),
                    graph.written(edge),
                ));
            }
        }
        None
    }
}
