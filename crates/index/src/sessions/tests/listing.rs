//! Tests for listing sessions and looking them up.

use super::sample_session::{AT_ONCE, SampleSession, agent, event, key, person, told, tool};
use crate::sessions::{
    ParseCounts, SessionIndexFilter, SessionKey, SessionLookup, SessionStoreWriter, Sessions,
};
use cm_session::event::{EventKind, EventName};
use cm_session::{Agent, SessionMeta};

fn listed(sessions: &Sessions) -> Vec<String> {
    let all = sessions.list(&SessionIndexFilter::default(), 0, 100).unwrap().list;
    all.into_iter().map(|row| row.session.meta.id.to_string()).collect()
}

#[test]
fn the_last_ended_comes_first_with_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let talks = [
        SampleSession::new("early", vec![person(10, "hello")]),
        SampleSession::new(
            "late",
            vec![
                person(20, "größe"),
                agent(30, "hm"),
                tool(35, &"line\n".repeat(1000)),
                event(40, EventKind::Interrupt),
            ],
        ),
        SampleSession { meta: SessionMeta::new(Agent::Pi, "timeless".into()), events: Vec::new() },
    ];
    let sessions = told(folder.path(), &talks);
    assert_eq!(listed(&sessions), ["late", "early", "timeless"]);
    let page = sessions.list(&SessionIndexFilter::default(), 0, 1).unwrap();
    assert_eq!(page.total, 3);
    let late = &page.list[0];
    assert_eq!(late.counts.bytes, 7 + 2 + 5000);
    assert_eq!(late.counts.total(), 4);
    assert_eq!(late.counts.of(EventName::ToolResult), 1);
    assert_eq!(late.counts.of(EventName::Interrupt), 1);
    assert_eq!(late.session.meta.title.as_deref(), Some("About late"));
    assert_eq!(late.log.as_ref().map(|log| log.path.as_str()), Some("/logs/late.jsonl"));
    assert_eq!(
        sessions.list(&SessionIndexFilter::default(), 1, 1).unwrap().list[0].session.meta.id.as_str(),
        "early"
    );
    let said = sessions.stretches(&key("late"), 20..=30, 0, 10).unwrap();
    assert_eq!(said.iter().map(|stretch| stretch.line).collect::<Vec<_>>(), [20, 30]);
    let tail = sessions.stretches(&key("late"), 0..=u64::MAX, 2, 2).unwrap();
    assert_eq!(tail.iter().map(|stretch| stretch.piece).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_name_is_an_id_or_the_beginning_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let talk = |id: &str, line| SampleSession::new(id, vec![person(line, "x")]);
    let talks = [talk("abc", 1), talk("abcdef", 2), talk("abd", 3), talk("Xyz", 4), talk("xyZ9", 5)];
    let sessions = told(folder.path(), &talks);
    let name = |name: &str| match sessions.lookup(name).unwrap() {
        SessionLookup::Nothing => "-".to_owned(),
        SessionLookup::One(one) => one.session.meta.id.to_string(),
        SessionLookup::Several(several) => {
            several.iter().map(|session| session.meta.id.as_str()).collect::<Vec<_>>().join(" ")
        }
    };
    assert_eq!(name("abc"), "abc");
    assert_eq!(name("abcd"), "abcdef");
    assert_eq!(name("ab"), "abd abcdef abc");
    assert_eq!(name("Xyz"), "Xyz");
    assert_eq!(name("xyz"), "xyZ9 Xyz");
    assert_eq!(name("q"), "-");
    assert_eq!(name("abc\0"), "-");
}

#[test]
fn the_same_id_of_two_agents_is_two_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let one = SampleSession::new("same", vec![person(1, "one")]);
    let other = SampleSession::new("same", vec![person(2, "other")]).about(|meta| meta.agent = Agent::Codex);
    let sessions = told(folder.path(), &[one, other]);
    assert!(
        matches!(sessions.lookup("same").unwrap(), SessionLookup::Several(several) if several.len() == 2)
    );
    assert_eq!(sessions.stretches(&key("same"), 0..=9, 0, 9).unwrap().len(), 1);
}

#[test]
fn thousands_of_tiny_sessions_are_all_listed() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    for n in 0..3000 {
        SampleSession::new(&format!("{n:05}"), vec![person(n, "tiny")]).tell(&mut writer);
        if n % 700 == 0 {
            writer.commit().unwrap();
        }
    }
    writer.finish().unwrap();
    let all = listed_all(&Sessions::open(folder.path()));
    assert_eq!(all.len(), 3000);
    assert!(all.is_sorted_by(|a, b| a > b));
}

