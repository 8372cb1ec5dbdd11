//! Lists rules that did not work: those retired by their feedback, and those that were ignored.

use super::InboxNoteEntry;
use cm_note::bullet::{Bullet, BulletState, BulletType, Maturity};
use cm_note::note::{Feedback, FeedbackSignal, Note};
use std::collections::HashSet;

/// Lists rules that could become anti-patterns: retired after at least two harmful feedback events,
/// last retired first. Rules that a person confirmed since are left out.
pub(super) fn inversions(notes: &[Note]) -> Vec<InboxNoteEntry> {
    let harmful = |event: &&Feedback| event.signal == FeedbackSignal::Harmful && event.weight > 0.0;
    let waits = |bullet: &Bullet| {
        bullet.bullet_type == BulletType::Rule
            && bullet.state == BulletState::Retired
            && bullet.maturity == Maturity::Deprecated
            && bullet.fields.replaced_by.is_none()
            && bullet.feedback.iter().filter(harmful).count() >= 2
            && bullet.last_checked.is_none_or(|checked| Some(checked) < bullet.updated)
    };
    let retired =
        notes.iter().enumerate().filter_map(|(at, note)| Some((at, Bullet::of(note).filter(waits)?)));
    let mut entries: Vec<InboxNoteEntry> = retired
        .map(|(at, bullet)| InboxNoteEntry {
            notes: vec![at],
            why: "retired by its feedback, without an anti-pattern as a warning".to_owned(),
            since: bullet.updated,
            leftover: None,
        })
        .collect();
    entries.sort_by_key(|entry| (std::cmp::Reverse(entry.since), entry.notes.clone()));
    entries
}

/// Number of sessions in which a rule was ignored, from which on its wording is to be reviewed.
const IGNORED_SESSIONS: usize = 2;

/// Lists active rules that were ignored in several sessions since a person last checked them, the
/// most ignored first.
pub(super) fn not_followed(notes: &[Note]) -> Vec<InboxNoteEntry> {
    let mut ranked = Vec::new();
    for (at, note) in notes.iter().enumerate() {
        let Some(bullet) = Bullet::of(note).filter(|bullet| bullet.is_live() && !bullet.pinned) else {
            continue;
        };
        let events: Vec<&Feedback> = bullet.ignored_since_check().collect();
        let sessions: HashSet<&str> = events.iter().filter_map(|event| event.session.as_deref()).collect();
        if sessions.len() >= IGNORED_SESSIONS {
            let last = events.iter().max_by_key(|event| event.at).and_then(|event| event.note.as_deref());
            let quote = last.map(|quote| format!(": \"{quote}\"")).unwrap_or_default();
            let why =
                format!("repeated by a person in {} sessions that were shown it{quote}", sessions.len());
            let since = events.iter().map(|event| event.at).min();
            ranked.push((sessions.len(), InboxNoteEntry { notes: vec![at], why, since, leftover: None }));
        }
    }
    ranked.sort_by_key(|(sessions, entry)| (std::cmp::Reverse(*sessions), entry.notes.clone()));
    ranked.into_iter().map(|(_, entry)| entry).collect()
}
