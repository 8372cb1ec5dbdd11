//! Properties for arbitrary deltas.

use proptest::prelude::*;

use super::*;

/// Rules with few common words.
const RULES: [&str; 6] = [
    SUITE,
    JITTER,
    "Wrap every error with the path that it is about.",
    "Name numbers at a border with their unit.",
    "Migrate large tables in batches of a thousand rows.",
    "Log a request by its id and never by its body.",
];

fn any_playbook() -> impl Strategy<Value = Playbook> {
    let event = (0u32..200, 0..4usize, prop::option::of(0..3usize));
    let one = (prop::collection::vec(event, 0..5), any::<bool>(), 0..4usize);
    prop::collection::vec(one, 6).prop_map(|all| {
        let mut bullets = Vec::new();
        for ((events, pinned, maturity), (rule, name)) in all.into_iter().zip(RULES.into_iter().zip('a'..)) {
            let mut bullet = bullet(&format!("{name}"), rule);
            bullet.pinned = pinned;
            bullet.maturity = Maturity::ALL[maturity];
            bullet.feedback = events
                .into_iter()
                .map(|(day, signal, session)| Feedback {
                    session: session.map(|n| format!("s-{n}")),
                    ..Feedback::new(now().minus_days(f64::from(day)), FeedbackSignal::ALL[signal])
                })
                .collect();
            bullets.push(bullet);
        }
        playbook(bullets)
    })
}

fn any_delta() -> impl Strategy<Value = CurationDelta> {
    let id = || (0..7usize).prop_map(|n| format!("b-{}", ["a", "b", "c", "d", "e", "f", "nowhere"][n]));
    let rule = prop_oneof![
        4 => (0..6usize).prop_map(|n| RULES[n].to_owned()),
        4 => "[A-Z][a-z]{3,8}( [a-z]{3,9}){2,8}\\.",
        1 => ".{0,40}",
    ];
    prop_oneof![
        rule.clone().prop_map(|rule| add(&rule)),
        id().prop_map(|id| CurationDelta::Helpful(judge(&id))),
        id().prop_map(|id| CurationDelta::Harmful(judge(&id))),
        id().prop_map(|id| CurationDelta::Irrelevant(judge(&id))),
        (id(), rule.clone()).prop_map(|(id, content)| CurationDelta::Replace(ReplaceDelta {
            id,
            content,
            reason: None
        })),
        id().prop_map(|id| CurationDelta::Deprecate(DeprecateDelta { id, ..DeprecateDelta::default() })),
        (id(), id(), rule).prop_map(|(a, b, content)| CurationDelta::Merge(MergeDelta {
            ids: vec![a, b],
            content,
            reason: None
        })),
        id().prop_map(|id| CurationDelta::Pin(PinDelta { id, reason: None })),
        id().prop_map(|id| CurationDelta::Unpin(PinDelta { id, reason: None })),
    ]
}

fn any_sweep() -> impl Strategy<Value = SweepScope> {
    prop::sample::select(vec![SweepScope::Changed, SweepScope::Drafts, SweepScope::All])
}

fn any_asking() -> impl Strategy<Value = TestRequest> {
    (any::<bool>(), any_sweep()).prop_map(|(automation, sweep)| TestRequest {
        sweep,
        session: Some("s-9"),
        authority: if automation { Authority::Automation } else { Authority::Person },
        ..TestRequest::default()
    })
}

/// The bullets sorted by id.
fn sorted(playbook: &Playbook) -> Vec<Bullet> {
    let mut bullets = playbook.bullets.clone();
    bullets.sort_by(|a, b| a.id.cmp(&b.id));
    bullets
}

