//! Tests of one writer with concurrent readers: readers see only committed data.

use std::fs;

use super::sample_session::{AT_ONCE, SampleSession, agent, ids, person, seen, told};
use crate::sessions::{SessionStoreWriter, Sessions};
use crate::{Error, RebuildReason};
use cm_session::event::{EventKind, EventName};

#[test]
fn a_second_writer_is_told_that_the_index_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    assert!(matches!(SessionStoreWriter::open(folder.path(), AT_ONCE), Err(Error::Busy { .. })));
    assert!(matches!(SessionStoreWriter::create_new(folder.path(), AT_ONCE), Err(Error::Busy { .. })));
    drop(writer);
    assert!(SessionStoreWriter::open(folder.path(), AT_ONCE).is_ok());
}

#[test]
fn readers_see_each_step_as_a_whole_and_wait_for_none() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::open(folder.path());
    assert!(matches!(sessions.version(), Err(Error::Unusable(RebuildReason::Missing))));
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    assert_eq!(ids(&sessions, "socket"), Vec::<String>::new());
    SampleSession::new("a", vec![person(1, "the socket")]).tell(&mut writer);
    assert_eq!(ids(&sessions, "socket"), Vec::<String>::new());
    writer.commit().unwrap();
    assert_eq!(ids(&sessions, "socket"), ["a"]);
    let before = sessions.version().unwrap();
    SampleSession::new("a", vec![person(1, "the pool")]).tell(&mut writer);
    assert_eq!(ids(&sessions, "socket"), ["a"]);
    writer.finish().unwrap();
    assert_eq!((ids(&sessions, "socket").len(), ids(&sessions, "pool").len()), (0, 1));
    assert!(sessions.version().unwrap() > before);
}

#[test]
fn a_run_with_nothing_to_tell_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = told(folder.path(), &[SampleSession::new("a", vec![person(1, "the socket")])]);
    let (version, before) = (sessions.version().unwrap(), seen(&sessions).unwrap());
    SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap().finish().unwrap();
    assert_eq!((sessions.version().unwrap(), seen(&sessions).unwrap()), (version, before));
}

#[test]
fn a_grown_session_goes_on_and_an_event_told_again_is_replaced() {
    let whole = SampleSession::new(
        "a",
        vec![
            person(1, "socket timeout"),
            agent(2, "half a sen"),
            agent(2, "half a sentence about the socket"),
            agent(3, "retry"),
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    let begun = SampleSession::new("a", whole.events[..2].to_vec());
    begun.tell(&mut writer);
    writer.commit().unwrap();
    whole.go_on(&mut writer, 2);
    writer.finish().unwrap();
    let stepwise = Sessions::open(folder.path());

    let events = [0, 2, 3].map(|at| whole.events[at].clone()).to_vec();
    let once = tempfile::tempdir().unwrap();
    let at_once = told(once.path(), &[SampleSession::new("a", events)]);
    let said = |sessions: &Sessions| sessions.stretches(&whole.key(), 0..=9, 0, 9).unwrap();
    assert_eq!(said(&stepwise), said(&at_once));
    assert_eq!(said(&stepwise).len(), 3);
    let found = |sessions: &Sessions| {
        let found = super::sample_session::search(sessions, "socket", &Default::default());
        found.hits.into_iter().map(|hit| (hit.score, hit.lines, hit.stretches)).collect::<Vec<_>>()
    };
    assert_eq!(found(&stepwise), found(&at_once));
}

#[test]
fn an_event_that_shrinks_leaves_nothing_of_its_longer_self() {
    let folder = tempfile::tempdir().unwrap();
    let talk = SampleSession::new(
        "a",
        vec![person(1, &"many words ".repeat(1000)), person(1, "few"), person(1, "few")],
    );
    let sessions = told(folder.path(), std::slice::from_ref(&talk));
    let said = sessions.stretches(&talk.key(), 0..=9, 0, 99).unwrap();
    assert_eq!(said.iter().map(|stretch| stretch.text.as_str()).collect::<Vec<_>>(), ["few"]);
    assert_eq!(ids(&sessions, "many"), Vec::<String>::new());
}

#[test]
fn parts_of_a_line_are_events_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut second = person(1, "second part");
    second.part = 1;
    let mut third = super::sample_session::event(1, EventKind::Interrupt);
    third.part = 2;
    let talk = SampleSession::new("a", vec![person(1, "first part"), second.clone(), third, second]);
    let sessions = told(folder.path(), std::slice::from_ref(&talk));
    let said = sessions.stretches(&talk.key(), 1..=1, 0, 9).unwrap();
    assert_eq!(
        said.iter().map(|stretch| (stretch.part, stretch.kind)).collect::<Vec<_>>(),
        [(0, Some(EventName::UserPrompt)), (1, Some(EventName::UserPrompt)), (2, Some(EventName::Interrupt))]
    );
}

#[test]
fn a_log_that_is_forgotten_leaves_what_it_told() {
    let folder = tempfile::tempdir().unwrap();
    let talk = SampleSession::new("a", vec![person(1, "the socket")]);
    let sessions = told(folder.path(), std::slice::from_ref(&talk));
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    writer.forget_log(&talk.log());
    assert_eq!(writer.log(&talk.log()).unwrap(), None);
    writer.finish().unwrap();
    assert_eq!((sessions.logs().unwrap().len(), ids(&sessions, "socket").len()), (0, 1));
}

#[test]
fn an_index_that_is_sound_is_not_begun_anew_by_who_would_mend_it() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = told(folder.path(), &[SampleSession::new("a", vec![person(1, "the socket")])]);
    let (writer, why) = SessionStoreWriter::open_or_repair(folder.path(), AT_ONCE).unwrap();
    assert_eq!(why, None);
    drop(writer);
    let before = sessions.version().unwrap();
    fs::write(folder.path().join("documents/meta.json"), "x").unwrap();
    let (writer, why) = SessionStoreWriter::open_or_repair(folder.path(), AT_ONCE).unwrap();
    assert!(matches!(why, Some(RebuildReason::Damaged(_))));
    drop(writer);
    assert_eq!(ids(&sessions, "socket"), Vec::<String>::new());
    assert!(sessions.version().unwrap() > before);
}

#[test]
fn a_new_index_takes_the_place_of_whatever_lies_there() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("sessions");
    fs::write(&place, "a file").unwrap();
    drop(SessionStoreWriter::create_new(&place, AT_ONCE).unwrap());
    fs::remove_dir_all(&place).unwrap();
    fs::create_dir_all(place.join("documents/meta.json")).unwrap();
    fs::create_dir_all(place.join("lock")).unwrap();
    let mut writer = SessionStoreWriter::create_new(&place, AT_ONCE).unwrap();
    SampleSession::new("a", vec![person(1, "the socket")]).tell(&mut writer);
    writer.finish().unwrap();
    assert_eq!(ids(&Sessions::open(&place), "socket"), ["a"]);
}
