//! Lines as the real programs wrote them, shortened: what each means is known from the session that was held.

use cm::ingest::{Format, Limits, read_bytes};

use super::told::{Told, source};

/// What a log of this format says, an event a line.
fn lines(format: Format, log: &str) -> Vec<String> {
    let mut told = Told::default();
    let tally = read_bytes(&source(format, "/p/s.jsonl"), log.as_bytes(), Limits::default(), &mut told);
    assert_eq!(tally.not_understood(), 0, "{tally:?}");
    told.lines()
}

#[test]
fn a_resumed_session_of_gemini_keeps_its_first_prompt_and_has_each_call_once() {
    let log = include_str!("../../golden/recorded/gemini-resumed.jsonl");
    assert_eq!(
        lines(Format::GeminiLines, log),
        [
            "injected: <session_context>\nThis is the Gemini CLI.\n</session_context>",
            "user_prompt: list the files",
            "tool_call: -",
            "tool_result: README.md",
            "assistant_text: One file.",
            "user_prompt: and count them",
            "tool_call: -",
            "tool_result: Tool execution blocked: no",
        ]
    );
}
