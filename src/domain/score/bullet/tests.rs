//! Scores and verdicts against numbers of another program, and the laws that hold for any bullet.

use proptest::prelude::*;

use super::*;
use crate::domain::graph::sample::note;

/// Written by `bullet-scores.py` beside it.
const GOLDEN: &str = include_str!("../../../../tests/golden/bullet-scores.tsv");

const NOW: i64 = 1_800_000_000;
const SIGNALS: [Signal; 3] = [Signal::Helpful, Signal::Harmful, Signal::Irrelevant];

fn now() -> Instant {
    Instant::from_unix(NOW)
}

fn bullet(maturity: Maturity, feedback: Vec<Feedback>) -> Bullet {
    let note = note("playbook/testing/a.md", "A");
    Bullet { maturity, feedback, ..Bullet::of(&note).unwrap() }
}

fn event(signal: Signal, days_ago: f64, weight: f64) -> Feedback {
    Feedback { weight, ..Feedback::new(now().minus_days(days_ago), signal) }
}

/// `3xhelpful@2026-01-01T00:00:00Z*0.5`
fn events(text: &str) -> Vec<Feedback> {
    let (count, rest) = text.split_once('x').unwrap();
    let (signal, rest) = rest.split_once('@').unwrap();
    let (when, weight) = rest.split_once('*').unwrap();
    let signal = match signal {
        "helpful" => Signal::Helpful,
        "harmful" => Signal::Harmful,
        "irrelevant" => Signal::Irrelevant,
        _ => panic!("{text}"),
    };
    let one =
        Feedback { weight: weight.parse().unwrap(), ..Feedback::new(Instant::parse(when).unwrap(), signal) };
    vec![one; count.parse().unwrap()]
}

fn words(verdict: Verdict) -> String {
    match verdict {
        Verdict::Stays => "stays".to_owned(),
        Verdict::Rises(maturity) => format!("rises to {}", maturity.name()),
        Verdict::Falls(Downfall::Ratio { .. }) => "falls by ratio".to_owned(),
        Verdict::Falls(Downfall::Score { .. }) => "falls by score".to_owned(),
    }
}

#[test]
fn scores_and_verdicts_are_those_of_the_definition() {
    let cases: Vec<&str> = GOLDEN.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(cases.len() >= 130, "{}", cases.len());
    for case in cases {
        let columns: Vec<&str> = case.split('\t').collect();
        let [maturity, pinned, half_life, now, feedback, score, expected] = columns[..] else {
            panic!("{case}");
        };
        let feedback = feedback.split(';').filter(|run| !run.is_empty()).flat_map(events).collect();
        let mut bullet = bullet(Maturity::of(maturity).unwrap(), feedback);
        bullet.pinned = pinned == "true";
        bullet.fields.half_life_days = half_life.parse().ok();
        assert_eq!(bullet.fields.half_life_days.is_none(), half_life.is_empty(), "{case}");
        let (now, scoring) = (Instant::parse(now).unwrap(), Scoring::default());
        let found = effective(&bullet, now, &scoring).value();
        let score: f64 = score.parse().unwrap();
        assert!((found - score).abs() <= 1e-9 * score.abs().max(1e-12), "{case}: {found}");
        assert_eq!(words(verdict(&bullet, now, &scoring)), expected, "{case}");
    }
}

#[test]
fn a_score_is_written_with_four_digits_and_kept_with_all() {
    let score = Effective::new(-1.234_567_8);
    assert_eq!(serde_json::to_string(&score).unwrap(), "-1.2346");
    assert_eq!((score.to_string().as_str(), score.value()), ("-1.2346", -1.234_567_8));
    for nothing in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, -0.000_01] {
        assert_eq!(serde_json::to_string(&Effective::new(nothing)).unwrap(), "0.0");
    }
}

#[test]
fn bands_end_where_they_say() {
    let band = |score| Band::of(Effective::new(score));
    assert_eq!([band(10.1), band(10.0)], [Band::Excellent, Band::Good]);
    assert_eq!([band(5.1), band(5.0), band(0.0)], [Band::Good, Band::Neutral, Band::Neutral]);
    assert_eq!(band(-0.001), Band::AtRisk);
}

#[test]
fn silence_is_since_the_last_word_of_any_kind_else_since_the_bullet_was_made() {
    let mut silent = bullet(Maturity::Candidate, vec![]);
    assert_eq!(silent_days(&silent, now()), 0.0, "nothing tells");
    silent.created = Some(now().minus_days(100.0));
    assert_eq!(silent_days(&silent, now()), 100.0);
    silent.feedback = vec![event(Signal::Irrelevant, 7.0, 1.0), event(Signal::Helpful, 90.0, 1.0)];
    assert_eq!(silent_days(&silent, now()), 7.0);
    silent.feedback.push(event(Signal::Helpful, -3.0, 1.0));
    assert_eq!(silent_days(&silent, now()), 0.0, "the future is no negative age");
}

