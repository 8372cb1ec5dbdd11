//! Connectors with unknown, unreadable or unwanted records.

use cm_agents::ingest::{IngestLimits, LogFormat, RecordCounts, read_bytes};
use cm_session::event::EventKind;

use super::event_recorder::{RecordedEvents, source};

fn claude(log: &str, limits: IngestLimits) -> (RecordedEvents, RecordCounts) {
    let mut told = RecordedEvents::default();
    let tally = read_bytes(&source(LogFormat::ClaudeLines, "/p/s.jsonl"), log.as_bytes(), limits, &mut told);
    (told, tally)
}

fn prompt(said: &str) -> String {
    format!(r#"{{"type":"user","sessionId":"s","message":{{"content":"{said}"}}}}"#)
}

#[test]
fn a_bad_line_costs_itself_and_is_counted_with_its_number() {
    let log = format!("{}\n{{bad\n42\n[1]\n\"x\"\n\n{}\n", prompt("one"), prompt("two"));
    let (told, tally) = claude(&log, IngestLimits::default());
    assert_eq!(told.lines(), ["user_prompt: one", "user_prompt: two"]);
    assert_eq!((tally.bad.count, tally.bad.lines), (4, vec![2, 3, 4, 5]));
    assert_eq!(told.events()[1].line, 7);
}

#[test]
fn unknown_kinds_are_counted_by_name_and_a_log_of_them_is_reported() {
    let log =
        format!("{}\n{{\"type\":\"hologram\"}}\n{{\"type\":\"hologram\"}}\n{{\"no\":1}}\n", prompt("one"));
    let (_, tally) = claude(&log, IngestLimits::default());
    assert_eq!(tally.unknown["hologram"], 2);
    assert_eq!(tally.unknown["(no kind)"], 1);
    assert!(tally.is_mostly_unknown());
    assert!(!claude(&prompt("one"), IngestLimits::default()).1.is_mostly_unknown());
}

#[test]
fn a_record_beyond_the_limit_costs_itself_and_is_counted() {
    let log = format!("{}\n{}\n{}\n", prompt("one"), prompt(&"x".repeat(5000)), prompt("three"));
    let (told, tally) = claude(&log, IngestLimits { max_record_bytes: 1000 });
    assert_eq!(told.lines(), ["user_prompt: one", "user_prompt: three"]);
    assert_eq!((tally.oversized.count, tally.oversized.lines), (1, vec![2]));
    assert_eq!(told.events()[1].line, 3);
}

#[test]
fn half_a_character_does_not_cost_the_line() {
    let (told, tally) = claude(&(prompt("cut \\ud83d") + "\n"), IngestLimits::default());
    assert_eq!(told.lines(), ["user_prompt: cut \u{fffd}"]);
    assert_eq!(tally.bad.count, 0);
    let mut told = RecordedEvents::default();
    let log = [prompt("cut ").trim_end_matches("\"}}").as_bytes(), b"\xff\"}}\n"].concat();
    read_bytes(&source(LogFormat::ClaudeLines, "/p/s.jsonl"), &log, IngestLimits::default(), &mut told);
    assert_eq!(told.lines(), ["user_prompt: cut \u{fffd}"]);
}

#[test]
fn a_field_of_another_shape_costs_the_field() {
    let log = r#"{"type":"user","uuid":7,"timestamp":{"a":1},"cwd":[],"isMeta":"no","sessionId":"s","message":{"content":"one"}}"#;
    let (told, tally) = claude(log, IngestLimits::default());
    assert_eq!(told.lines(), ["user_prompt: one"]);
    assert_eq!(tally.not_understood(), 0);
}

#[test]
fn a_tools_deeply_nested_arguments_are_kept_as_text() {
    let deep = "[".repeat(500) + &"]".repeat(500);
    let log = format!(
        r#"{{"type":"assistant","sessionId":"s","message":{{"content":[{{"type":"tool_use","name":"T","input":{deep}}}]}}}}"#
    );
    let (told, _) = claude(&log, IngestLimits::default());
    let EventKind::ToolCall { input, .. } = &told.events()[0].kind else { panic!("{told:?}") };
    assert_eq!(input.as_str(), Some(deep.as_str()));
}

#[test]
fn what_a_program_wrote_in_the_persons_role_is_not_theirs() {
    let user = |more: &str, said: &str| {
        format!(r#"{{"type":"user","sessionId":"s"{more},"message":{{"content":"{said}"}}}}"#)
    };
    let log = [
        user("", "mine"),
        user(r#","isMeta":true"#, "meta"),
        user(r#","isSidechain":true"#, "side"),
        user(r#","origin":{"kind":"peer"}"#, "peer"),
        user(r#","promptSource":"system""#, "system"),
        user("", "<command-name>/exit</command-name>"),
        user("", "<bash-input>ls</bash-input>"),
        user("", "[Request interrupted by user for tool use]"),
    ]
    .join("\n");
    assert_eq!(
        claude(&log, IngestLimits::default()).0.lines(),
        [
            "user_prompt: mine",
            "injected: meta",
            "injected: side",
            "injected: peer",
            "injected: system",
            "injected: <command-name>/exit</command-name>",
            "person_command: ls",
            "interrupt: -",
        ]
    );
}

#[test]
fn a_prompt_that_waited_in_the_queue_is_the_persons() {
    let queued = |more: &str| {
        format!(
            r#"{{"type":"attachment","sessionId":"s","attachment":{{"type":"queued_command","commandMode":"prompt","prompt":"do it"{more}}}}}"#
        )
    };
    let log = [
        queued(""),
        queued(r#","origin":{"kind":"peer"}"#),
        r#"{"type":"queue-operation","content":"do it"}"#.to_owned(),
    ]
    .join("\n");
    assert_eq!(claude(&log, IngestLimits::default()).0.lines(), ["user_prompt: do it", "injected: do it"]);
}

#[test]
fn a_compaction_and_its_summary_are_one_event() {
    let boundary = r#"{"type":"system","subtype":"compact_boundary","sessionId":"s","compactMetadata":{"trigger":"manual"}}"#;
    let summary =
        r#"{"type":"user","isCompactSummary":true,"sessionId":"s","message":{"content":"what was done"}}"#;
    let (told, tally) = claude(&[boundary, summary].join("\n"), IngestLimits::default());
    assert_eq!(tally.events, 1);
    let event = told.events()[0];
    let expected =
        EventKind::Compaction { trigger: Some("manual".into()), summary: Some("what was done".into()) };
    assert_eq!((event.line, &event.kind), (1, &expected));
    let old =
        claude(r#"{"type":"summary","summary":"Fix the build","leafUuid":"u"}"#, IngestLimits::default()).0;
    let expected =
        EventKind::Compaction { trigger: Some("summary".into()), summary: Some("Fix the build".into()) };
    assert_eq!((&old.events()[0].kind, &old.events()[0].record), (&expected, &None));
}

#[test]
fn codex_tells_a_turn_once_whichever_record_comes_first() {
    let event = r#"{"type":"event_msg","payload":{"type":"user_message","message":"go on"}}"#;
    let item = r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}}"#;
    let scaffold = r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}"#;
    for (log, expected) in [
        (vec![event, item, event, item], 2),
        (vec![item, event, item, event], 2),
        (vec![scaffold, item, event], 1),
        (vec![event, scaffold, item], 2),
        (vec![item, item], 2),
    ] {
        let mut told = RecordedEvents::default();
        let source = source(LogFormat::CodexLines, "/r.jsonl");
        read_bytes(&source, log.join("\n").as_bytes(), IngestLimits::default(), &mut told);
        let prompts = told.lines().iter().filter(|line| line.starts_with("user_prompt")).count();
        assert_eq!(prompts, expected, "{log:?}");
    }
}

#[test]
fn codexs_first_generations_are_told() {
    let lines = [
        r#"{"id":"s1","timestamp":"2025-05-01T10:00:00Z","instructions":null,"git":{"branch":"main"}}"#,
        r#"{"record_type":"state"}"#,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"fix it"}]}"#,
        r#"{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c1"}"#,
        r#"{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"a\",\"metadata\":{\"exit_code\":0}}"}"#,
    ];
    let expected = ["user_prompt: fix it", "tool_call: -", "tool_result: a"];
    let mut told = RecordedEvents::default();
    read_bytes(
        &source(LogFormat::CodexLines, "/r.jsonl"),
        lines.join("\n").as_bytes(),
        IngestLimits::default(),
        &mut told,
    );
    assert_eq!(told.lines(), expected);
    assert_eq!(told.order[0].as_str(), "s1");
    let document = format!(
        r#"{{"items":[{}],"session":{{"id":"s2","timestamp":"2025-05-01T10:00:00Z","cwd":"/w"}}}}"#,
        lines[2..].join(",")
    );
    let mut told = RecordedEvents::default();
    read_bytes(
        &source(LogFormat::CodexDocument, "/r.json"),
        document.as_bytes(),
        IngestLimits::default(),
        &mut told,
    );
    assert_eq!(told.lines(), expected);
    let meta = told.sessions[&told.order[0]].meta.as_ref().unwrap();
    assert_eq!((meta.id.as_str(), meta.workspace.as_deref()), ("s2", Some("/w")));
}

#[test]
fn of_pis_tree_the_active_branch_is_told() {
    let entry = |id: &str, parent: &str, said: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"user","content":"{said}"}}}}"#
        )
    };
    let log = [
        r#"{"type":"session","id":"s","cwd":"/w"}"#.to_owned(),
        entry("a", "null", "root"),
        entry("b", "\"a\"", "left"),
        entry("c", "\"b\"", "left too"),
        entry("d", "\"a\"", "right"),
    ]
    .join("\n");
    let mut told = RecordedEvents::default();
    read_bytes(
        &source(LogFormat::PiTree, "/x/1_s.jsonl"),
        log.as_bytes(),
        IngestLimits::default(),
        &mut told,
    );
    assert_eq!(told.lines(), ["user_prompt: root", "user_prompt: right"]);
    // A loop of parents ends.
    let log = [entry("a", "\"b\"", "one"), entry("b", "\"a\"", "two")].join("\n");
    let mut told = RecordedEvents::default();
    read_bytes(
        &source(LogFormat::PiTree, "/x/1_s.jsonl"),
        log.as_bytes(),
        IngestLimits::default(),
        &mut told,
    );
    assert_eq!(told.lines(), ["user_prompt: one", "user_prompt: two"]);
}

