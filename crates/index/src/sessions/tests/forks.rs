//! Tests for grouping sessions into conversations.

use super::sample_session::{AT_ONCE, SampleSession, ids, person, search, told};
use crate::sessions::{SessionIndexFilter, SessionStoreWriter, Sessions};
use cm_session::event::SessionEvent;

fn record(line: u64, id: &str, text: &str) -> SessionEvent {
    SessionEvent { record: Some(id.into()), ..person(line, text) }
}

fn family() -> Vec<SampleSession> {
    let shared =
        || vec![record(1, "record-0001", "the shared beginning"), record(2, "record-0002", "goes on")];
    let mut fork = shared();
    fork.push(record(3, "record-0003", "until the fork went on"));
    let mut fork_of_fork = vec![record(1, "record-0003", "until the fork went on")];
    fork_of_fork.push(record(9, "record-0004", "and ends elsewhere"));
    vec![
        SampleSession::new("first", shared()),
        SampleSession::new("fork", fork),
        SampleSession::new("fork-of-fork", fork_of_fork),
        SampleSession::new("stranger", vec![record(1, "record-0009", "the shared beginning")]),
    ]
}

#[test]
fn forks_are_found_once_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = told(folder.path(), &family());
    let found = search(&sessions, "shared beginning", &SessionIndexFilter::default());
    assert_eq!(found.total, 2);
    let hit = found.hits.iter().find(|hit| hit.session.meta.id.as_str() == "fork").unwrap();
    assert_eq!(hit.forks.iter().map(|key| key.id.as_str()).collect::<Vec<_>>(), ["first"]);
    assert_eq!(
        sessions.evidence(&["shared", "beginning"], 2, &SessionIndexFilter::default()).unwrap().len(),
        2
    );
    assert_eq!(ids(&sessions, "elsewhere"), ["fork-of-fork"]);
    let listed = sessions.list(&SessionIndexFilter::default(), 0, 9).unwrap().list;
    let of =
        |id: &str| listed.iter().find(|row| row.session.meta.id.as_str() == id).unwrap().session.conversation;
    assert_eq!((of("first"), of("first")), (of("fork"), of("fork-of-fork")));
    assert_ne!(of("first"), of("stranger"));
}

#[test]
fn a_session_that_names_its_origin_is_of_its_conversation_and_a_sub_agent_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let talk = |id: &str| SampleSession::new(id, vec![person(1, "the same words")]);
    let talks = [
        talk("origin"),
        talk("resumed").about(|meta| meta.parent = Some("origin".into())),
        talk("helper").about(|meta| (meta.parent, meta.subagent) = (Some("origin".into()), true)),
    ];
    let sessions = told(folder.path(), &talks);
    assert_eq!(search(&sessions, "same words", &SessionIndexFilter::default()).total, 2);
}

#[test]
fn conversations_are_the_same_in_whatever_order_and_steps_they_are_told() {
    let talks = family();
    let conversations = |order: &[usize], each_alone: bool| {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
        for at in order {
            talks[*at].tell(&mut writer);
            if each_alone {
                writer.finish().unwrap();
                writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
            }
        }
        writer.finish().unwrap();
        let listed = Sessions::open(folder.path()).list(&SessionIndexFilter::default(), 0, 9).unwrap().list;
        let mut all: Vec<_> =
            listed.iter().map(|row| (row.session.key(), row.session.conversation)).collect();
        all.sort();
        all
    };
    let expected = conversations(&[0, 1, 2, 3], false);
    for order in [[3, 2, 1, 0], [2, 0, 3, 1], [1, 2, 0, 3]] {
        assert_eq!(conversations(&order, false), expected);
        assert_eq!(conversations(&order, true), expected);
    }
}

#[test]
fn what_was_joined_by_a_session_that_goes_is_parted_again() {
    let folder = tempfile::tempdir().unwrap();
    let talks = family();
    let sessions = told(folder.path(), &talks);
    assert_eq!(conversations(&sessions), 2);
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    writer.remove(&talks[1].key()).unwrap();
    writer.finish().unwrap();
    assert_eq!(conversations(&sessions), 3);
}

fn conversations(sessions: &Sessions) -> usize {
    let listed = sessions.list(&SessionIndexFilter::default(), 0, 9).unwrap().list;
    listed.iter().map(|row| row.session.conversation).collect::<std::collections::BTreeSet<_>>().len()
}