#[test]
fn a_bullet_that_nobody_judged_stands_as_if_found_helpful_when_it_was_made() {
    let scoring = Scoring::default();
    let mut fresh = bullet(Maturity::Candidate, vec![event(Signal::Irrelevant, 1.0, 1.0)]);
    fresh.created = Some(now().minus_days(90.0));
    assert_eq!(standing(&fresh, now(), &scoring).value(), 0.25);
    assert_eq!(effective(&fresh, now(), &scoring).value(), 0.0);
    fresh.feedback.push(event(Signal::Harmful, 0.0, 1.0));
    assert_eq!(standing(&fresh, now(), &scoring), effective(&fresh, now(), &scoring));
}

#[test]
fn a_half_life_is_the_bullets_own_else_the_vaults_and_a_broken_one_is_90_days() {
    let vault = Scoring { half_life_days: 30.0, ..Scoring::default() };
    assert_eq!([half_life(Some(7.0), &vault), half_life(None, &vault)], [7.0, 30.0]);
    for broken in [0.0, -7.0, f64::NAN, f64::INFINITY] {
        assert_eq!(half_life(Some(broken), &vault), 90.0, "as its finding says");
        assert_eq!(half_life(None, &Scoring { half_life_days: broken, ..vault.clone() }), 90.0);
    }
}

#[test]
fn every_constant_has_its_say() {
    let rule = bullet(Maturity::Candidate, vec![event(Signal::Helpful, 40.0, 1.0); 6]);
    let judged = |scoring: Scoring| words(verdict(&rule, now(), &scoring));
    let default = Scoring::default;
    assert_eq!(judged(default()), "stays");
    assert_eq!(judged(Scoring { recent_days: 40.0, proven_score: 9.0, ..default() }), "rises to established");
    assert_eq!(judged(Scoring { recent_days: 40.0, proven_score: 4.0, ..default() }), "rises to proven");
    assert_eq!(
        judged(Scoring { recent_days: 40.0, proven_ratio: 0.0, proven_score: 4.0, ..default() }),
        "rises to established"
    );
    assert_eq!(judged(Scoring { recent_days: 40.0, established_score: 4.0, ..default() }), "stays");
    let hurt = bullet(
        Maturity::Established,
        vec![event(Signal::Helpful, 0.0, 1.0), event(Signal::Harmful, 0.0, 1.0)],
    );
    let hurt = |scoring: Scoring| words(verdict(&hurt, now(), &scoring));
    assert_eq!(hurt(default()), "stays");
    assert_eq!(hurt(Scoring { deprecated_events: 2, ..default() }), "falls by ratio");
    assert_eq!(hurt(Scoring { deprecated_events: 2, deprecated_ratio: 0.5, ..default() }), "stays");
    assert_eq!(hurt(Scoring { prune_harmful_threshold: 2.9, ..default() }), "falls by score");
    assert_eq!(hurt(Scoring { harmful_multiplier: 5.0, ..default() }), "falls by score");
    assert_eq!(hurt(Scoring { multipliers: [0.5, 1.1, 1.5], ..default() }), "falls by score");
}

prop_compose! {
    /// Up to 400 days old, or some days ahead.
    fn any_event()(signal in 0..3usize, days in prop_oneof![8 => 0.0..400.0, 1 => -50.0..0.0f64], weight in any_weight()) -> Feedback {
        event(SIGNALS[signal], days, weight)
    }
}

fn any_weight() -> impl Strategy<Value = f64> {
    prop_oneof![4 => Just(1.0), 4 => 0.0..1.0, 1 => any::<f64>()]
}

fn any_half_life() -> impl Strategy<Value = Option<f64>> {
    prop::option::of(prop_oneof![8 => 1.0..400.0, 1 => any::<f64>()])
}

prop_compose! {
    fn any_bullet()(
        maturity in prop::sample::select(Maturity::ALL), pinned: bool, half_life in any_half_life(),
        feedback in prop::collection::vec(any_event(), 0..12),
    ) -> Bullet {
        let mut bullet = Bullet { pinned, ..bullet(maturity, feedback) };
        bullet.fields.half_life_days = half_life;
        bullet
    }
}

/// What a verdict makes of a bullet.
fn follow(bullet: &Bullet, verdict: Verdict) -> Bullet {
    let maturity = match verdict {
        Verdict::Stays => bullet.maturity,
        Verdict::Rises(maturity) => maturity,
        Verdict::Falls(_) => Maturity::Deprecated,
    };
    Bullet { maturity, ..bullet.clone() }
}

fn score(bullet: &Bullet, days_on: f64) -> f64 {
    effective(bullet, now().minus_days(-days_on), &Scoring::default()).value()
}

/// Sums of many events differ in their last digits.
const SLACK: f64 = 1e-9;