proptest! {
    #[test]
    fn the_same_input_gives_the_same_output(
        there in any_playbook(), deltas in prop::collection::vec(any_delta(), 0..8), asking in any_asking(),
    ) {
        prop_assert_eq!(asking.curate(&there, &deltas), asking.curate(&there, &deltas));
    }

    #[test]
    fn no_delta_deletes_a_bullet_or_a_word_of_feedback(
        there in any_playbook(), deltas in prop::collection::vec(any_delta(), 0..8), asking in any_asking(),
    ) {
        let after = asking.curate(&there, &deltas).playbook;
        for (old, new) in there.bullets.iter().zip(&after.bullets) {
            prop_assert_eq!(&old.id, &new.id);
            prop_assert_eq!(&old.path, &new.path);
            prop_assert!(new.feedback.starts_with(&old.feedback));
        }
        prop_assert!(after.bullets.len() >= there.bullets.len());
        // What is merged has every word of its parts, as often as any of them says it.
        for new in &after.bullets[there.bullets.len()..] {
            let merged = |at: &usize| {
                after.bullets[*at].fields.replaced_by.as_deref() == Some(new.id.as_str()) && !new.is_anti_pattern()
            };
            let parts = (0..there.bullets.len()).filter(merged).map(|at| &there.bullets[at]);
            for (part, event) in parts.flat_map(|part| part.feedback.iter().map(move |event| (part, event))) {
                let times = |bullet: &Bullet| bullet.feedback.iter().filter(|other| *other == event).count();
                prop_assert!(times(new) >= times(part), "{:?}", event);
            }
        }
    }

    #[test]
    fn a_pinned_bullet_never_changes_by_automation(
        there in any_playbook(), deltas in prop::collection::vec(any_delta(), 0..8), sweep in any_sweep(),
    ) {
        let asking = TestRequest { sweep, ..TestRequest::automation() };
        let after = asking.curate(&there, &deltas).playbook;
        for (old, new) in there.bullets.iter().zip(&after.bullets).filter(|(old, _)| old.pinned) {
            prop_assert_eq!(old, new);
        }
    }

    #[test]
    fn a_pinned_bullet_never_falls_by_its_score(there in any_playbook(), harm in 1..5usize) {
        let deltas: Vec<CurationDelta> = there
            .bullets
            .iter()
            .flat_map(|bullet| vec![CurationDelta::Harmful(judge(bullet.id.as_str())); harm])
            .collect();
        let asking = TestRequest { sweep: SweepScope::All, ..TestRequest::default() };
        let after = asking.curate(&there, &deltas).playbook;
        for (old, new) in there.bullets.iter().zip(&after.bullets).filter(|(old, _)| old.pinned) {
            prop_assert!(old.maturity <= new.maturity && (old.maturity == Maturity::Deprecated || new.maturity != Maturity::Deprecated));
        }
    }

    #[test]
    fn nothing_but_harm_lowers_or_inverts(there in any_playbook(), picks in prop::collection::vec((0..6usize, any::<bool>()), 0..8)) {
        let deltas: Vec<CurationDelta> = picks
            .iter()
            .map(|(at, helps)| {
                let judge = judge(there.bullets[*at].id.as_str());
                if *helps { CurationDelta::Helpful(judge) } else { CurationDelta::Irrelevant(judge) }
            })
            .collect();
        let report = TestRequest::default().curate(&there, &deltas).report;
        prop_assert!(report.demotions.is_empty() && report.inversions.is_empty());
    }

    #[test]
    fn a_sweep_lowers_nothing_that_nobody_harmed(mut there in any_playbook(), automation in any::<bool>()) {
        for bullet in &mut there.bullets {
            bullet.feedback.retain(|event| event.signal != FeedbackSignal::Harmful);
        }
        let authority = if automation { Authority::Automation } else { Authority::Person };
        let swept = TestRequest { sweep: SweepScope::All, authority, ..TestRequest::default() }.curate(&there, &[]);
        prop_assert!(swept.report.demotions.is_empty() && swept.report.inversions.is_empty());
    }

    #[test]
    fn an_inversion_needs_a_low_score_and_two_voices_or_a_persons_statement(
        there in any_playbook(), harms in prop::collection::vec((0..6usize, prop::option::of(0..3usize), any::<bool>()), 1..12),
    ) {
        let deltas: Vec<CurationDelta> = harms
            .iter()
            .map(|(at, session, invert)| {
                let session = session.map(|n| format!("s-{n}"));
                CurationDelta::Harmful(FeedbackDelta { session, invert: *invert, ..judge(there.bullets[*at].id.as_str()) })
            })
            .collect();
        let curated = TestRequest::default().curate(&there, &deltas);
        for inversion in &curated.report.inversions {
            let old = there.bullets.iter().find(|bullet| bullet.id.as_str() == inversion.from).unwrap();
            let new = curated.playbook.bullets.iter().find(|bullet| bullet.id == old.id).unwrap();
            prop_assert!(!old.pinned);
            let score = cm_note::score::bullet::tally(new, now(), &Scoring::default());
            let maturity = curated.report.demotions.iter().find(|step| step.id == inversion.from).unwrap().from;
            prop_assert!(score.score(maturity, &Scoring::default()).value() < -3.0);
            let harm = || new.feedback.iter().filter(|event| event.signal == FeedbackSignal::Harmful);
            let voices: std::collections::BTreeSet<_> = harm().map(|event| (&event.author, &event.session)).collect();
            prop_assert!(voices.len() >= 2 || harm().any(|event| event.invert && event.session.is_none()));
        }
    }

    #[test]
    fn a_session_says_it_once_however_often_its_deltas_come(
        there in any_playbook(), deltas in prop::collection::vec(any_delta(), 0..8), sweep in any_sweep(),
    ) {
        let asking = TestRequest { sweep, ..TestRequest::automation() };
        let once = asking.curate(&there, &deltas).playbook;
        let twice = asking.curate(&once, &deltas).playbook;
        // A later delta of the same file may have undone what an earlier one did, such as words that are replaced twice.
        let undoes = deltas.iter().any(|delta| matches!(delta, CurationDelta::Replace(_) | CurationDelta::Merge(_)));
        prop_assume!(!undoes);
        prop_assert_eq!(&once, &twice);
    }

    #[test]
    fn independent_deltas_may_come_in_any_order(
        there in any_playbook(), picks in prop::collection::vec(0..6usize, 1..6), seed in any::<u64>(), automation in any::<bool>(),
    ) {
        // Each about another bullet, or a new rule that is like no other.
        let mut deltas: Vec<CurationDelta> = Vec::new();
        for (at, pick) in picks.iter().enumerate() {
            let id = format!("b-{}", ["a", "b", "c", "d", "e", "f"][at]);
            deltas.push(match pick {
                0 => CurationDelta::Helpful(judge(&id)),
                1 => CurationDelta::Harmful(judge(&id)),
                2 => CurationDelta::Deprecate(DeprecateDelta { id, ..DeprecateDelta::default() }),
                3 => CurationDelta::Pin(PinDelta { id, reason: None }),
                4 => CurationDelta::Unpin(PinDelta { id, reason: None }),
                _ => add(["Alpha beta gamma delta.", "Epsilon zeta eta theta.", "Iota kappa lambda omicron.", "Sigma tau upsilon phi.", "Chi psi omega aleph.", "Bet gimel dalet waw."][at]),
            });
        }
        let authority = if automation { Authority::Automation } else { Authority::Person };
        let asking = TestRequest { authority, session: Some("s-9"), ..TestRequest::default() };
        let straight = asking.curate(&there, &deltas);
        let mut shuffled = deltas.clone();
        let mut state = seed;
        for at in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            shuffled.swap(at, (state >> 33) as usize % (at + 1));
        }
        prop_assert_eq!(sorted(&straight.playbook), sorted(&asking.curate(&there, &shuffled).playbook));
    }

    #[test]
    fn what_is_planned_is_what_was_curated(
        there in any_playbook(), deltas in prop::collection::vec(any_delta(), 0..8), asking in any_asking(),
    ) {
        use cm_note::note::compose;
        let texts: std::collections::HashMap<NotePath, String> =
            there.bullets.iter().map(|bullet| (bullet.path.clone(), compose::bullet(bullet))).collect();
        let after = asking.curate(&there, &deltas);
        let body = |path: &NotePath| Some(Split::of(&texts[path]).body().to_owned());
        let files = VaultFiles { body: &body, is_known: &|_| false, place: &|path, _| path.clone() };
        let mut written = texts.clone();
        for change in plan::changes(&there, &after, now(), &files) {
            match change {
                VaultFileChange::Edit { path, edits, .. } => {
                    let text = edit::apply(&texts[&path], &edits).unwrap();
                    written.insert(path, text);
                }
                VaultFileChange::Create { path, text } => prop_assert!(written.insert(path, text).is_none()),
                other => prop_assert!(false, "{:?}", other),
            }
        }
        for bullet in &after.playbook.bullets {
            let read = Bullet::of(&note(bullet.path.as_str(), &written[&bullet.path])).unwrap();
            prop_assert_eq!(&read, bullet);
        }
    }
}
