//! Tests of feedback and its consequences.

use super::*;
use crate::curation::apply::PERSONS_ONLY;

#[test]
fn help_promotes_and_harm_inverts() {
    let mut there = playbook(vec![bullet("a", JITTER)]);
    for day in 1..=4 {
        there.bullets[0]
            .feedback
            .push(Feedback::new(now().minus_days(f64::from(day)), FeedbackSignal::Helpful));
    }
    let risen = TestRequest::default().curate(&there, &[CurationDelta::Helpful(judge("b-a"))]);
    assert_eq!(risen.playbook.bullets[0].maturity, Maturity::Established);
    assert_eq!(risen.report.promotions.len(), 1);
    let fallen = TestRequest::default().curate(&risen.playbook, &harms(3, "caused_bug"));
    let [old, anti] = &fallen.playbook.bullets[..] else { panic!("{:?}", fallen.playbook) };
    assert_eq!((old.maturity, old.state), (Maturity::Deprecated, BulletState::Retired));
    assert_eq!(old.fields.replaced_by.as_deref(), Some(anti.id.as_str()));
    assert_eq!(anti.content(), format!("AVOID: {JITTER}"));
    assert_eq!((anti.bullet_type, anti.state), (BulletType::AntiPattern, BulletState::Active));
    assert_eq!(
        (anti.maturity, &anti.tags),
        (Maturity::Candidate, &vec!["inverted".into(), "anti-pattern".into()])
    );
    assert_eq!((fallen.report.demotions.len(), fallen.report.inversions.len()), (1, 1));
    assert_eq!(old.feedback.len(), 8, "equal words of one second are several all the same");
}

#[test]
fn a_warning_that_did_harm_is_ended_and_not_inverted() {
    let mut warning = bullet("a", "AVOID: retrying anything at all in the client.");
    warning.bullet_type = BulletType::AntiPattern;
    let fallen = TestRequest::default().curate(&playbook(vec![warning]), &harms(2, "caused_bug"));
    assert_eq!((fallen.report.demotions.len(), fallen.report.inversions.len()), (1, 0));
}

#[test]
fn a_helpful_mark_never_makes_a_prohibition() {
    let mut there = playbook(vec![bullet("a", JITTER)]);
    let on = |day: u32, there: &Playbook, delta: CurationDelta| {
        let now = now().minus_days(f64::from(10 - day));
        TestRequest { now, ..TestRequest::default() }.curate(there, &[delta])
    };
    for (day, delta) in [
        (1, CurationDelta::Helpful(judge("b-a"))),
        (2, CurationDelta::Harmful(judge("b-a"))),
        (3, CurationDelta::Helpful(judge("b-a"))),
    ] {
        let curated = on(day, &there, delta);
        assert_eq!((curated.report.demotions.len(), curated.playbook.bullets.len()), (0, 1), "day {day}");
        there = curated.playbook;
    }
    let mut old = playbook(vec![bullet("a", JITTER)]);
    old.bullets[0].maturity = Maturity::Proven;
    let helped =
        (0..6).map(|day| Feedback::new(now().minus_days(400.0 + f64::from(day)), FeedbackSignal::Helpful));
    old.bullets[0].feedback.extend(helped);
    let harmed = TestRequest::default().curate(&old, &harms(1, "wasted_time"));
    assert_eq!((harmed.playbook.bullets.len(), harmed.report.inversions.len()), (1, 0));
    assert_eq!(harmed.playbook.bullets[0].maturity, Maturity::Established, "one step down");
    assert_eq!(harmed.playbook.bullets[0].state, BulletState::Active);
}

#[test]
fn wasted_time_retires_a_rule_and_forbids_nothing() {
    let there = playbook(vec![bullet("a", JITTER)]);
    let retired = TestRequest::default().curate(&there, &harms(3, "wasted_time"));
    assert_eq!((retired.report.demotions.len(), retired.report.inversions.len()), (1, 0));
    assert_eq!(retired.playbook.bullets[0].state, BulletState::Retired);
}

#[test]
fn one_person_forbids_a_rule_only_by_saying_so() {
    let mut there = playbook(vec![bullet("a", JITTER)]);
    there.bullets[0].feedback.extend([Feedback::new(now().minus_days(2.0), FeedbackSignal::Harmful)]);
    let marked = |invert: bool, there: &Playbook| {
        let judge = FeedbackDelta { invert, session: Some("s-1".into()), ..judge("b-a") };
        TestRequest::default().curate(there, &[CurationDelta::Harmful(judge)]).report
    };
    assert_eq!(marked(false, &there).inversions.len(), 1, "two voices");
    there.bullets[0].feedback.clear();
    assert_eq!(marked(true, &there).inversions.len(), 0, "its score is not below the threshold");
    there.bullets[0].maturity = Maturity::Established;
    let alone = |invert: bool| {
        let judge = FeedbackDelta { invert, ..judge("b-a") };
        TestRequest::default().curate(&there, &[CurationDelta::Harmful(judge)])
    };
    assert_eq!(alone(false).report.demotions.len(), 1, "one step down");
    assert_eq!(alone(false).report.inversions.len(), 0);
    let stated = alone(true);
    assert_eq!(stated.report.inversions.len(), 1, "-4 is below -3, and a person states the opposite");
    assert!(stated.playbook.bullets[0].feedback[0].invert, "the file says so");
    there.bullets[0].pinned = true;
    let invert = CurationDelta::Harmful(FeedbackDelta { invert: true, ..judge("b-a") });
    let pinned = TestRequest::default().curate(&there, &[invert]);
    assert_eq!(pinned.report.inversions.len(), 0, "a pinned rule never falls");
    there.bullets[0].pinned = false;
    let refused = TestRequest::automation();
    let invert = FeedbackDelta { invert: true, ..judge("b-a") };
    assert_eq!(codes(&refused.curate(&there, &[CurationDelta::Harmful(invert)])), [PERSONS_ONLY]);
}

