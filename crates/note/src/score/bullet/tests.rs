//! Bullet scores and verdicts compared with a reference implementation, and properties for
//! arbitrary bullets.

use proptest::prelude::*;

use super::*;
use crate::graph::sample::note;

/// Expected values, written by `bullet-scores.py`.
const GOLDEN: &str = include_str!("../../../../../tests/golden/bullet-scores.tsv");

const NOW: i64 = 1_800_000_000;
const SIGNALS: [FeedbackSignal; 4] = FeedbackSignal::ALL;

fn now() -> Instant {
    Instant::from_unix(NOW)
}

fn bullet(maturity: Maturity, feedback: Vec<Feedback>) -> Bullet {
    let note = note("playbook/testing/a.md", "A");
    Bullet { maturity, feedback, ..Bullet::of(&note).unwrap() }
}

fn event(signal: FeedbackSignal, days_ago: f64, weight: f64) -> Feedback {
    Feedback { weight, ..Feedback::new(now().minus_days(days_ago), signal) }
}

/// Parses `3xhelpful@2026-01-01T00:00:00Z*0.5`.
fn events(text: &str) -> Vec<Feedback> {
    let (count, rest) = text.split_once('x').unwrap();
    let (signal, rest) = rest.split_once('@').unwrap();
    let (when, weight) = rest.split_once('*').unwrap();
    let signal = FeedbackSignal::of(signal).unwrap_or_else(|| panic!("{text}"));
    let one =
        Feedback { weight: weight.parse().unwrap(), ..Feedback::new(Instant::parse(when).unwrap(), signal) };
    vec![one; count.parse().unwrap()]
}

/// Puts each event into its own session.
fn in_sessions(mut feedback: Vec<Feedback>) -> Vec<Feedback> {
    for (event, number) in feedback.iter_mut().zip(0..) {
        event.session = Some(format!("s-{number}"));
    }
    feedback
}

/// Returns the verdict on a bullet; assumes that harm, if any, was just reported.
fn judged(bullet: &Bullet, scoring: &Scoring) -> MaturityChange {
    let harmed =
        bullet.feedback.iter().any(|event| event.signal == FeedbackSignal::Harmful && event.weight > 0.0);
    verdict(bullet.into(), bullet.maturity, harmed, scoring)
}

fn words(verdict: MaturityChange) -> String {
    match verdict {
        MaturityChange::Unchanged => "stays".to_owned(),
        MaturityChange::Promoted(maturity) => format!("rises to {}", maturity.name()),
        MaturityChange::Lowered(maturity) => format!("sinks to {}", maturity.name()),
        MaturityChange::Deprecated(DeprecationReason::Ratio { .. }) => "falls by ratio".to_owned(),
        MaturityChange::Deprecated(DeprecationReason::Score { .. }) => "falls by score".to_owned(),
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
        let feedback =
            in_sessions(feedback.split(';').filter(|run| !run.is_empty()).flat_map(events).collect());
        let mut bullet = bullet(Maturity::of(maturity).unwrap(), feedback);
        bullet.pinned = pinned == "true";
        bullet.fields.half_life_days = half_life.parse().ok();
        assert_eq!(bullet.fields.half_life_days.is_none(), half_life.is_empty(), "{case}");
        let (now, scoring) = (Instant::parse(now).unwrap(), Scoring::default());
        let found = effective(&bullet, now, &scoring).value();
        let score: f64 = score.parse().unwrap();
        assert!((found - score).abs() <= 1e-9 * score.abs().max(1e-12), "{case}: {found}");
        assert_eq!(words(judged(&bullet, &scoring)), expected, "{case}");
    }
}

#[test]
fn a_score_is_written_with_four_digits_and_kept_with_all() {
    let score = EffectiveScore::new(-1.234_567_8);
    assert_eq!(serde_json::to_string(&score).unwrap(), "-1.2346");
    assert_eq!((score.to_string().as_str(), score.value()), ("-1.2346", -1.234_567_8));
    for nothing in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, -0.000_01] {
        assert_eq!(serde_json::to_string(&EffectiveScore::new(nothing)).unwrap(), "0.0");
    }
}

