//! Components of a bullet's score, to explain it to a user.

use super::{Band, EffectiveScore, half_life, tally};
use crate::bullet::Bullet;
use crate::instant::Instant;
use crate::score::Scoring;

/// Effective score of a bullet with its terms: (helpful − harm_weight × harmful) × multiplier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreBreakdown {
    /// The resulting score.
    pub score: EffectiveScore,
    pub band: Band,
    /// Decayed sum of helpful events.
    pub helpful: f64,
    /// Decayed sum of harmful events.
    pub harmful: f64,
    /// Weight of harm relative to help.
    pub harm_weight: f64,
    /// Harm divided by the total, 0–1.
    pub harmful_ratio: f64,
    /// Factor for the bullet's maturity, see [`Scoring::multiplier`].
    pub multiplier: f64,
    /// Number of helpful events of the last [`Scoring::recent_days`] days.
    pub recent_helpful: usize,
    /// Half-life used, in days; the default if that of the note is missing or invalid.
    pub half_life_days: f64,
}

impl ScoreBreakdown {
    /// Computes the components of a bullet's score at an instant.
    pub fn of(bullet: &Bullet, now: Instant, scoring: &Scoring) -> Self {
        let tally = tally(bullet, now, scoring);
        let score = tally.score(bullet.maturity, scoring);
        Self {
            score,
            band: Band::of(score),
            helpful: tally.helpful,
            harmful: tally.harmful,
            harm_weight: scoring.harm_weight(),
            harmful_ratio: tally.harmful_ratio(),
            multiplier: scoring.multiplier(bullet.maturity),
            recent_helpful: tally.recent_helpful,
            half_life_days: half_life(bullet.fields.half_life_days, scoring),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::sample::note;
    use crate::note::{Feedback, FeedbackSignal};

    #[test]
    fn the_parts_come_to_the_score_by_the_half_life_that_counts() {
        let now = Instant::parse("2026-11-21T12:00:00Z").unwrap();
        let scoring = Scoring { half_life_days: 30.0, ..Scoring::default() };
        let note = note("playbook/testing/a.md", "A");
        let mut bullet = Bullet::of(&note).unwrap();
        bullet.feedback = vec![Feedback::new(now.minus_days(90.0), FeedbackSignal::Helpful)];
        for (own, counts, left) in [(None, 30.0, 0.125), (Some(-1.0), 90.0, 0.5), (Some(45.0), 45.0, 0.25)] {
            bullet.fields.half_life_days = own;
            let parts = ScoreBreakdown::of(&bullet, now, &scoring);
            assert_eq!((parts.half_life_days, parts.helpful), (counts, left), "{own:?}");
            let score = (parts.helpful - parts.harm_weight * parts.harmful) * parts.multiplier;
            assert_eq!(parts.score, EffectiveScore::new(score));
        }
    }
}