#[test]
fn what_forbids_is_inverted_to_the_plain_statement_as_a_draft() {
    let there = playbook(vec![bullet("a", "Never retry a failed upload on your own.")]);
    let fallen = TestRequest::default().curate(&there, &harms(2, "caused_bug"));
    let plain = &fallen.playbook.bullets[1];
    assert_eq!(plain.content(), "Retry a failed upload on your own.");
    assert_eq!((plain.bullet_type, plain.state), (BulletType::Rule, BulletState::Draft));
    assert_eq!(plain.tags, ["inverted"]);
    let there = playbook(vec![bullet("a", "Use tabs, unless the file has spaces.")]);
    let fallen = TestRequest::default().curate(&there, &harms(2, "caused_bug"));
    assert_eq!(fallen.playbook.bullets[1].state, BulletState::Draft, "the wording is unsure");
}

#[test]
fn events_of_sessions_that_nobody_has_seen_count_for_nothing() {
    let there = playbook(vec![bullet("a", JITTER)]);
    let unseen = TestRequest { history: Box::new(EmptyHistory), ..TestRequest::default() };
    let curated = unseen.curate(&there, &harms(12, "caused_bug"));
    assert_eq!((curated.report.demotions.len(), curated.playbook.bullets.len()), (0, 1));
    let bullet = &curated.playbook.bullets[0];
    assert!(bullet.feedback.len() == 12 && bullet.feedback.iter().all(|event| event.weight == 0.0));
    assert_eq!(
        curated.report.applied[0].note.as_deref(),
        Some("stored without weight: its session is unknown here")
    );
}

#[test]
fn a_person_without_a_session_counts_once_a_day() {
    let there = playbook(vec![bullet("a", JITTER)]);
    let twice =
        TestRequest::default().curate(&there, &vec![CurationDelta::Helpful(judge("b-a")); 2]).playbook;
    let weights: Vec<f64> = twice.bullets[0].feedback.iter().map(|event| event.weight).collect();
    assert_eq!(weights, [1.0, 0.0]);
    let tomorrow = TestRequest { now: now().minus_days(-1.0), ..TestRequest::default() };
    let third = tomorrow.curate(&twice, &[CurationDelta::Helpful(judge("b-a"))]).playbook;
    assert_eq!(third.bullets[0].feedback[2].weight, 1.0);
}

#[test]
fn a_draft_is_admitted_when_its_evidence_grows() {
    let draft = |rule: &str| {
        let mut draft = bullet("a", rule);
        draft.state = BulletState::Draft;
        draft.fields.sources =
            vec![cm_note::bullet::SessionSource { session: "s-0".into(), agent: None, line: None }];
        draft
    };
    let helpful = |session: &str| {
        CurationDelta::Helpful(FeedbackDelta { session: Some(session.into()), ..judge("b-a") })
    };
    let agent = TestRequest { authority: Authority::Automation, ..TestRequest::default() };
    let there = playbook(vec![draft(SUITE)]);
    let one = agent.curate(&there, &[helpful("s-1")]);
    assert_eq!((one.playbook.bullets[0].state, one.report.activations.len()), (BulletState::Draft, 0));
    let two = agent.curate(&one.playbook, &[helpful("s-2")]);
    assert_eq!(two.playbook.bullets[0].state, BulletState::Active);
    assert_eq!(two.report.activations[0].reason, "2 further sessions found it helpful");
    let own = agent.curate(&there, &[helpful("s-0"), helpful("s-1")]);
    assert_eq!(own.playbook.bullets[0].state, BulletState::Draft, "its own session is no further one");
    let person = TestRequest::default().curate(&there, &[CurationDelta::Helpful(judge("b-a"))]);
    assert_eq!(person.report.activations[0].reason, "a person found it helpful");
    let evidence =
        StaticHistory(SessionCounts { sessions: 3, successes: 3, failures: 0, quotes: Vec::new() });
    let sessions = TestRequest { history: Box::new(evidence), ..TestRequest::automation() };
    assert_eq!(sessions.curate(&there, &[helpful("s-1")]).playbook.bullets[0].state, BulletState::Active);
    let harmed = TestRequest::default()
        .curate(&there, &[CurationDelta::Harmful(judge("b-a")), helpful("s-1"), helpful("s-2")]);
    assert_eq!(harmed.playbook.bullets[0].state, BulletState::Draft, "somebody said no");
    let opposed = playbook(vec![draft("Never run the whole suite before you push."), bullet("b", SUITE)]);
    let person = TestRequest::default().curate(&opposed, &[CurationDelta::Helpful(judge("b-a"))]);
    assert_eq!(person.playbook.bullets[0].state, BulletState::Draft, "it contradicts a rule in use");
}