#[test]
fn bands_end_where_they_say() {
    let band = |score| Band::of(EffectiveScore::new(score));
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
    silent.feedback =
        vec![event(FeedbackSignal::Irrelevant, 7.0, 1.0), event(FeedbackSignal::Helpful, 90.0, 1.0)];
    assert_eq!(silent_days(&silent, now()), 7.0);
    silent.feedback.push(event(FeedbackSignal::Helpful, -3.0, 1.0));
    assert_eq!(silent_days(&silent, now()), 0.0, "the future is no negative age");
}

#[test]
fn a_bullet_that_nobody_judged_stands_as_if_found_helpful_when_it_was_made() {
    let scoring = Scoring::default();
    let mut fresh = bullet(Maturity::Candidate, vec![event(FeedbackSignal::Irrelevant, 1.0, 1.0)]);
    fresh.created = Some(now().minus_days(90.0));
    assert_eq!(selection_score(&fresh, now(), &scoring).value(), 0.25);
    assert_eq!(effective(&fresh, now(), &scoring).value(), 0.0);
    fresh.feedback.push(event(FeedbackSignal::Harmful, 0.0, 1.0));
    assert_eq!(selection_score(&fresh, now(), &scoring), effective(&fresh, now(), &scoring));
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
    let rule = bullet(Maturity::Candidate, vec![event(FeedbackSignal::Helpful, 0.0, 1.0); 6]);
    let judge = |scoring: Scoring| words(judged(&rule, &scoring));
    let default = Scoring::default;
    assert_eq!(judge(default()), "rises to proven");
    assert_eq!(judge(Scoring { proven_score: 9.0, ..default() }), "rises to established");
    assert_eq!(judge(Scoring { proven_ratio: 0.0, ..default() }), "rises to established");
    assert_eq!(judge(Scoring { established_score: 4.0, ..default() }), "stays");
    let hurt = bullet(
        Maturity::Established,
        in_sessions(vec![
            event(FeedbackSignal::Helpful, 0.0, 1.0),
            event(FeedbackSignal::Harmful, 0.0, 0.5),
            event(FeedbackSignal::Harmful, 0.0, 0.5),
        ]),
    );
    let hurt = |scoring: Scoring| words(judged(&hurt, &scoring));
    assert_eq!(hurt(default()), "falls by ratio");
    assert_eq!(hurt(Scoring { deprecated_events: 4, ..default() }), "stays");
    assert_eq!(hurt(Scoring { deprecated_ratio: 0.5, ..default() }), "stays");
    let scored = |prune_harmful_threshold, harmful_multiplier| {
        hurt(Scoring { deprecated_events: 4, prune_harmful_threshold, harmful_multiplier, ..default() })
    };
    assert_eq!(scored(2.9, 4.0), "falls by score");
    assert_eq!(scored(3.0, 5.0), "falls by score");
}

#[test]
fn one_session_or_person_alone_retires_no_rule() {
    let scoring = Scoring::default();
    let harm = |author: Option<&str>, session: Option<&str>| Feedback {
        author: author.map(str::to_owned),
        session: session.map(str::to_owned),
        ..event(FeedbackSignal::Harmful, 0.0, 1.0)
    };
    let fallen = |feedback: Vec<Feedback>| {
        matches!(judged(&bullet(Maturity::Proven, feedback), &scoring), MaturityChange::Deprecated(_))
    };
    assert!(!fallen(vec![harm(None, Some("a")); 9]));
    assert!(!fallen(vec![harm(None, None); 9]), "one person on nine days");
    assert!(!fallen(vec![
        harm(Some("mara"), Some("a")),
        harm(Some("mara"), Some("b")),
        harm(Some("mara"), None)
    ]));
    assert!(fallen(vec![harm(None, Some("a")), harm(None, Some("b"))]));
    assert!(fallen(vec![harm(Some("mara"), None), harm(Some("juno"), None)]));
    let mut invented: Vec<Feedback> = (0..12).map(|n| harm(None, Some(&format!("invented-{n}")))).collect();
    invented.iter_mut().for_each(|event| event.weight = 0.0);
    assert!(!fallen(invented));
}

