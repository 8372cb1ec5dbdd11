//! Tests for search results and ranking.

use super::sample_session::{
    SampleSession, agent, event, found_ids, ids, instant, key, person, search, search_with, told, tool,
};
use crate::sessions::{SessionIndexFilter, Speaker, Weights};
use cm_session::Agent;
use cm_session::event::EventKind;

#[test]
fn words_in_any_spelling_find_the_session_with_line_and_snippet() {
    let folder = tempfile::tempdir().unwrap();
    let long =
        format!("{}\nThen set SocketKeepAlive before connecting.\n{}", "x ".repeat(3000), "y ".repeat(900));
    let talks = [
        SampleSession::new("a", vec![person(3, "Say hello"), person(7, &long)]),
        SampleSession::new("b", vec![person(1, "Nothing of that")]),
    ];
    let sessions = told(folder.path(), &talks);
    for query in ["socket_keepalive", "socket keepalive", "\"socket keepalive\"", "connected"] {
        let found = search(&sessions, query, &SessionIndexFilter::default());
        assert_eq!(found_ids(&found), ["a"], "{query}");
        let hit = &found.hits[0];
        assert_eq!((hit.best.line, hit.best.speaker, hit.lines.clone()), (7, Some(Speaker::Person), vec![7]));
        assert!(hit.snippet.contains("set SocketKeepAlive"), "{}", hit.snippet);
        assert!(hit.best.text.len() <= 2048);
    }
    assert!(ids(&sessions, "elsewhere").is_empty());
}

#[test]
fn the_persons_words_count_more_than_an_agents_and_tools_only_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let talks = [
        SampleSession::new("said-by-agent", vec![person(1, "go on"), agent(2, "the pool was exhausted")]),
        SampleSession::new("said-by-person", vec![agent(1, "done so"), person(2, "the pool was exhausted")]),
        SampleSession::new("said-by-tool", vec![tool(1, "the pool was exhausted")]),
    ];
    let sessions = told(folder.path(), &talks);
    assert_eq!(ids(&sessions, "pool exhausted"), ["said-by-person", "said-by-agent"]);
    let tools = Weights { person: 0.0, agent: 0.0, tool: 1.0 };
    let found = search_with(&sessions, "pool exhausted", &SessionIndexFilter::default(), tools);
    assert_eq!(found_ids(&found), ["said-by-tool"]);
    let person_only = Weights { agent: 0.0, ..Weights::default() };
    assert_eq!(search_with(&sessions, "pool", &SessionIndexFilter::default(), person_only).total, 1);
}

#[test]
fn what_an_agent_asked_its_sub_agent_is_no_persons_word() {
    let folder = tempfile::tempdir().unwrap();
    let talks = [
        SampleSession::new("sub", vec![person(5, "find the leak")]).about(|meta| meta.subagent = true),
        SampleSession::new("main", vec![person(1, "find the leak")]),
    ];
    let sessions = told(folder.path(), &talks);
    assert_eq!(ids(&sessions, "leak"), ["main", "sub"]);
    let filter = SessionIndexFilter { without_subagents: true, ..SessionIndexFilter::default() };
    assert_eq!(found_ids(&search(&sessions, "leak", &filter)), ["main"]);
}

#[test]
fn the_best_stretch_stands_for_its_session_and_the_others_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let filler = "of no interest to anybody ".repeat(12);
    let said = |line, words: &str| person(line, &format!("{words} {filler}"));
    let talk = SampleSession::new(
        "a",
        vec![said(1, "deadlock"), said(2, "deadlock in the scheduler"), said(3, "no")],
    );
    let sessions = told(folder.path(), &[talk]);
    let found = search(&sessions, "scheduler deadlock", &SessionIndexFilter::default());
    assert_eq!((found.total, found.hits[0].stretches, found.hits[0].best.line), (1, 2, 2));
    assert_eq!(found.hits[0].lines, [1, 2]);
}