#[test]
fn a_draft_that_contradicts_makes_no_draft_of_a_rule_that_is_restated() {
    let mut draft = bullet("b", "Never run the whole suite before you push.");
    draft.state = BulletState::Draft;
    let there = playbook(vec![bullet("a", SUITE), draft]);
    let again = TestRequest::default().curate(&there, &[add("Before you push, run the whole suite")]);
    assert_eq!(codes(&again), ["near-duplicate"]);
    assert_eq!(again.playbook.bullets.len(), 2);
    let note = again.playbook.bullets[0].feedback[0].note.as_deref();
    assert_eq!(note, Some("proposed again: Before you push, run the whole suite"), "its text is kept");
    let more =
        TestRequest::default().curate(&there, &[add("Always run the whole suite before you push to main.")]);
    assert_eq!(more.playbook.bullets[2].state, BulletState::Active);
    assert!(!more.report.conflicts.is_empty());
}

#[test]
fn what_is_only_near_is_stored_with_its_neighbour_listed() {
    let there =
        playbook(vec![bullet("a", "Keep at most five connections open to the gauge gateway at any time.")]);
    let added = TestRequest::default()
        .curate(&there, &[add("Keep at most nine connections open to the gauge gateway at any time.")]);
    assert_eq!(added.playbook.bullets.len(), 2);
    assert!(added.playbook.bullets[0].feedback.is_empty());
}

#[test]
fn a_long_rule_is_inverted_within_the_length_of_a_rule() {
    let rule = "Use words. ".repeat(45);
    let warning = crate::curation::consequences::warning(rule.trim());
    assert!(warning.chars().count() <= 500 && warning.starts_with("AVOID: Use") && warning.ends_with('…'));
    let word = crate::curation::consequences::warning(&"x".repeat(500));
    assert!(word.chars().count() <= 500);
}

#[derive(Debug)]
struct ShownBefore(Instant);

impl RuleEvidenceSource for ShownBefore {
    fn evidence(&self, _: &str) -> SessionCounts {
        SessionCounts::default()
    }

    fn has_seen(&self, _: &str) -> bool {
        true
    }

    fn was_shown(&self, _: &str, rule: &str, before: Instant) -> bool {
        rule == "b-a" && self.0 < before
    }
}

#[test]
fn a_person_who_repeats_a_rule_that_was_shown_marks_it_as_ignored() {
    let there = playbook(vec![bullet("a", SUITE)]);
    let again = |session: &str, days: f64, is_stated: bool| {
        let CurationDelta::Add(mut add) = add(SUITE) else { unreachable!() };
        add.session = Some(session.to_owned());
        let quote = "run the whole suite!".to_owned();
        add.stated = is_stated.then(|| StatedRule { at: now().minus_days(days), quote });
        CurationDelta::Add(add)
    };
    let shown =
        || TestRequest { history: Box::new(ShownBefore(now().minus_days(2.0))), ..TestRequest::automation() };
    let signals = |curated: &CurationResult| -> Vec<FeedbackSignal> {
        curated.playbook.bullets[0].feedback.iter().map(|event| event.signal).collect()
    };
    let ignored = shown().curate(&there, &[again("s-1", 1.0, true), again("s-1", 0.5, true)]);
    assert_eq!(signals(&ignored), [FeedbackSignal::Ignored], "once a session");
    let event = &ignored.playbook.bullets[0].feedback[0];
    assert_eq!((event.at, event.note.as_deref()), (now().minus_days(1.0), Some("run the whole suite!")));
    assert_eq!(
        signals(&shown().curate(&ignored.playbook, &[again("s-1", 3.0, true)])).len(),
        1,
        "nor credited later"
    );
    assert_eq!(
        signals(&shown().curate(&there, &[again("s-1", 3.0, true)])),
        [FeedbackSignal::Helpful],
        "shown afterwards"
    );
    assert_eq!(
        signals(&shown().curate(&there, &[again("s-1", 1.0, false)])),
        [FeedbackSignal::Helpful],
        "no person"
    );
    let mut draft = there.clone();
    draft.bullets[0].state = BulletState::Draft;
    assert_eq!(
        signals(&shown().curate(&draft, &[again("s-1", 1.0, true)])),
        [FeedbackSignal::Helpful],
        "a draft is not shown"
    );
}
