//! Lists what needs a person's review: drafts, open conflicts, quarantined notes, merge candidates,
//! and notes that are due for a check.
//!
//! The person decides what happens with each entry.

use cm_text::named_enum;

mod contradictions;
mod due;
mod failing_rules;
mod live_rules;
mod merges;
#[cfg(test)]
mod tests;

pub use contradictions::both_hold;
pub use due::due;

use crate::rule_pairs::PairFinder;
use cm_note::bullet::{Bullet, BulletState, Maturity};
use cm_note::finding::{Finding, FindingCode};
use cm_note::graph::Graph;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_text::shorten::shorten;
use contradictions::{ContradictionsByNote, conflicts, contradicted, contradictions_by_note, obsolete};
use failing_rules::{inversions, not_followed};
use live_rules::LiveRules;
use merges::merge_entries;
use std::collections::BTreeMap;

/// Maximum length of a title that a reason quotes, in characters.
const MAX_QUOTED_CHARS: usize = 80;

named_enum! {
    /// Sections of the inbox.
    pub enum InboxKind {
        /// Rules that are not in use yet.
        Drafts = "drafts",
        /// Notes that cannot both be followed.
        Conflicts = "conflicts",
        /// Notes with hidden characters, and draft memories.
        Quarantined = "quarantined",
        /// Pairs of similar rules, of memories with one title, and of a rule and a memory that say the same.
        Merges = "merges",
        /// Notes that were not checked for a long time, or whose sources changed.
        Due = "due",
        /// Rules that were retired as harmful and have no anti-pattern.
        Inversions = "inversions",
        /// Rules that people had to repeat in several sessions that had been shown them.
        NotFollowed = "not_followed",
        /// Notes of which a merge did not take a version, or with conflict markers.
        Leftovers = "leftovers",
    }
}

/// An item that a person should review: one or two notes, with the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct InboxNoteEntry {
    /// Indices of the one or two notes to review.
    pub notes: Vec<usize>,
    /// Reason why the notes need review, for display.
    pub why: String,
    /// Time since which the problem exists, if known.
    pub since: Option<Instant>,
    /// The leftover of a merge to decide on.
    pub leftover: Option<Finding>,
}

/// Review items by inbox section, most important first in each.
pub type InboxSections = BTreeMap<InboxKind, Vec<InboxNoteEntry>>;

/// Collects the sections that depend on the notes alone: all but [`InboxKind::Due`], which [`due`]
/// collects. `pairs` compares the live rules.
pub fn timeless_sections(graph: &Graph<'_>, pairs: &PairFinder<'_>) -> InboxSections {
    let obsolete = obsolete(graph);
    let rules = LiveRules::of(graph.notes(), pairs);
    let edges = contradicted(graph, &obsolete);
    InboxSections::from([
        (InboxKind::Drafts, drafts(graph.notes(), &contradictions_by_note(&edges))),
        (InboxKind::Conflicts, conflicts(graph, &edges, &rules)),
        (InboxKind::Quarantined, quarantined(graph.notes(), &obsolete)),
        (InboxKind::Merges, merge_entries(graph.notes(), &rules, &obsolete)),
        (InboxKind::Inversions, inversions(graph.notes())),
        (InboxKind::NotFollowed, not_followed(graph.notes())),
        (InboxKind::Leftovers, leftovers(graph.notes())),
    ])
}

/// Whether the note is a rule that is not in use yet.
fn is_draft(note: &Note) -> bool {
    Bullet::of(note)
        .is_some_and(|bullet| bullet.state == BulletState::Draft && bullet.maturity != Maturity::Deprecated)
}

/// Returns the number of drafts that contradict a note. They are listed as drafts, not as conflicts.
pub fn contradicting_drafts(graph: &Graph<'_>) -> usize {
    let obsolete = obsolete(graph);
    let against = contradictions_by_note(&contradicted(graph, &obsolete));
    graph.notes().iter().enumerate().filter(|(at, note)| is_draft(note) && against.contains_key(at)).count()
}

/// Lists draft rules, oldest first; the reason quotes a note that the draft contradicts.
fn drafts(notes: &[Note], against: &ContradictionsByNote<'_>) -> Vec<InboxNoteEntry> {
    let why = |at: usize| match against.get(&at) {
        Some(edge) => {
            let other = &notes[if edge.from == at { edge.to } else { edge.from }];
            format!(
                "a draft that contradicts “{}” ({})",
                shorten(&other.title, MAX_QUOTED_CHARS),
                other.key()
            )
        }
        None => "a draft, not shown to agents".to_owned(),
    };
    let drafts = notes.iter().enumerate().filter(|(_, note)| is_draft(note));
    let mut entries: Vec<InboxNoteEntry> = drafts
        .map(|(at, note)| InboxNoteEntry {
            notes: vec![at],
            why: why(at),
            since: note.created,
            leftover: None,
        })
        .collect();
    entries.sort_by_key(|entry| (entry.since, entry.notes[0]));
    entries
}

fn quarantined(notes: &[Note], obsolete: &[bool]) -> Vec<InboxNoteEntry> {
    let why = |note: &Note| {
        let hidden = note.findings.iter().find(|finding| finding.code == FindingCode::HiddenCharacter);
        let line = |line: Option<u32>| line.map(|line| format!(" in line {line}")).unwrap_or_default();
        let draft = note.kind == NoteKind::Memory && note.is_draft();
        match hidden {
            Some(finding) => Some(format!("{}{}", finding.message, line(finding.line))),
            None if note.is_unverified() => Some(format!("unverified, by {}", note.origin())),
            None if draft => Some("a draft memory".to_owned()),
            None => None,
        }
    };
    let waiting = notes.iter().enumerate().filter(|(at, _)| !obsolete[*at]);
    let entry = |(at, note): (usize, &Note)| {
        Some(InboxNoteEntry { notes: vec![at], why: why(note)?, since: note.created, leftover: None })
    };
    waiting.filter_map(entry).collect()
}

/// Lists the leftovers of merges, each with its note, and the notes with conflict markers, last changed first.
fn leftovers(notes: &[Note]) -> Vec<InboxNoteEntry> {
    let mut entries = Vec::new();
    for (at, note) in notes.iter().enumerate() {
        let has_conflict = note.has_conflict();
        let is_left = |finding: &&Finding| match has_conflict {
            true => finding.code == FindingCode::ConflictMarker,
            false => finding.code.is_leftover(),
        };
        let entry = |finding: &Finding| InboxNoteEntry {
            notes: vec![at],
            why: finding.message.clone(),
            // The message has the time of the other version.
            since: note.updated.filter(|_| finding.code != FindingCode::MergeLeftover),
            leftover: finding.code.is_leftover().then(|| finding.clone()),
        };
        entries.extend(note.findings.iter().filter(is_left).map(entry));
    }
    entries.sort_by_key(|entry| {
        let updated = entry.notes.first().and_then(|at| notes[*at].updated);
        (std::cmp::Reverse(updated), entry.notes.clone())
    });
    entries
}
