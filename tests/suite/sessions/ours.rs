//! Sessions and text created by `cm` itself are excluded from learning.

use cm_agents::ingest::{IngestLimits, LogFormat, RecordCounts, read_bytes};
use cm_session::injected_markers::MODEL_CALL;

use super::event_recorder::{RecordedEvents, source};

fn told(format: LogFormat, path: &str, log: &str) -> (RecordedEvents, RecordCounts) {
    let mut told = RecordedEvents::default();
    let tally = read_bytes(&source(format, path), log.as_bytes(), IngestLimits::default(), &mut told);
    (told, tally)
}

fn user(said: &str) -> String {
    serde_json::json!({"type": "user", "sessionId": "s", "message": {"content": said}}).to_string()
}

#[test]
fn a_session_whose_first_prompt_is_a_call_of_ours_tells_no_event() {
    let log = [user("<system-reminder>x"), user(&format!("Sum up.\n{MODEL_CALL}")), user("more")].join("\n");
    let (ours, tally) = told(LogFormat::ClaudeLines, "/p/s.jsonl", &log);
    assert_eq!(ours.lines(), Vec::<String>::new());
    assert!(ours.sessions[&ours.order[0]].meta.as_ref().unwrap().ours);
    assert_eq!((tally.events, tally.skipped["ours"]), (0, 3));
}

#[test]
fn a_session_whose_instructions_are_ours_tells_no_event() {
    let log = format!(
        "{}\n{}",
        serde_json::json!({"type": "session_meta", "payload": {"id": "s", "base_instructions": {"text": MODEL_CALL}}}),
        serde_json::json!({"type": "event_msg", "payload": {"type": "user_message", "message": "hello"}})
    );
    let (ours, _) = told(LogFormat::CodexLines, "/r.jsonl", &log);
    assert_eq!(ours.lines(), Vec::<String>::new());
}

#[test]
fn talk_about_the_marker_later_in_a_session_is_no_call_of_ours() {
    let log = [user("what is this?"), user(MODEL_CALL)].join("\n");
    assert_eq!(told(LogFormat::ClaudeLines, "/p/s.jsonl", &log).0.lines().len(), 2);
}

#[test]
fn memory_that_we_handed_to_an_agent_is_taken_out_of_what_it_stands_in() {
    let log = [
        user("hello <!-- cm:begin context -->\n- a rule\n<!-- cm:end context --> there"),
        user("<!-- cm:begin -->\n- a rule\n<!-- cm:end -->"),
        serde_json::json!({"type": "assistant", "sessionId": "s", "message": {"content": [
            {"type": "tool_use", "name": "Write", "input": {"content": "x<!-- cm:begin -->rule<!-- cm:end -->y"}}]}})
        .to_string(),
    ]
    .join("\n");
    let (told, tally) = told(LogFormat::ClaudeLines, "/p/s.jsonl", &log);
    assert_eq!(told.lines(), ["user_prompt: hello  there", "tool_call: -"]);
    assert_eq!(tally.skipped["ours"], 1);
    assert!(!serde_json::to_string(&told.events()).unwrap().contains("rule"));
}