#[test]
fn what_a_person_validated_is_not_retired_by_the_harm_before() {
    let scoring = Scoring::default();
    let mut rule =
        bullet(Maturity::Candidate, in_sessions(vec![event(FeedbackSignal::Harmful, 10.0, 1.0); 3]));
    assert!(matches!(judged(&rule, &scoring), MaturityChange::Deprecated(_)));
    rule.fields.last_validated_at = Some(now().minus_days(9.0));
    assert_eq!(judged(&rule, &scoring), MaturityChange::Unchanged);
    rule.feedback.push(Feedback { session: Some("new".into()), ..event(FeedbackSignal::Harmful, 1.0, 1.0) });
    assert!(matches!(judged(&rule, &scoring), MaturityChange::Deprecated(_)));
}

#[test]
fn wasted_time_retires_and_forbids_nothing() {
    let scoring = Scoring::default();
    let harmed = |reason: Option<&str>| {
        let mut rule =
            bullet(Maturity::Proven, in_sessions(vec![event(FeedbackSignal::Harmful, 0.0, 1.0); 2]));
        rule.feedback.iter_mut().for_each(|event| event.reason = reason.map(str::to_owned));
        assert!(matches!(judged(&rule, &scoring), MaturityChange::Deprecated(_)));
        is_forbidden(&rule, rule.maturity, now(), &scoring)
    };
    assert!(harmed(None) && harmed(Some("caused_bug")));
    for reason in ["wasted_time", "wrong_context", "outdated"] {
        assert!(!harmed(Some(reason)), "{reason}");
    }
    let forbidden = |invert| {
        let harm = Feedback { invert, ..event(FeedbackSignal::Harmful, 0.0, 1.0) };
        is_forbidden(&bullet(Maturity::Proven, vec![harm]), Maturity::Proven, now(), &scoring)
    };
    assert_eq!([forbidden(false), forbidden(true)], [false, true]);
}

#[test]
fn one_person_retires_a_rule_by_stating_its_opposite_and_only_below_the_threshold() {
    let scoring = Scoring::default();
    let stated = |maturity, days| {
        let harm = Feedback { invert: true, ..event(FeedbackSignal::Harmful, days, 1.0) };
        bullet(maturity, vec![harm])
    };
    let is_score = |rule: &Bullet| {
        matches!(judged(rule, &scoring), MaturityChange::Deprecated(DeprecationReason::Score { .. }))
    };
    assert!(is_score(&stated(Maturity::Established, 0.0)), "-4 is below -3");
    assert!(!is_score(&stated(Maturity::Candidate, 0.0)), "-2 is not");
    let mut twice = stated(Maturity::Candidate, 1.0);
    twice.feedback.push(event(FeedbackSignal::Harmful, 0.0, 1.0));
    assert!(is_score(&twice));
    assert!(!is_score(&Bullet { pinned: true, ..twice.clone() }));
    let mut proven = stated(Maturity::Proven, 0.0);
    proven.feedback.extend(in_sessions(vec![event(FeedbackSignal::Helpful, 1.0, 1.0); 8]));
    assert!(!is_score(&proven), "help outweighs one word");
    let mut marked = stated(Maturity::Proven, 0.0);
    marked.feedback.insert(0, event(FeedbackSignal::Harmful, 0.1, 1.0));
    marked.feedback[1].weight = 0.0;
    assert!(is_score(&marked), "the second mark of a day has no weight, and states it all the same");
    let mut claimed = stated(Maturity::Established, 0.0);
    claimed.feedback[0].session = Some("s-1".into());
    assert!(!is_score(&claimed), "a session is no person");
}

prop_compose! {
    /// Age: up to 400 days, or up to 50 days in the future.
    fn any_event()(signal in 0..SIGNALS.len(), days in prop_oneof![8 => 0.0..400.0, 1 => -50.0..0.0f64], weight in any_weight()) -> Feedback {
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
        maturity in prop::sample::select(&Maturity::ALL[..]), pinned: bool, half_life in any_half_life(),
        feedback in prop::collection::vec(any_event(), 0..12),
    ) -> Bullet {
        let mut bullet = Bullet { pinned, ..bullet(maturity, feedback) };
        bullet.fields.half_life_days = half_life;
        bullet
    }
}

/// Events from a few sessions and people, so that voices repeat.
fn any_events() -> impl Strategy<Value = Vec<Feedback>> {
    let one = (any_event(), prop::option::of(0..4u8), prop::option::of(0..2u8));
    prop::collection::vec(one, 0..10).prop_map(|events| {
        let named = |(event, session, author): (Feedback, Option<u8>, Option<u8>)| Feedback {
            session: session.map(|n| format!("s-{n}")),
            author: author.map(|n| format!("p-{n}")),
            ..event
        };
        events.into_iter().map(named).collect()
    })
}