#[test]
fn filters_let_through_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let talk = |id: &str, line| SampleSession::new(id, vec![person(line, "the common word")]);
    let talks = [
        talk("a", 100).about(|meta| meta.workspace = Some("/home/dev/demo/sub".into())),
        talk("b", 200).about(|meta| meta.agent = Agent::Codex),
        talk("c", 300).about(|meta| meta.workspace = Some("/home/dev/demolition".into())),
        talk("d", 400).about(|meta| meta.workspace = Some(r"C:\work\Demo".into())),
    ];
    let sessions = told(folder.path(), &talks);
    let all = SessionIndexFilter::default();
    let passing = |filter: SessionIndexFilter| {
        let mut ids = found_ids(&search(&sessions, "common", &filter));
        ids.sort();
        let mut listed: Vec<String> = sessions
            .list(&filter, 0, 9)
            .unwrap()
            .list
            .iter()
            .map(|row| row.session.meta.id.to_string())
            .collect();
        listed.sort();
        assert_eq!(ids, listed);
        ids.concat()
    };
    assert_eq!(passing(all.clone()), "abcd");
    assert_eq!(passing(SessionIndexFilter { agents: vec![Agent::Codex, Agent::Pi], ..all.clone() }), "b");
    assert_eq!(
        passing(SessionIndexFilter { workspace: Some("/home/dev/demo/".into()), ..all.clone() }),
        "ab"
    );
    assert_eq!(passing(SessionIndexFilter { workspace: Some("/".into()), ..all.clone() }), "abc");
    assert_eq!(passing(SessionIndexFilter { workspace: Some(r"C:\work".into()), ..all.clone() }), "d");
    assert_eq!(
        passing(SessionIndexFilter { since: Some(instant(200)), until: Some(instant(400)), ..all.clone() }),
        "bc"
    );
    assert_eq!(passing(SessionIndexFilter { session: Some(key("c")), ..all.clone() }), "c");
    assert_eq!(passing(SessionIndexFilter { session: Some(key("unheard")), ..all }), "");
    for (query, expected) in [
        ("common agent:codex", "b"),
        ("common workspace:/home/dev/demolition", "c"),
        ("common session:a", "a"),
        ("common path:logs/d", "d"),
        ("common -agent:codex -session:a", "dc"),
        ("agent:claude-code", "dca"),
        ("common importance:>0.5", ""),
    ] {
        let mut ids = ids(&sessions, query);
        ids.sort_by(|a, b| b.cmp(a));
        assert_eq!(ids.concat(), expected, "{query}");
    }
}

#[test]
fn what_was_said_outside_of_the_time_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let timeless = person(0, "the common word");
    let talks = [
        SampleSession::new("long", vec![person(10, "the common word"), person(500, "something else")]),
        SampleSession::new("timeless", vec![cm_session::event::SessionEvent { at: None, ..timeless }])
            .about(|meta| meta.extend_time_range(Some(instant(450)))),
    ];
    let sessions = told(folder.path(), &talks);
    let since =
        |seconds| SessionIndexFilter { since: Some(instant(seconds)), ..SessionIndexFilter::default() };
    assert_eq!(found_ids(&search(&sessions, "common", &since(5))).len(), 2);
    assert_eq!(found_ids(&search(&sessions, "common", &since(400))), ["timeless"]);
    assert!(found_ids(&search(&sessions, "common", &since(460))).is_empty());
}

#[test]
fn every_script_is_found_and_shown_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let texts =
        ["Die Größe stimmt nicht", "日本語のテスト", "🧠 Заметка о сокете", "e\u{301}te\u{301} Ä\r\nÖ\0"];
    let talks: Vec<SampleSession> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| SampleSession::new(&format!("ü{n}"), vec![person(1, text)]))
        .collect();
    let sessions = told(folder.path(), &talks);
    assert_eq!(ids(&sessions, "größe"), ["ü0"]);
    assert_eq!(ids(&sessions, "日本語"), ["ü1"]);
    assert_eq!(ids(&sessions, "Заметка"), ["ü2"]);
    assert_eq!(ids(&sessions, "ete"), ["ü3"]);
    for (n, text) in texts.iter().enumerate() {
        let said = sessions.stretches(&key(&format!("ü{n}")), 0..=9, 0, 9).unwrap();
        assert_eq!(said[0].text, *text);
    }
}

#[test]
fn no_secret_reaches_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let secret = "ghp_a8Kd93kfLs02mXz7QpWv51Rb4tYuEiO6cNhJ";
    let call = EventKind::ToolCall {
        id: None,
        name: "Bash".into(),
        input: serde_json::json!({"command": format!("curl -H 'Authorization: token {secret}'")}),
    };
    let talk = SampleSession::new("a", vec![person(1, &format!("my token is {secret}")), event(2, call)])
        .about(|meta| meta.title = Some(format!("my token is {secret}")));
    let sessions = told(folder.path(), &[talk]);
    let everyone = Weights { person: 1.0, agent: 1.0, tool: 1.0 };
    assert_eq!(search_with(&sessions, secret, &SessionIndexFilter::default(), everyone).total, 0);
    assert!(!super::sample_session::seen(&sessions).unwrap().contains(secret));
    assert!(!format!("{:?}", sessions.stretches(&key("a"), 0..=9, 0, 9).unwrap()).contains(secret));
}
