//! Factors that order equally relevant notes: recent before old, useful before useless.
//!
//! Both factors are close to 1, so they only decide between notes of similar relevance.

use super::usefulness;
use crate::bullet::{Bullet, BulletState, Maturity};
use crate::instant::Instant;
use crate::note::{Note, NoteKind};
use crate::score::Scoring;
use crate::score::bullet::effective;

/// Maximum bonus of a new note and maximum penalty of an old one, as a share of the score.
const MAX_RECENCY_BONUS: f64 = 0.04;
/// Half-life of a new note's advantage, in days.
const HALF_LIFE_DAYS: f64 = 120.0;
/// Exponent for the feedback factor of a bullet, which is between 0.5 and 2.
const FEEDBACK_EXPONENT: f64 = 0.25;
/// Largest change of the factor by a memory's importance: 0.95 for importance 0, 1.05 for 1.
const MAX_IMPORTANCE_EFFECT: f64 = 0.05;
/// Factor for a pinned note.
const PINNED_FACTOR: f64 = 1.05;
/// Factor for a draft bullet.
const DRAFT_FACTOR: f64 = 0.9;
/// Factor for a note that is no longer in use: a deprecated or retired bullet, a retired memory. What replaced it
/// usually has fewer words of the question.
const UNUSED_FACTOR: f64 = 0.3;
/// Factor for an edge, whose text mostly repeats the titles of the notes at its ends.
const EDGE_FACTOR: f64 = 0.7;
/// Factor for a stale observation.
const STALE_FACTOR: f64 = 0.7;

/// Factor for the time of the last change: 0.96 to 1.04, and 1 if unknown.
///
/// ```
/// use cm_note::{instant::Instant, rank::tie_breakers::recency};
/// let now = Instant::parse("2026-11-21")?;
/// assert_eq!(recency(Some(now), now), 1.04);
/// assert_eq!(recency(None, now), 1.0);
/// # Ok::<(), cm_note::instant::InvalidDate>(())
/// ```
pub fn recency(changed: Option<Instant>, now: Instant) -> f64 {
    let Some(changed) = changed else { return 1.0 };
    let days = ((now.unix() - changed.unix()) as f64 / 86_400.0).max(0.0);
    1.0 + MAX_RECENCY_BONUS * (2.0 * (-days / HALF_LIFE_DAYS).exp2() - 1.0)
}

/// Factor for the usefulness of a note: feedback and maturity of a bullet, importance of a memory,
/// pinned notes higher, stale observations and edges lower, what is no longer in use lowest. Between 0.19 and 1.26.
pub fn usefulness_factor(note: &Note, now: Instant, scoring: &Scoring) -> f64 {
    let pinned = if note.pinned { PINNED_FACTOR } else { 1.0 };
    if note.kind == NoteKind::Bullet
        && let Some(bullet) = Bullet::of(note)
    {
        let standing = match (bullet.maturity, bullet.state) {
            (Maturity::Deprecated, _) | (_, BulletState::Retired) => UNUSED_FACTOR,
            (_, BulletState::Draft) => DRAFT_FACTOR,
            _ => 1.0,
        };
        return pinned * standing * usefulness(effective(&bullet, now, scoring)).powf(FEEDBACK_EXPONENT);
    }
    let importance = note.importance.unwrap_or(0.5).clamp(0.0, 1.0);
    let stale = if note.staleness().is_some() { STALE_FACTOR } else { 1.0 };
    let edge = if note.kind == NoteKind::Edge { EDGE_FACTOR } else { 1.0 };
    let unused = if note.is_retired() { UNUSED_FACTOR } else { 1.0 };
    pinned * stale * edge * unused * (1.0 + 2.0 * MAX_IMPORTANCE_EFFECT * (importance - 0.5))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::note::{RelationTable, TypeTable, read};
    use crate::path::NotePath;

    fn note(path: &str, text: &str) -> Note {
        let path = NotePath::parse(path).unwrap();
        read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note
    }

    #[test]
    fn a_rule_that_helped_counts_more_than_one_that_harmed_and_a_deprecated_one_least() {
        let now = Instant::parse("2026-11-21").unwrap();
        let said = |keys: &str| {
            let text = format!("---\nid: b-mt2ssunl-000001\n{keys}---\nRun the tests.\n");
            usefulness_factor(&note("playbook/testing/a.md", &text), now, &Scoring::default())
        };
        let of = |keys: &str| said(&format!("state: active\n{keys}"));
        let helped = of("feedback:\n- {at: 2026-11-20T00:00:00Z, signal: helpful}\n");
        let harmed = of("feedback:\n- {at: 2026-11-20T00:00:00Z, signal: harmful}\n");
        assert!(helped > 1.0 && of("") == 1.0 && harmed < 1.0);
        assert!(of("maturity: deprecated\n") < harmed && said("state: draft\n") < 1.0);
    }

    #[test]
    fn what_is_important_or_pinned_counts_a_little_more() {
        let of = |keys: &str| {
            let note = note("graph/fixes/a.md", &format!("---\n{keys}---\nText.\n"));
            usefulness_factor(&note, Instant::from_unix(0), &Scoring::default())
        };
        assert!(of("importance: 0.9\n") > of("") && of("") > of("importance: 0.1\n"));
        assert!(of("pinned: true\n") > of(""));
    }

    proptest! {
        #[test]
        fn recency_is_bounded_and_never_rises_with_age(a in 0i64..4_000_000_000, b in 0i64..4_000_000_000) {
            let now = Instant::from_unix(4_000_000_000);
            let (old, new) = (a.min(b), a.max(b));
            let (old, new) = (recency(Some(Instant::from_unix(old)), now), recency(Some(Instant::from_unix(new)), now));
            prop_assert!(old <= new && old >= 1.0 - MAX_RECENCY_BONUS && new <= 1.0 + MAX_RECENCY_BONUS);
        }
    }
}
