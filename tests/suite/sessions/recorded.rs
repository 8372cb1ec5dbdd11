//! Shortened lines written by the real programs, with their known meaning.

use cm_agents::ingest::{IngestLimits, LogFormat, read_bytes};

use super::event_recorder::{RecordedEvents, source};

/// Returns the events of a log as text, one per line.
fn lines(format: LogFormat, log: &str) -> Vec<String> {
    let mut told = RecordedEvents::default();
    let tally = read_bytes(&source(format, "/p/s.jsonl"), log.as_bytes(), IngestLimits::default(), &mut told);
    assert_eq!(tally.not_understood(), 0, "{tally:?}");
    told.lines()
}

#[test]
fn a_resumed_session_of_gemini_keeps_its_first_prompt_and_has_each_call_once() {
    let log = include_str!("../../golden/recorded/gemini-resumed.jsonl");
    assert_eq!(
        lines(LogFormat::GeminiLines, log),
        [
            "injected: <session_context>\nThis is the Gemini CLI.\n</session_context>",
            "user_prompt: list the files",
            "tool_call: -",
            "tool_result: README.md",
            "assistant_text: One file.",
            "user_prompt: and count them",
            "tool_call: -",
            "tool_rejected: Tool execution blocked: no",
        ]
    );
}

/// A refusal as logged by Claude Code, with text typed by the person.
const REFUSED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\\nuse rg instead of grep -r\\n\\nNote: The user's next message may contain a correction or preference.";

/// Returns the lines that are the person's prompts.
fn words(format: LogFormat, log: &str) -> Vec<String> {
    let prompts = lines(format, log).into_iter();
    prompts.filter_map(|line| line.strip_prefix("user_prompt: ").map(str::to_owned)).collect()
}

#[test]
fn what_a_person_typed_at_a_refusal_in_claude_code_is_their_word() {
    let log = format!(
        r#"{{"type":"assistant","sessionId":"s","message":{{"content":[{{"type":"tool_use","id":"t1","name":"Bash","input":{{"command":"grep -r x"}}}}]}}}}
{{"type":"user","sessionId":"s","toolDenialKind":"user-rejected","message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"{REFUSED}"}}]}}}}
{{"type":"assistant","sessionId":"s","message":{{"content":[{{"type":"tool_use","id":"t2","name":"AskUserQuestion","input":{{}}}}]}}}}
{{"type":"user","sessionId":"s","message":{{"content":[{{"type":"tool_result","tool_use_id":"t2","content":"User has answered your questions: \"Which database?\"=\"Postgres\". You can now continue with the user's answers in mind."}}]}}}}
{{"type":"assistant","sessionId":"s","message":{{"content":[{{"type":"tool_use","id":"t3","name":"Bash","input":{{"command":"cat log"}}}}]}}}}
{{"type":"user","sessionId":"s","message":{{"content":[{{"type":"tool_result","tool_use_id":"t3","content":"{REFUSED}"}}]}}}}
"#
    );
    assert_eq!(
        words(LogFormat::ClaudeLines, &log),
        ["use rg instead of grep -r", "Postgres", "use rg instead of grep -r"]
    );
    let printed = log.replace("user-rejected", "").replace("The user doesn't", "log: the user doesn't");
    assert_eq!(
        words(LogFormat::ClaudeLines, &printed),
        ["Postgres"],
        "what a command printed is nobody's word"
    );
}

#[test]
fn an_answer_to_a_question_of_codex_is_the_persons_word() {
    let log = r#"{"timestamp":"2026-11-22T10:00:00Z","type":"session_meta","payload":{"id":"s"}}
{"timestamp":"2026-11-22T10:00:01Z","type":"response_item","payload":{"type":"function_call","name":"request_user_input","call_id":"c1","arguments":"{}"}}
{"timestamp":"2026-11-22T10:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\"answers\":{\"db\":{\"answers\":[\"Postgres\"]}}}"}}
{"timestamp":"2026-11-22T10:00:03Z","type":"token_usage_record","payload":{"usage":{}}}
{"timestamp":"2026-11-22T10:00:03Z","type":"event_msg","payload":{"type":"thread_settings_applied"}}
"#;
    assert_eq!(words(LogFormat::CodexLines, log), ["Postgres"]);
}

#[test]
fn an_answer_to_a_question_of_gemini_is_the_persons_word() {
    let log = r#"{"sessionId":"s","startTime":"2026-11-22T10:00:00Z"}
{"id":"g1","timestamp":"2026-11-22T10:00:01Z","type":"gemini","content":"","toolCalls":[{"id":"a1","name":"ask_user","args":{},"status":"success","result":[{"functionResponse":{"id":"a1","name":"ask_user","response":{"output":"{\"answers\":{\"0\":\"Postgres\"}}"}}}]}]}
"#;
    assert_eq!(words(LogFormat::GeminiLines, log), ["Postgres"]);
}

#[test]
fn what_a_person_typed_at_a_refusal_in_copilot_is_their_word() {
    let log = r#"{"type":"session.start","data":{"sessionId":"s"},"timestamp":"2026-11-22T10:00:00Z"}
{"type":"tool.execution_start","data":{"toolCallId":"t1","toolName":"bash","arguments":{}},"timestamp":"2026-11-22T10:00:01Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"t1","success":false,"error":{"code":"rejected","message":"The user rejected this tool call. User feedback: use rg"}},"timestamp":"2026-11-22T10:00:02Z"}
{"type":"tool.execution_start","data":{"toolCallId":"t2","toolName":"ask_user","arguments":{}},"timestamp":"2026-11-22T10:00:03Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"t2","success":true,"result":{"content":"User responded: Postgres"}},"timestamp":"2026-11-22T10:00:04Z"}
"#;
    assert_eq!(words(LogFormat::CopilotLines, log), ["use rg", "Postgres"]);
}

#[test]
fn a_session_of_cline_3_is_read_from_its_messages() {
    let log = r#"{"version":1,"sessionId":"17_a","messages":[
{"id":"m1","role":"user","content":[{"type":"text","text":"<user_input mode=\"act\">list the files</user_input>"}],"ts":1795381150288},
{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"c1","name":"run_commands","input":{"commands":["ls","false"]}}],"ts":1795381150586,"modelInfo":{"id":"scripted","provider":"x"}},
{"id":"m3","role":"user","content":[{"type":"tool_result","tool_use_id":"c1","name":"run_commands","content":[{"query":"ls","result":"CORE.md","success":true},{"query":"false","result":"[Command exited with code 1]","error":"Command exited with code 1","success":false}]}],"ts":1795381150852},
{"id":"m4","role":"assistant","content":[{"type":"text","text":"One file."}],"ts":1795381150995}],"system_prompt":"You are Cline."}"#;
    assert_eq!(
        lines(LogFormat::ClineSession, log),
        [
            "user_prompt: list the files",
            "tool_call: -",
            "tool_result: CORE.md\n[Command exited with code 1]",
            "assistant_text: One file.",
        ]
    );
}

