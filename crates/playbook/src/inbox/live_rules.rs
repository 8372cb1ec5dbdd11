//! The live rules of a vault with their comparison.

use crate::rule_pairs::{PairFinder, RulePairs};
use cm_note::bullet::Bullet;
use cm_note::note::Note;

/// The live rules of a vault, compared with each other.
pub(super) struct LiveRules {
    pub at: Vec<usize>,
    pub bullets: Vec<Bullet>,
    pub pairs: RulePairs,
}

impl LiveRules {
    pub fn of(notes: &[Note], pairs: &PairFinder<'_>) -> Self {
        let live =
            |(at, note): (usize, &Note)| Bullet::of(note).filter(Bullet::is_live).map(|bullet| (at, bullet));
        let (at, bullets): (Vec<_>, Vec<_>) = notes.iter().enumerate().filter_map(live).unzip();
        let pairs = pairs(&bullets.iter().collect::<Vec<_>>());
        Self { at, bullets, pairs }
    }
}
