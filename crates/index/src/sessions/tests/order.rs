//! Property tests: results do not depend on the order or batching of events.

use proptest::prelude::*;

use super::sample_session::{AT_ONCE, SampleSession, agent, person, redacted, seen, tool};
use crate::sessions::{ParseCounts, RedactedEvent, SessionStoreWriter, Sessions};
use cm_session::event::SessionEvent;

fn event() -> impl Strategy<Value = SessionEvent> {
    let text = "(socket |timeout |connection reset |retry |größe |SocketTimeout |\n){1,9}";
    (0u64..12, 0u32..2, 0..3, text, any::<bool>()).prop_map(|(line, part, who, text, timed)| {
        let event = match who {
            0 => person(line, &text),
            1 => agent(line, &text),
            _ => tool(line, &text),
        };
        SessionEvent { part, at: event.at.filter(|_| timed), ..event }
    })
}

/// Indexes distinct events in the given order, some of them twice, with commits in between, and
/// returns everything the index answers.
fn index(events: &[(usize, SessionEvent)], order: &[usize], twice: &[bool], steps: &[bool]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    let talks: Vec<SampleSession> =
        (0..3).map(|n| SampleSession::new(&format!("s{n}"), vec![person(7, "x")])).collect();
    for at in order {
        let (session, event) = &events[*at];
        let told = RedactedEvent::of(event, redacted);
        let times = if twice[*at] { 2 } else { 1 };
        (0..times).for_each(|_| writer.event(&talks[*session].key(), &told).unwrap());
        if steps[*at] {
            writer.commit().unwrap();
        }
    }
    for talk in &talks {
        writer.meta(&talk.meta, None, &talk.log()).unwrap();
        writer.read(&talk.log(), "0".into(), ParseCounts::default(), true).unwrap();
    }
    writer.finish().unwrap();
    // How far a session was told is told apart from what was told.
    let seen = seen(&Sessions::open(folder.path())).unwrap();
    seen.lines().map(|line| format!("{line}\n")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn order_and_steps_never_change_what_is_found(
        events in proptest::collection::vec((0usize..3, event()), 1..25),
        seed in proptest::collection::vec((any::<u32>(), any::<bool>(), any::<bool>()), 25),
    ) {
        let mut events = events;
        events.sort_by_key(|(session, event)| (*session, event.line, event.part));
        events.dedup_by_key(|(session, event)| (*session, event.line, event.part));
        let plain: Vec<usize> = (0..events.len()).collect();
        let mut shuffled = plain.clone();
        shuffled.sort_by_key(|at| seed[*at].0);
        let never = vec![false; events.len()];
        let twice: Vec<bool> = seed.iter().map(|(_, twice, _)| *twice).collect();
        let steps: Vec<bool> = seed.iter().map(|(_, _, step)| *step).collect();
        let expected = index(&events, &plain, &never, &never);
        prop_assert_eq!(index(&events, &shuffled, &never, &never), expected.clone());
        prop_assert_eq!(index(&events, &plain, &twice, &steps), expected.clone());
        prop_assert_eq!(index(&events, &shuffled, &twice, &steps), expected);
    }
}