#[test]
fn geminis_changes_replace_take_back_and_set_anew() {
    let message = |id: &str, said: &str| format!(r#"{{"id":"{id}","type":"user","content":"{said}"}}"#);
    let told = |lines: &[String]| {
        let mut told = RecordedEvents::default();
        let log = lines.join("\n");
        read_bytes(
            &source(LogFormat::GeminiLines, "/s.jsonl"),
            log.as_bytes(),
            IngestLimits::default(),
            &mut told,
        );
        told.lines()
    };
    let (a, b, c) = (message("a", "A"), message("b", "B"), message("c", "C"));
    let rewind = |id: &str| format!(r#"{{"$rewindTo":"{id}"}}"#);
    let said = |words: &[&str]| words.iter().map(|word| format!("user_prompt: {word}")).collect::<Vec<_>>();
    assert_eq!(told(&[a.clone(), b.clone(), message("a", "A2")]), said(&["B", "A2"]));
    assert_eq!(told(&[a.clone(), b.clone(), rewind("b"), c.clone()]), said(&["A", "C"]));
    assert_eq!(told(&[a.clone(), b.clone(), rewind("?"), c.clone()]), said(&["C"]));
    let set = format!(r#"{{"$set":{{"messages":[{b},{c}]}}}}"#);
    assert_eq!(told(&[a.clone(), set.clone(), message("d", "D")]), said(&["B", "C", "D"]));
    assert_eq!(told(&[a, set, rewind("c")]), said(&["B"]));
}

#[test]
fn gemini_counts_a_change_that_it_does_not_know() {
    let log = br#"{"$patch":[{"op":"add"}]}"#;
    let tally = read_bytes(
        &source(LogFormat::GeminiLines, "/s.jsonl"),
        log,
        IngestLimits::default(),
        &mut RecordedEvents::default(),
    );
    assert_eq!(tally.unknown["$patch"], 1);
}

#[test]
fn aiders_headings_and_quotes_stay_in_what_they_are_part_of() {
    let log = "# aider chat started at 2026-01-02 03:04:05\n\n#### explain  \n\n# Heading\n\ntext\n\n#### /run ls\n\n> a.txt  \n\n#### Add a.txt? (Y)es/(N)o [Yes]: y  \n\n#### next\n";
    let mut told = RecordedEvents::default();
    read_bytes(
        &source(LogFormat::AiderHistory, "/w/.aider.chat.history.md"),
        log.as_bytes(),
        IngestLimits::default(),
        &mut told,
    );
    assert_eq!(
        told.lines(),
        [
            "user_prompt: explain",
            "assistant_text: # Heading\n\ntext",
            "person_command: ls",
            "tool_result: a.txt",
            "system: Add a.txt? (Y)es/(N)o [Yes]: y",
            "user_prompt: next",
        ]
    );
}
