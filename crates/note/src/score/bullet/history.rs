//! Scores that a bullet had at earlier times, from the feedback events up to then.
//!
//! Which feedback was recorded later than it happened is not known, so an event counts from its own
//! time on.

use super::{EffectiveScore, FeedbackTally, MaturityInput, Scoring, replay};
use crate::bullet::{Bullet, Maturity};
use crate::instant::Instant;
use crate::note::Feedback;

/// Score and maturity of a bullet at an earlier time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PastScore {
    pub at: Instant,
    pub score: EffectiveScore,
    pub maturity: Maturity,
}

/// Computes the scores of a bullet at ascending times; the last time is the present.
///
/// The maturity is replayed from the events. A stored maturity that does not follow from them was
/// set by a person or an import; it applies from the last promotion on, else from the last change.
pub fn past_scores(bullet: &Bullet, times: &[Instant], scoring: &Scoring) -> Vec<PastScore> {
    let Some(present) = times.last() else { return Vec::new() };
    let mut events = bullet.feedback.clone();
    events.sort_by_key(|event| event.at);
    let stored_since = stored_since(bullet, &events, *present, scoring);
    let mut replayed: Option<(usize, Option<Instant>, Maturity)> = None;
    let score_at = |at: &Instant| {
        let count =
            if at == present { events.len() } else { events.partition_point(|event| event.at <= *at) };
        let feedback = events.get(..count).unwrap_or_default();
        let validated = bullet.fields.last_validated_at.filter(|validated| validated <= at);
        let maturity =
            match replayed.filter(|(event_count, since, _)| (*event_count, *since) == (count, validated)) {
                Some((.., maturity)) => maturity,
                None => {
                    let input = MaturityInput { feedback, validated, ..bullet.into() };
                    let maturity = replay(input, Maturity::Candidate, scoring).maturity;
                    replayed = Some((count, validated, maturity));
                    maturity
                }
            };
        let maturity =
            if stored_since.is_some_and(|since| *at >= since) { bullet.maturity } else { maturity };
        let tally = FeedbackTally::of(feedback, bullet.fields.half_life_days, *at, scoring);
        PastScore { at: *at, score: tally.score(maturity, scoring), maturity }
    };
    times.iter().map(score_at).collect()
}

/// Returns the time from which the stored maturity applies instead of the replayed one; `None` if
/// both are the same at present.
fn stored_since(
    bullet: &Bullet,
    events: &[Feedback],
    present: Instant,
    scoring: &Scoring,
) -> Option<Instant> {
    let input = MaturityInput { feedback: events, ..bullet.into() };
    if replay(input, Maturity::Candidate, scoring).maturity == bullet.maturity {
        return None;
    }
    let since = bullet.fields.promoted_at.or(bullet.updated).or(bullet.created);
    Some(since.map_or(present, |since| since.min(present)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::effective;
    use super::*;
    use crate::graph::sample::note;
    use crate::note::FeedbackSignal;

    fn day(number: f64) -> Instant {
        Instant::parse("2026-01-01").unwrap().minus_days(-number)
    }

    fn bullet(maturity: Maturity, events: &[(f64, FeedbackSignal)]) -> Bullet {
        let mut bullet = Bullet::of(&note("playbook/testing/a.md", "A")).unwrap();
        bullet.maturity = maturity;
        bullet.feedback = events.iter().map(|(at, signal)| Feedback::new(day(*at), *signal)).collect();
        bullet
    }

    fn scores(bullet: &Bullet, days: &[f64]) -> Vec<(f64, &'static str)> {
        let times: Vec<Instant> = days.iter().map(|at| day(*at)).collect();
        let scores = past_scores(bullet, &times, &Scoring::default()).into_iter();
        scores.map(|past| ((past.score.value() * 100.0).round() / 100.0, past.maturity.name())).collect()
    }

    #[test]
    fn a_score_rises_with_each_event_and_decays_between_them() {
        let helpful = |at| (at, FeedbackSignal::Helpful);
        let bullet = bullet(
            Maturity::Established,
            &[helpful(10.0), helpful(10.0), helpful(10.0), helpful(10.0), helpful(1.0)],
        );
        let expected = [(0.0, "candidate"), (0.5, "candidate"), (4.93, "established"), (2.47, "established")];
        assert_eq!(scores(&bullet, &[0.0, 1.0, 10.0, 100.0]), expected);
    }

    #[test]
    fn a_maturity_that_the_events_do_not_justify_applies_from_its_promotion_on() {
        let mut bullet = bullet(Maturity::Proven, &[(1.0, FeedbackSignal::Helpful)]);
        bullet.fields.promoted_at = Some(day(5.0));
        let expected = [(0.5, "candidate"), (1.45, "proven"), (1.43, "proven")];
        assert_eq!(scores(&bullet, &[1.0, 5.0, 7.0]), expected);
    }

    proptest! {
        #[test]
        fn the_last_score_is_todays(
            events in prop::collection::vec((0.0..120.0, 0..3), 0..12), stored in 0_usize..4, updated in 0.0..200.0,
        ) {
            let signals = [FeedbackSignal::Helpful, FeedbackSignal::Harmful, FeedbackSignal::Ignored];
            let events: Vec<_> = events.into_iter().map(|(at, which)| (at, signals[which as usize])).collect();
            let mut bullet = bullet(Maturity::ALL[stored], &events);
            bullet.updated = Some(day(updated));
            let times = [day(0.0), day(50.0), day(100.0)];
            let last = past_scores(&bullet, &times, &Scoring::default()).pop().unwrap();
            let today = effective(&bullet, day(100.0), &Scoring::default());
            prop_assert!((last.score.value() - today.value()).abs() < 1e-9);
            prop_assert_eq!(last.maturity, bullet.maturity);
        }
    }
}