/// Applies a verdict to a bullet.
fn follow(bullet: &Bullet, verdict: MaturityChange) -> Bullet {
    let maturity = match verdict {
        MaturityChange::Unchanged => bullet.maturity,
        MaturityChange::Promoted(maturity) | MaturityChange::Lowered(maturity) => maturity,
        MaturityChange::Deprecated(_) => Maturity::Deprecated,
    };
    Bullet { maturity, ..bullet.clone() }
}

fn score(bullet: &Bullet, days_on: f64) -> f64 {
    effective(bullet, now().minus_days(-days_on), &Scoring::default()).value()
}

/// Tolerance for sums of many events.
const SLACK: f64 = 1e-9;

proptest! {
    #[test]
    fn a_score_never_rises_with_age_while_nobody_harms(mut bullet in any_bullet(), on in 0.0..500.0f64, later in 0.0..500.0f64) {
        bullet.feedback.retain(|event| event.signal != FeedbackSignal::Harmful);
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
        bullet.feedback.push(event(FeedbackSignal::Harmful, days, weight));
        bullet.feedback.extend(vec![event(FeedbackSignal::Helpful, days, weight); 4]);
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
        prop_assert!(score(&with(FeedbackSignal::Helpful), 0.0) >= before);
        prop_assert!(score(&with(FeedbackSignal::Harmful), 0.0) <= before);
        let scoring = Scoring::default();
        for signal in [FeedbackSignal::Irrelevant, FeedbackSignal::Ignored] {
            let more = with(signal);
            prop_assert_eq!(score(&more, 0.0), before);
            prop_assert_eq!(judged(&more, &scoring), judged(&bullet, &scoring));
        }
    }

    #[test]
    fn the_order_of_feedback_changes_no_verdict(bullet in any_bullet(), tenths in prop::collection::vec((0..2usize, 1..11u32), 0..30)) {
        // Tenths of today, whose sums lie on thresholds often.
        let mut one = Bullet { feedback: Vec::new(), ..bullet };
        one.feedback.extend(tenths.iter().map(|(signal, weight)| event(SIGNALS[*signal], 0.0, f64::from(*weight) / 10.0)));
        let mut other = one.clone();
        other.feedback.reverse();
        let scoring = Scoring::default();
        prop_assert_eq!(words(judged(&one, &scoring)), words(judged(&other, &scoring)));
    }

    #[test]
    fn a_pinned_bullet_never_falls_and_a_deprecated_one_stays(bullet in any_bullet()) {
        let scoring = Scoring::default();
        let pinned = Bullet { pinned: true, ..bullet.clone() };
        prop_assert!(!matches!(judged(&pinned, &scoring), MaturityChange::Deprecated(_) | MaturityChange::Lowered(_)));
        let deprecated = Bullet { maturity: Maturity::Deprecated, ..bullet };
        prop_assert_eq!(judged(&deprecated, &scoring), MaturityChange::Unchanged);
        prop_assert_eq!(score(&deprecated, 0.0), 0.0);
    }

    #[test]
    fn a_verdict_that_was_followed_is_settled(bullet in any_bullet()) {
        let scoring = Scoring::default();
        let calm = |bullet: &Bullet| verdict(bullet.into(), bullet.maturity, false, &scoring);
        let followed = follow(&bullet, calm(&bullet));
        prop_assert_eq!(calm(&followed), MaturityChange::Unchanged);
    }

    #[test]
    fn the_order_in_which_two_clones_merge_their_events_changes_nothing(
        common in any_events(), ours in any_events(), theirs in any_events(),
    ) {
        use crate::bullet::merge_feedback;
        let of = |first: &[Feedback], second: &[Feedback]| {
            let rule = bullet(Maturity::Candidate, merge_feedback(&merge_feedback(&common, first), second));
            replay((&rule).into(), Maturity::Candidate, &Scoring::default())
        };
        let (one, other) = (of(&ours, &theirs), of(&theirs, &ours));
        prop_assert_eq!((one.maturity, one.peak), (other.maturity, other.peak));
    }

    #[test]
    fn only_a_harmful_event_lowers_maturity(bullet in any_bullet(), weight in 0.0..1.0f64, invert: bool, other in any_events()) {
        let scoring = Scoring::default();
        let bullet = Bullet { feedback: [bullet.feedback.clone(), other].concat(), ..bullet };
        let before = replay((&bullet).into(), Maturity::Candidate, &scoring);
        let last = bullet.feedback.iter().map(|event| event.at).max().unwrap_or(now());
        for signal in [FeedbackSignal::Helpful, FeedbackSignal::Irrelevant, FeedbackSignal::Ignored] {
            let mut more = bullet.clone();
            more.feedback.push(Feedback { weight, invert, ..Feedback::new(last.max(now()).plus_second(), signal) });
            let after = replay((&more).into(), Maturity::Candidate, &scoring);
            let rank = |replay: &Replay| if replay.downfall.is_some() { None } else { Some(replay.maturity) };
            prop_assert!(rank(&after) >= rank(&before));
        }
    }

    #[test]
    fn maturity_is_a_function_of_the_events_and_not_of_their_order(
        events in any_events(), inverts in prop::collection::vec(any::<bool>(), 10), order in Just((0..10).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let events: Vec<Feedback> = events.into_iter().zip(inverts).map(|(event, invert)| Feedback { invert, ..event }).collect();
        let shuffled = order.iter().filter_map(|at| events.get(*at).cloned()).collect();
        let of = |events: Vec<Feedback>| replay((&bullet(Maturity::Candidate, events)).into(), Maturity::Candidate, &Scoring::default());
        let (one, other) = (of(events.clone()), of(shuffled));
        prop_assert_eq!((one.maturity, one.peak, one.downfall.is_some()), (other.maturity, other.peak, other.downfall.is_some()));
    }

    #[test]
    fn one_report_of_wasted_time_leaves_a_proven_rule_in_use(days in prop::collection::vec(0.0..25.0f64, 1..40)) {
        let scoring = Scoring::default();
        let mut rule = bullet(Maturity::Candidate, in_sessions(days.iter().map(|days| event(FeedbackSignal::Helpful, *days, 1.0)).collect()));
        rule.maturity = replay((&rule).into(), Maturity::Candidate, &scoring).maturity;
        prop_assume!(rule.maturity == Maturity::Proven);
        let reason = Some("wasted_time".to_owned());
        rule.feedback.push(Feedback { reason, session: Some("other".into()), ..event(FeedbackSignal::Harmful, 0.0, 1.0) });
        let after = follow(&rule, judged(&rule, &scoring));
        prop_assert!(after.maturity >= Maturity::Established && after.maturity != Maturity::Deprecated);
        prop_assert!(!is_forbidden(&after, after.maturity, now(), &scoring));
    }

    #[test]
    fn help_then_harm_then_help_leaves_a_rule(maturity in 0..3usize, days in prop::array::uniform3(0.0..200.0f64), weight in 0.1..1.0f64) {
        let scoring = Scoring::default();
        let mut days = days;
        days.sort_by(|a, b| b.total_cmp(a));
        let signals = [FeedbackSignal::Helpful, FeedbackSignal::Harmful, FeedbackSignal::Helpful];
        let events = signals.into_iter().zip(days).map(|(signal, days)| event(signal, days, weight)).collect();
        let rule = bullet(Maturity::ALL[maturity], in_sessions(events));
        prop_assert!(!matches!(judged(&rule, &scoring), MaturityChange::Deprecated(_)));
        prop_assert!(!is_forbidden(&rule, rule.maturity, now(), &scoring));
    }

    #[test]
    fn one_voice_deprecates_only_by_stating_the_opposite(bullet in any_bullet(), invert: bool) {
        let scoring = Scoring::default();
        let mut rule = bullet;
        rule.feedback.iter_mut().for_each(|event| (event.session, event.author, event.invert) = (None, Some("mara".into()), invert));
        let fallen = matches!(judged(&rule, &scoring), MaturityChange::Deprecated(_));
        prop_assert!(!fallen || invert);
        prop_assert!(!is_forbidden(&rule, rule.maturity, now(), &scoring) || invert);
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
        prop_assert!(selection_score(&bullet, at, &scoring).value().is_finite());
        let _ = judged(&bullet, &scoring);
        let _ = deprecation_reason(&bullet, at, &scoring);
    }
}
