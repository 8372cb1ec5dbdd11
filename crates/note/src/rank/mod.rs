//! How much a note is worth to somebody who has a task: how well it fits, times how useful it has proved.
//!
//! Pure arithmetic on numbers that others have found: it searches nothing and reads no note. Each factor is bounded, so
//! that no amount of praise makes a rule fit a task that it has nothing to do with.

pub mod cut;
pub mod fusion;
pub mod spread;
pub mod worth;

use crate::score::bullet::Effective;
use crate::score::{Score, Status};

/// The effective score at which a bullet has half of the praise that can be had.
const PRAISE: f64 = 5.0;
/// The effective score below 0 at which it has half of the blame.
const BLAME: f64 = 2.0;
/// The decay score at which a memory is as vivid as one of which nothing is known.
const VIVID: f64 = 0.5;
/// What is left of the worth of a memory that has faded away, or that another has replaced.
const SUNK: f64 = 0.3;

/// How well a hit fits, 0–1: its BM25 score beside that of the best one.
pub fn relevance(score: f32, best: f32) -> f64 {
    if best > 0.0 && score.is_finite() { f64::from(score / best).clamp(0.0, 1.0) } else { 0.0 }
}

/// What the feedback of a bullet multiplies its relevance with: 1 at a score of 0, up to 2 for praise, down to 0.5 for
/// blame, and never less for a higher score.
///
/// ```
/// use cm::domain::{rank::usefulness, score::bullet::Effective};
/// assert_eq!(usefulness(Effective::new(0.0)), 1.0);
/// assert_eq!(usefulness(Effective::new(5.0)), 1.5);
/// assert_eq!(usefulness(Effective::new(-2.0)), 0.75);
/// ```
pub fn usefulness(score: Effective) -> f64 {
    match score.value() {
        value if value >= 0.0 => 1.0 + value / (value + PRAISE),
        value => 1.0 + 0.5 * value / (BLAME - value),
    }
}

/// What the decay score of a memory multiplies its relevance with: 0.7 to 1.3, and far less where it has faded away or
/// `replaced` by another.
pub fn vividness(score: Score, status: Status, replaced: bool) -> f64 {
    let value = score.value();
    let vivid = 0.7 + 0.6 * value / (value + VIVID);
    if replaced || status == Status::Archived { vivid * SUNK } else { vivid }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::score::Scoring;

    #[test]
    fn the_best_hit_fits_wholly_and_nonsense_not_at_all() {
        assert_eq!((relevance(4.0, 4.0), relevance(1.0, 4.0), relevance(0.0, 4.0)), (1.0, 0.25, 0.0));
        assert_eq!((relevance(1.0, 0.0), relevance(f32::NAN, 1.0), relevance(9.0, 3.0)), (0.0, 0.0, 1.0));
    }

    #[test]
    fn what_has_faded_or_was_replaced_sinks_below_anything_that_fits_as_well() {
        let scoring = Scoring::default();
        let vivid = |value: f64, replaced| {
            let score = Score::new(value);
            vividness(score, Status::of(score, &scoring), replaced)
        };
        assert!(vivid(999.0, true) < vivid(0.06, false));
        assert!(vivid(0.04, false) < vivid(0.06, false) / 2.0);
        assert!(vivid(0.9, false) > vivid(0.3, false));
    }

    proptest! {
        #[test]
        fn usefulness_is_bounded_and_never_falls_with_the_score(a in -1e6..1e6, b in -50.0..50.0) {
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            let (low, high) = (usefulness(Effective::new(low)), usefulness(Effective::new(high)));
            prop_assert!(low <= high && low >= 0.5 && high <= 2.0);
        }
    }
}