fn listed_all(sessions: &Sessions) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let page = sessions.list(&SessionIndexFilter::default(), all.len(), 1000).unwrap();
        if page.list.is_empty() {
            assert_eq!(page.total, all.len());
            return all;
        }
        all.extend(page.list.iter().map(|row| row.session.meta.id.to_string()));
    }
}

#[test]
fn what_was_not_understood_adds_up_until_a_log_is_read_from_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let talk = SampleSession::new("a", vec![person(1, "x")]);
    let understood = |count| ParseCounts {
        records: 10,
        not_understood: count,
        unknown: [("new-kind".to_owned(), count)].into(),
    };
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    talk.tell(&mut writer);
    writer.read(&talk.log(), "1".into(), understood(2), true).unwrap();
    writer.commit().unwrap();
    writer.read(&talk.log(), "2".into(), understood(3), false).unwrap();
    writer.finish().unwrap();
    let SessionLookup::One(one) = Sessions::open(folder.path()).lookup("a").unwrap() else {
        panic!("one session")
    };
    let log = one.log.unwrap();
    assert_eq!((log.cursor.as_str(), log.understood.records, log.understood.not_understood), ("2", 20, 5));
    assert_eq!(log.understood.unknown["new-kind"], 5);
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    writer.read(&talk.log(), "3".into(), understood(1), true).unwrap();
    assert_eq!(writer.log(&talk.log()).unwrap().unwrap().understood.not_understood, 1);
}

#[test]
fn an_outcome_stays_when_its_session_is_told_anew_and_goes_with_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let talk = SampleSession::new("a", vec![person(1, "x")]);
    told(folder.path(), std::slice::from_ref(&talk));
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    writer.outcome(&talk.key(), Some("success".into())).unwrap();
    writer.commit().unwrap();
    talk.tell(&mut writer);
    writer.finish().unwrap();
    let sessions = Sessions::open(folder.path());
    let outcome = |sessions: &Sessions| match sessions.lookup("a").unwrap() {
        SessionLookup::One(one) => one.session.outcome,
        _ => None,
    };
    assert_eq!(outcome(&sessions).as_deref(), Some("success"));
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    writer.remove(&talk.key()).unwrap();
    talk.tell(&mut writer);
    writer.finish().unwrap();
    assert_eq!(outcome(&sessions), None);
}

#[test]
fn a_session_of_ours_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let talk = SampleSession::new("a", vec![person(1, "summarise")]);
    let sessions = told(folder.path(), std::slice::from_ref(&talk));
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    writer.meta(&SessionMeta { ours: true, ..talk.meta.clone() }, None, &talk.log()).unwrap();
    assert!(writer.session(&SessionKey::of(&talk.meta)).unwrap().is_none());
    writer.finish().unwrap();
    assert_eq!(listed(&sessions), Vec::<String>::new());
    assert_eq!(super::sample_session::ids(&sessions, "summarise"), Vec::<String>::new());
    assert_eq!(sessions.logs().unwrap().len(), 1);
}

#[test]
fn what_a_log_that_is_read_from_its_beginning_no_longer_tells_goes() {
    let folder = tempfile::tempdir().unwrap();
    let talk = |id: &str| SampleSession::new(id, vec![person(1, "x")]);
    let tell = |log: &str, ids: &[&str], from_start: bool| {
        let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
        for id in ids {
            let talk = talk(id);
            writer.clear_events(&talk.key()).unwrap();
            writer.meta(&talk.meta, None, log).unwrap();
            // A step in the midst of a log changes nothing.
            writer.commit().unwrap();
        }
        writer.read(log, "c".into(), ParseCounts::default(), from_start).unwrap();
        writer.finish().unwrap();
        let mut ids = listed(&Sessions::open(folder.path()));
        ids.sort();
        ids.concat()
    };
    assert_eq!(tell("/logs/history", &["a", "b", "c"], true), "abc");
    assert_eq!(tell("/logs/HISTORY", &["d"], true), "abcd");
    assert_eq!(tell("/logs/history", &["e"], false), "abcde");
    assert_eq!(tell("/logs/history", &["b", "e"], true), "bde");
}

#[test]
fn a_session_that_another_log_tells_by_now_stays() {
    let folder = tempfile::tempdir().unwrap();
    let talk = SampleSession::new("a", vec![person(1, "x")]);
    told(folder.path(), std::slice::from_ref(&talk));
    let mut writer = SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    writer.clear_events(&talk.key()).unwrap();
    writer.meta(&talk.meta, None, "/logs/database").unwrap();
    writer.read("/logs/database", "c".into(), ParseCounts::default(), true).unwrap();
    writer.read(&talk.log(), "c".into(), ParseCounts::default(), true).unwrap();
    writer.finish().unwrap();
    assert_eq!(listed(&Sessions::open(folder.path())), ["a"]);
}