proptest! {
    #[test]
    fn a_score_never_rises_with_age_while_nobody_harms(mut bullet in any_bullet(), on in 0.0..500.0f64, later in 0.0..500.0f64) {
        bullet.feedback.retain(|event| event.signal != Signal::Harmful);
        prop_assert!(score(&bullet, on + later) <= score(&bullet, on) + SLACK);
        prop_assert!(score(&bullet, on) >= 0.0);
    }

    #[test]
    fn no_score_moves_away_from_zero_with_age(mut bullet in any_bullet(), on in 0.0..500.0f64, later in 0.0..500.0f64) {
        // While an event is still to come it does not fade, and the others do.
        bullet.feedback.retain(|event| event.at <= now());
        prop_assert!(score(&bullet, on + later).abs() <= score(&bullet, on).abs() + SLACK);
    }

    #[test]
    fn a_half_life_halves_what_has_happened(mut bullet in any_bullet(), half_life in 1.0..400.0f64) {
        bullet.feedback.retain(|event| event.at <= now());
        bullet.fields.half_life_days = Some(half_life);
        // Instants have whole seconds.
        prop_assert!((score(&bullet, half_life) - score(&bullet, 0.0) / 2.0).abs() <= 1e-3);
    }

    #[test]
    fn one_harm_weighs_as_four_helps_of_its_age(mut bullet in any_bullet(), days in -10.0..400.0f64, weight in any_weight()) {
        let before = score(&bullet, 0.0);
        bullet.feedback.push(event(Signal::Harmful, days, weight));
        bullet.feedback.extend(vec![event(Signal::Helpful, days, weight); 4]);
        prop_assert!((score(&bullet, 0.0) - before).abs() <= SLACK);
    }

    #[test]
    fn help_never_lowers_harm_never_raises_and_the_irrelevant_moves_nothing(bullet in any_bullet(), days in -10.0..400.0f64, weight in any_weight()) {
        let before = score(&bullet, 0.0);
        let with = |signal| {
            let mut more = bullet.clone();
            more.feedback.push(event(signal, days, weight));
            more
        };
        prop_assert!(score(&with(Signal::Helpful), 0.0) >= before);
        prop_assert!(score(&with(Signal::Harmful), 0.0) <= before);
        let irrelevant = with(Signal::Irrelevant);
        prop_assert_eq!(score(&irrelevant, 0.0), before);
        let scoring = Scoring::default();
        prop_assert_eq!(verdict(&irrelevant, now(), &scoring), verdict(&bullet, now(), &scoring));
    }

    #[test]
    fn the_order_of_feedback_changes_no_verdict(bullet in any_bullet(), tenths in prop::collection::vec((0..2usize, 1..11u32), 0..30)) {
        // Tenths of today, whose sums lie on thresholds often.
        let mut one = Bullet { feedback: Vec::new(), ..bullet };
        one.feedback.extend(tenths.iter().map(|(signal, weight)| event(SIGNALS[*signal], 0.0, f64::from(*weight) / 10.0)));
        let mut other = one.clone();
        other.feedback.reverse();
        let scoring = Scoring::default();
        prop_assert_eq!(words(verdict(&one, now(), &scoring)), words(verdict(&other, now(), &scoring)));
    }

    #[test]
    fn a_pinned_bullet_never_falls_and_a_deprecated_one_stays(bullet in any_bullet()) {
        let scoring = Scoring::default();
        let pinned = Bullet { pinned: true, ..bullet.clone() };
        prop_assert!(!matches!(verdict(&pinned, now(), &scoring), Verdict::Falls(_)));
        let deprecated = Bullet { maturity: Maturity::Deprecated, ..bullet };
        prop_assert_eq!(verdict(&deprecated, now(), &scoring), Verdict::Stays);
        prop_assert_eq!(score(&deprecated, 0.0), 0.0);
    }

    #[test]
    fn a_verdict_that_was_followed_is_settled(bullet in any_bullet()) {
        let scoring = Scoring::default();
        let followed = follow(&bullet, verdict(&bullet, now(), &scoring));
        prop_assert_eq!(verdict(&followed, now(), &scoring), Verdict::Stays);
    }

    #[test]
    fn any_constants_and_instants_give_a_number(
        bullet in any_bullet(), numbers in prop::array::uniform12(any::<f64>()), events: usize, at: i64,
    ) {
        let [half_life_days, harmful_multiplier, prune_harmful_threshold, a, b, c, established_score, proven_score, proven_ratio, deprecated_ratio, recent_days, stale_days] = numbers;
        let scoring = Scoring {
            half_life_days, harmful_multiplier, prune_harmful_threshold, multipliers: [a, b, c], established_score, proven_score,
            proven_ratio, deprecated_ratio, recent_days, stale_days, deprecated_events: events, ..Scoring::default()
        };
        let at = Instant::from_unix(at);
        prop_assert!(effective(&bullet, at, &scoring).value().is_finite());
        prop_assert!(standing(&bullet, at, &scoring).value().is_finite());
        let _ = verdict(&bullet, at, &scoring);
    }
}
