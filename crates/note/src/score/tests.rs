//! Decay scores compared with a reference implementation, and properties for arbitrary notes.

use proptest::prelude::*;

use super::*;
use crate::graph::sample::note;

/// Expected values, written by `decay.py`.
const GOLDEN: &str = include_str!("../../../../tests/golden/decay.tsv");

fn at(text: &str) -> Option<Instant> {
    (!text.is_empty()).then(|| Instant::parse(text).unwrap())
}

fn event(text: &str) -> Feedback {
    let (signal, rest) = text.split_once('@').unwrap();
    let (when, weight) = rest.split_once('*').unwrap();
    let signal = match signal {
        "helpful" => FeedbackSignal::Helpful,
        "harmful" => FeedbackSignal::Harmful,
        _ => FeedbackSignal::Irrelevant,
    };
    Feedback { weight: weight.parse().unwrap(), ..Feedback::new(Instant::parse(when).unwrap(), signal) }
}

#[test]
fn scores_and_status_are_those_of_the_definition() {
    let now = Instant::parse("2026-11-21T12:00:00Z").unwrap();
    let cases: Vec<&str> = GOLDEN.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(cases.len() >= 30);
    for case in cases {
        let columns: Vec<&str> = case.split('\t').collect();
        let [importance, weight, accesses, last, updated, created, priority, pinned, feedback, score, status] =
            columns[..]
        else {
            panic!("{case}");
        };
        let note = Note {
            importance: importance.parse().ok(),
            updated: at(updated),
            created: at(created),
            priority: match priority {
                "ephemeral" => Some(Priority::Ephemeral),
                "critical" => Some(Priority::Critical),
                "moderate" => Some(Priority::Moderate),
                _ => None,
            },
            pinned: pinned == "true",
            feedback: feedback.split(';').filter(|event| !event.is_empty()).map(event).collect(),
            ..note("graph/facts/a.md", "A")
        };
        let usage = AccessStatistics { accesses: accesses.parse().unwrap(), last_access: at(last) };
        let scoring = Scoring::default();
        let found = decay(&note, &usage, weight.parse().unwrap(), now, &scoring);
        let expected: f64 = score.parse().unwrap();
        assert!((found.value() - expected).abs() <= 1e-9 * expected.max(1.0), "{case}: {}", found.value());
        let name = serde_json::to_value(DecayStatus::of(found, &scoring)).unwrap();
        assert_eq!(name, status, "{case}");
    }
}

#[test]
fn a_score_is_written_with_four_digits_and_kept_with_all() {
    let score = DecayScore::new(0.123_456_789);
    assert_eq!(serde_json::to_string(&score).unwrap(), "0.1235");
    assert_eq!((score.to_string().as_str(), score.value()), ("0.1235", 0.123_456_789));
    for nonsense in [f64::NAN, f64::INFINITY, -1.0, -0.0] {
        assert_eq!(serde_json::to_string(&DecayScore::new(nonsense)).unwrap(), "0.0");
    }
}

#[test]
fn settings_that_make_no_sense_act_as_their_defaults() {
    let now = Instant::parse("2026-11-21").unwrap();
    let note = Note {
        created: at("2026-10-01"),
        priority: Some(Priority::Critical),
        feedback: vec![event("harmful@2026-10-01*1")],
        ..note("graph/facts/a.md", "A")
    };
    let of = |scoring: &Scoring| decay(&note, &AccessStatistics::default(), 1.0, now, scoring);
    let expected = of(&Scoring::default());
    for nonsense in [f64::NAN, f64::INFINITY, -1.0] {
        let scoring = Scoring {
            lambda: nonsense,
            half_life_days: nonsense,
            priority_factor: nonsense,
            unused: if nonsense < 0.0 { 0.5 } else { nonsense },
            ..Scoring::default()
        };
        assert_eq!(of(&scoring), expected, "{nonsense}");
    }
    assert_eq!(of(&Scoring { half_life_days: 0.0, ..Scoring::default() }), expected);
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![8 => 0.0..1.0, 1 => any::<f64>()]
}