#[test]
fn nodes_without_times_are_read_in_the_same_order_each_time() {
    let nodes: Vec<String> = (0..12)
        .map(|number| {
            format!(r#""n{number:02}":{{"id":"n{number:02}","message":{{"author":{{"role":"user"}},"content":{{"content_type":"text","parts":["word {number}"]}},"recipient":"all"}}}}"#)
        })
        .collect();
    let log = format!(r#"[{{"conversation_id":"c","mapping":{{{}}}}}]"#, nodes.join(","));
    let first = lines(LogFormat::ChatgptDocument, &log);
    assert_eq!(first.len(), 12);
    for _ in 0..8 {
        assert_eq!(lines(LogFormat::ChatgptDocument, &log), first);
    }
}

#[test]
fn a_time_before_1970_is_none() {
    let mut told = RecordedEvents::default();
    let log =
        r#"{"type":"user","sessionId":"s","timestamp":"1903-01-01T00:00:00Z","message":{"content":"one"}}"#;
    read_bytes(
        &source(LogFormat::ClaudeLines, "/p/s.jsonl"),
        log.as_bytes(),
        IngestLimits::default(),
        &mut told,
    );
    assert_eq!(told.events()[0].at, None);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_log_is_passed_over_and_never_waited_for() {
    use cm_agents::ingest::{LogSource, find, read};
    use cm_session::Agent;

    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join(".claude/projects/p");
    std::fs::create_dir_all(&logs).unwrap();
    let pipe = logs.join("11111111-aaaa-4bbb-8ccc-000000000001.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", logs.join("22222222-aaaa-4bbb-8ccc-000000000001.jsonl")).unwrap();
    let places = cm_agents::ingest::LogLocations::of_home(folder.path());
    assert!(find(&[Agent::ClaudeCode], &places).sources.is_empty());
    let source = LogSource::new(Agent::ClaudeCode, LogFormat::ClaudeLines, &pipe);
    let refused = read(&source, None, IngestLimits::default(), &mut RecordedEvents::default()).unwrap_err();
    assert!(refused.to_string().contains("not a regular file"), "{refused}");
}
