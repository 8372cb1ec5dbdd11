//! Lists notes that cannot both be followed, and decides which of them still count.

use super::live_rules::LiveRules;
use super::{InboxNoteEntry, is_draft};
use crate::current_notes::supersessions;
use cm_note::bullet::{Bullet, Maturity};
use cm_note::graph::{Edge, Graph};
use cm_note::instant::Instant;
use cm_note::note::Note;
use cm_note::note::types::CONTRADICTS;
use std::collections::{HashMap, HashSet};

/// For each contradicted note, by index, its first open CONTRADICTS edge.
pub(super) type ContradictionsByNote<'e> = HashMap<usize, &'e Edge>;

pub(super) fn contradictions_by_note<'e>(edges: &[&'e Edge]) -> ContradictionsByNote<'e> {
    let mut against = ContradictionsByNote::new();
    for edge in edges {
        against.entry(edge.from).or_insert(edge);
        against.entry(edge.to).or_insert(edge);
    }
    against
}

/// For each note, whether it is obsolete: retired, deprecated, condensed or superseded.
pub(super) fn obsolete(graph: &Graph<'_>) -> Vec<bool> {
    let given_up = |note: &Note| {
        let is = |word: &Option<String>, name: &str| word.as_deref() == Some(name);
        let replaced = note.bullet.as_ref().is_some_and(|fields| fields.replaced_by.is_some());
        note.is_retired()
            || is(&note.maturity, Maturity::Deprecated.name())
            || replaced
            || !note.condensed_into.is_empty()
    };
    let mut obsolete: Vec<bool> = graph.notes().iter().map(given_up).collect();
    for edge in supersessions(graph) {
        obsolete[edge.to] = true;
    }
    obsolete
}

/// Returns the CONTRADICTS edges between notes that are not obsolete, one for each pair of notes.
pub(super) fn contradicted<'g>(graph: &'g Graph<'_>, obsolete: &[bool]) -> Vec<&'g Edge> {
    let mut seen = HashSet::new();
    let open = |edge: &&Edge| {
        edge.relation == CONTRADICTS && !obsolete[edge.from] && !obsolete[edge.to] && edge.from != edge.to
    };
    let edges = graph.edges().iter().filter(open);
    edges.filter(|edge| seen.insert(pair(edge.from, edge.to))).collect()
}

/// Returns the two note indices in ascending order, as a key for an unordered pair.
fn pair(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

/// Whether a person confirmed both notes after their last changes and after the edge between them
/// was written, at `since`. Such a pair is not a conflict.
pub fn both_hold(a: &Note, b: &Note, since: Option<Instant>) -> bool {
    let changed = |note: &Note| note.updated.or(note.created);
    let last = since.max(changed(a)).max(changed(b));
    [a, b].iter().all(|note| note.last_checked.is_some_and(|checked| Some(checked) >= last))
}

/// Lists conflicting notes: first those with a CONTRADICTS edge, then rules with contradictory
/// wording. Left out are pairs that a person confirmed, and those with a draft: whoever decides on the draft
/// decides on the conflict.
pub(super) fn conflicts(graph: &Graph<'_>, contradicted: &[&Edge], rules: &LiveRules) -> Vec<InboxNoteEntry> {
    let notes = graph.notes();
    let is_settled = |a: usize, b: usize, since| {
        both_hold(&notes[a], &notes[b], since) || is_draft(&notes[a]) || is_draft(&notes[b])
    };
    let open = contradicted.iter().filter(|edge| !is_settled(edge.from, edge.to, graph.written(edge)));
    let mut entries: Vec<InboxNoteEntry> = open
        .map(|edge| InboxNoteEntry {
            notes: vec![edge.from, edge.to],
            why: "marked as contradicting each other".to_owned(),
            since: graph.written(edge),
            leftover: None,
        })
        .collect();
    let with_entry: HashSet<_> = entries.iter().map(|entry| pair(entry.notes[0], entry.notes[1])).collect();
    let bullets: Vec<&Bullet> = rules.bullets.iter().collect();
    for (a, b, found) in rules.pairs.contradictions(&bullets) {
        let at = (rules.at[*a], rules.at[*b]);
        if !with_entry.contains(&pair(at.0, at.1)) && !is_settled(at.0, at.1, None) {
            let why = found.reason.clone();
            entries.push(InboxNoteEntry { notes: vec![at.0, at.1], why, since: None, leftover: None });
        }
    }
    entries
}
