//! Ranking for a task: relevance times usefulness.
//!
//! Pure arithmetic on given numbers. Every factor is bounded, so that good feedback cannot lift a
//! rule that is irrelevant to the task.

pub mod confidence;
pub mod conversation;
pub mod fusion;
pub mod graph_expansion;
pub mod need;
pub mod similarity_threshold;
pub mod spread;
pub mod standout;
pub mod tie_breakers;

use crate::score::bullet::EffectiveScore;
use crate::score::{DecayScore, DecayStatus};

/// Effective score at which a bullet gets half of the maximum bonus.
const HALF_BONUS_SCORE: f64 = 5.0;
/// Absolute value of a negative effective score at which a bullet gets half of the maximum penalty.
const HALF_PENALTY_SCORE: f64 = 2.0;
/// Decay score for which [`decay_factor`] is 1.
const NEUTRAL_DECAY_SCORE: f64 = 0.5;
/// Factor for a memory that is archived or replaced.
const ARCHIVED_FACTOR: f64 = 0.3;

/// BM25 score divided by the best one, clamped to 0–1; 0 if `best` is not positive.
pub fn relevance(score: f32, best: f32) -> f64 {
    if best > 0.0 && score.is_finite() { f64::from(score / best).clamp(0.0, 1.0) } else { 0.0 }
}

/// Factor for a bullet's feedback: 1 at a score of 0, up to 2 for positive and down to 0.5 for
/// negative scores; monotonic.
///
/// ```
/// use cm_note::{rank::usefulness, score::bullet::EffectiveScore};
/// assert_eq!(usefulness(EffectiveScore::new(0.0)), 1.0);
/// assert_eq!(usefulness(EffectiveScore::new(5.0)), 1.5);
/// assert_eq!(usefulness(EffectiveScore::new(-2.0)), 0.75);
/// ```
pub fn usefulness(score: EffectiveScore) -> f64 {
    match score.value() {
        value if value >= 0.0 => 1.0 + value / (value + HALF_BONUS_SCORE),
        value => 1.0 + 0.5 * value / (HALF_PENALTY_SCORE - value),
    }
}

/// Factor for a memory's decay score: 0.7 to 1.3, times 0.3 if it is archived or `replaced`.
pub fn decay_factor(score: DecayScore, status: DecayStatus, replaced: bool) -> f64 {
    let value = score.value();
    let vivid = 0.7 + 0.6 * value / (value + NEUTRAL_DECAY_SCORE);
    if replaced || status == DecayStatus::Archived { vivid * ARCHIVED_FACTOR } else { vivid }
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
            let score = DecayScore::new(value);
            decay_factor(score, DecayStatus::of(score, &scoring), replaced)
        };
        assert!(vivid(999.0, true) < vivid(0.06, false));
        assert!(vivid(0.04, false) < vivid(0.06, false) / 2.0);
        assert!(vivid(0.9, false) > vivid(0.3, false));
    }

    proptest! {
        #[test]
        fn usefulness_is_bounded_and_never_falls_with_the_score(a in -1e6..1e6, b in -50.0..50.0) {
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            let (low, high) = (usefulness(EffectiveScore::new(low)), usefulness(EffectiveScore::new(high)));
            prop_assert!(low <= high && low >= 0.5 && high <= 2.0);
        }
    }
}
