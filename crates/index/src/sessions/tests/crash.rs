//! After a crash, the next run neither loses nor duplicates an event.

use proptest::prelude::*;

use super::sample_session::{AT_ONCE, SampleSession, agent, person, seen, told, tool};
use crate::sessions::{RedactedEvent, SessionStoreWriter, Sessions};

fn talks() -> Vec<SampleSession> {
    let said = |id: u64, line| match (id + line) % 3 {
        0 => person(line, &format!("the socket timeout {id} {line}")),
        1 => agent(line, "retry the connection reset"),
        _ => tool(line, "retrying the socket"),
    };
    (0..3)
        .map(|id| SampleSession::new(&format!("s{id}"), (1..6).map(|line| said(id, line)).collect()))
        .collect()
}

/// Continues reading at the stored cursor, like a real caller. Simulates a crash after `until`
/// events by returning `false`.
fn run(
    writer: &mut SessionStoreWriter,
    talks: &[SampleSession],
    until: &mut usize,
    step_after_each: bool,
) -> bool {
    for talk in talks {
        let read = writer.log(&talk.log()).unwrap().map_or(0, |log| log.cursor.parse::<usize>().unwrap());
        if read == 0 {
            writer.clear_events(&talk.key()).unwrap();
        }
        for event in &talk.events[read..] {
            if *until == 0 {
                return false;
            }
            *until -= 1;
            writer.event(&talk.key(), &RedactedEvent::of(event, super::sample_session::redacted)).unwrap();
        }
        talk.go_on(writer, talk.events.len());
        if step_after_each {
            writer.commit().unwrap();
        }
    }
    true
}

/// Returns everything the index answers except the record counts, which depend on where readings
/// ended.
fn plain(sessions: &Sessions) -> String {
    let seen = seen(sessions).unwrap();
    seen.lines().filter(|line| !line.contains("records:")).map(|line| format!("{line}\n")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn killed_anywhere_and_run_again_all_is_there_once(kills in proptest::collection::vec((0usize..16, any::<bool>(), any::<bool>()), 0..4)) {
        let talks = talks();
        let folder = tempfile::tempdir().unwrap();
        for (mut until, step_after_each, grown) in kills {
            let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
            let shown: Vec<SampleSession> = match grown {
                true => talks.clone(),
                false => talks.iter().map(|talk| SampleSession::new(talk.meta.id.as_str(), talk.events[..3].to_vec())).collect(),
            };
            // A run over logs that have shrunk does not happen: what was read stays read.
            let shown: Vec<SampleSession> = shown.into_iter().zip(&talks).map(|(shown, whole)| {
                let read = writer.log(&whole.log()).unwrap().map_or(0, |log| log.cursor.parse::<usize>().unwrap());
                if read > shown.events.len() { whole.clone() } else { shown }
            }).collect();
            run(&mut writer, &shown, &mut until, step_after_each);
            drop(writer);
        }
        let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
        let whole = run(&mut writer, &talks, &mut { usize::MAX }, false);
        prop_assert!(whole);
        writer.finish().unwrap();
        let once = tempfile::tempdir().unwrap();
        let expected = told(once.path(), &talks);
        prop_assert_eq!(plain(&Sessions::open(folder.path())), plain(&expected));
    }
}

#[test]
fn a_connector_that_fails_half_way_and_begins_again_tells_nothing_twice() {
    let talks = talks();
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    for event in &talks[0].events[..3] {
        writer.event(&talks[0].key(), &RedactedEvent::of(event, super::sample_session::redacted)).unwrap();
    }
    // The step keeps what was told, with no word of the log having been read.
    writer.commit().unwrap();
    drop(writer);
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    assert_eq!(writer.log(&talks[0].log()).unwrap(), None);
    talks[0].go_on(&mut writer, 0);
    writer.finish().unwrap();
    let said = Sessions::open(folder.path()).stretches(&talks[0].key(), 0..=9, 0, 99).unwrap();
    assert_eq!(said.len(), 5);
}

#[test]
fn a_log_whose_reading_fails_is_read_from_its_beginning() {
    let talks = talks();
    let folder = tempfile::tempdir().unwrap();
    told(folder.path(), &talks);
    let expected = plain(&Sessions::open(folder.path()));
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    // The log was rewritten, and cannot be read further than this.
    writer.clear_events(&talks[0].key()).unwrap();
    writer
        .event(&talks[0].key(), &RedactedEvent::of(&talks[0].events[0], super::sample_session::redacted))
        .unwrap();
    writer.forget_log(&talks[0].log());
    writer.finish().unwrap();
    assert_ne!(plain(&Sessions::open(folder.path())), expected);
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    run(&mut writer, &talks, &mut { usize::MAX }, false);
    writer.finish().unwrap();
    assert_eq!(plain(&Sessions::open(folder.path())), expected);
}

#[test]
fn a_run_that_dies_before_conversations_are_told_apart_is_mended_by_the_next() {
    let record = |line, text: &str| cm_session::event::SessionEvent {
        record: Some("record-0001".into()),
        ..person(line, text)
    };
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    SampleSession::new("a", vec![record(1, "the socket")]).tell(&mut writer);
    SampleSession::new("b", vec![record(1, "the socket")]).tell(&mut writer);
    writer.commit().unwrap();
    drop(writer);
    let sessions = Sessions::open(folder.path());
    assert_eq!(super::sample_session::ids(&sessions, "socket").len(), 2);
    SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap().finish().unwrap();
    assert_eq!(super::sample_session::ids(&sessions, "socket").len(), 1);
}