fn any_instant() -> impl Strategy<Value = Instant> {
    prop_oneof![8 => 1_600_000_000i64..2_000_000_000, 1 => any::<i64>()].prop_map(Instant::from_unix)
}

prop_compose! {
    fn any_note()(
        importance in prop::option::of(any_number()),
        updated in prop::option::of(any_instant()),
        created in prop::option::of(any_instant()),
        priority in prop::option::of(prop::sample::select(vec![Priority::Critical, Priority::Moderate, Priority::Ephemeral])),
        events in prop::collection::vec((any_instant(), 0..3, any_number()), 0..4),
    ) -> Note {
        let signals = [FeedbackSignal::Helpful, FeedbackSignal::Harmful, FeedbackSignal::Irrelevant];
        let feedback = events.into_iter().map(|(at, signal, weight)| Feedback { weight, ..Feedback::new(at, signals[signal as usize]) }).collect();
        Note { importance, updated, created, priority, feedback, ..note("graph/facts/a.md", "A") }
    }
}

proptest! {
    #[test]
    fn a_score_never_rises_with_age_while_nobody_harms(
        mut note in any_note(), accesses in 0u64..50, last in prop::option::of(any_instant()),
        weight in 0.1f64..2.0, now in any_instant(), later in 0i64..100_000_000,
    ) {
        note.feedback.retain(|event| event.signal != FeedbackSignal::Harmful);
        let usage = AccessStatistics { accesses, last_access: last };
        let then = Instant::from_unix(now.unix().saturating_add(later));
        let scoring = Scoring::default();
        prop_assert!(decay(&note, &usage, weight, then, &scoring) <= decay(&note, &usage, weight, now, &scoring));
    }

    #[test]
    fn a_score_is_never_negative_or_more_than_its_use_allows(
        note in any_note(), accesses in any::<u64>(), weight in any::<f64>(), now in any_instant(),
    ) {
        let score = decay(&note, &AccessStatistics { accesses, last_access: None }, weight, now, &Scoring::default()).value();
        let most = if weight.is_finite() && weight >= 0.0 { weight } else { 1.0 };
        prop_assert!(score >= 0.0 && (score <= most * 65.0 || score == 0.0));
    }

    #[test]
    fn harm_never_raises_and_use_never_lowers_a_score(
        note in any_note(), accesses in 0u64..1000, weight in 0.1f64..2.0, now in any_instant(), harmed in any_instant(),
    ) {
        let scoring = Scoring::default();
        let score = |note: &Note, accesses| decay(note, &AccessStatistics { accesses, last_access: None }, weight, now, &scoring);
        let mut hurt = note.clone();
        hurt.feedback.push(Feedback::new(harmed, FeedbackSignal::Harmful));
        prop_assert!(score(&hurt, accesses) <= score(&note, accesses));
        prop_assert!(score(&note, accesses + 1) >= score(&note, accesses));
    }

    #[test]
    fn harm_fades_until_it_is_forgotten(accesses in 0u64..10, weight in 0.0f64..1.0) {
        let now = Instant::from_unix(1_800_000_000);
        let scoring = Scoring { lambda: 0.0, ..Scoring::default() };
        let score = |days: f64| {
            let harm = Feedback { weight, ..Feedback::new(now.minus_days(days), FeedbackSignal::Harmful) };
            decay(&Note { feedback: vec![harm], ..note("a.md", "A") }, &AccessStatistics { accesses, last_access: None }, 1.0, now, &scoring)
        };
        prop_assert!(score(0.0) <= score(45.0) && score(45.0) <= score(360.0));
        let unharmed = decay(&note("a.md", "A"), &AccessStatistics { accesses, last_access: None }, 1.0, now, &scoring);
        prop_assert!((score(90_000.0).value() - unharmed.value()).abs() < 1e-9);
    }
}
