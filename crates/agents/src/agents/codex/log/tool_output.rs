//! Parses tool output of Codex, which reports the outcome of a command in three different formats.

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientBool, LenientNumber, LenientObject, LenientText, MessageContent, RawJson,
};
use cm_session::CallId;
use cm_session::event::{EventKind, ToolOutcome};

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct CodexOutput<'a> {
    output: LenientText<'a>,
    metadata: LenientObject<CodexMetadata>,
    content: MessageContent<'a, CodexOutputBlock<'a>>,
    success: LenientBool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CodexMetadata {
    exit_code: LenientNumber,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct CodexOutputBlock<'a> {
    text: LenientText<'a>,
}

/// Converts the output of a tool into an event.
pub fn result(id: Option<CallId>, output: RawJson<'_>) -> EventKind {
    let text = output.text();
    let json = output.get().map_or("", |raw| raw.get());
    if json.starts_with('[') {
        let content: MessageContent<'_, CodexOutputBlock<'_>> =
            serde_json::from_str(json).unwrap_or_default();
        return plain_result(id, content.joined(|block| block.text.0.as_deref()), None);
    }
    let Some(wire) = text
        .trim_start()
        .starts_with('{')
        .then(|| serde_json::from_str::<CodexOutput<'_>>(&text).ok())
        .flatten()
    else {
        return plain_result(id, text, None);
    };
    let content = wire.content.joined(|block| block.text.0.as_deref());
    if let Some(metadata) = wire.metadata.0 {
        let exit_code = metadata.exit_code.exit_code();
        let text = wire.output.or_empty().to_owned();
        return EventKind::ToolResult { id, outcome: ToolOutcome::of_exit(exit_code), exit_code, text };
    }
    if !content.is_empty() {
        return plain_result(id, content, wire.success.0);
    }
    plain_result(id, text.clone(), wire.success.0)
}

fn plain_result(id: Option<CallId>, text: String, success: Option<bool>) -> EventKind {
    let exit_code = exit_code(&text);
    let outcome = match (exit_code, success) {
        (Some(_), _) => ToolOutcome::of_exit(exit_code),
        (None, Some(true)) => ToolOutcome::Ok,
        (None, Some(false)) => ToolOutcome::Error,
        (None, None) if reports_failure(&text) => ToolOutcome::Error,
        (None, None) => ToolOutcome::Unknown,
    };
    EventKind::ToolResult { id, outcome, exit_code, text }
}

/// Parses the exit code in the lines before `Output:`.
fn exit_code(text: &str) -> Option<i32> {
    text.lines().take(8).take_while(|line| line.trim() != "Output:").find_map(|line| {
        let code =
            line.strip_prefix("Process exited with code ").or_else(|| line.strip_prefix("Exit code: "))?;
        code.trim().parse().ok()
    })
}

/// Returns whether the first line reports that a tool failed to run or timed out.
fn reports_failure(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    [
        "command timed out after",
        "failed to parse function arguments",
        "apply_patch verification failed",
        "unsupported call:",
    ]
    .iter()
    .any(|opening| first.starts_with(opening))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> (ToolOutcome, Option<i32>, String) {
        match result(None, serde_json::from_str(json).unwrap()) {
            EventKind::ToolResult { outcome, exit_code, text, .. } => (outcome, exit_code, text),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_generation_tells_how_a_command_ended() {
        use ToolOutcome::{Error, Ok, Unknown};
        for (json, outcome, code, text) in [
            (
                r#""{\"output\":\"hi\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}""#,
                Ok,
                Some(0),
                "hi",
            ),
            (
                r#""Exit code: 2\nWall time: 1.2 seconds\nOutput:\nno""#,
                Error,
                Some(2),
                "Exit code: 2\nWall time: 1.2 seconds\nOutput:\nno",
            ),
            (
                r#""Chunk ID: a\nProcess exited with code 0\nOutput:\nExit code: 9""#,
                Ok,
                Some(0),
                "Chunk ID: a\nProcess exited with code 0\nOutput:\nExit code: 9",
            ),
            (
                r#""Chunk ID: a\nProcess running with session ID 7\nOutput:\nExit code: 9""#,
                Unknown,
                None,
                "Chunk ID: a\nProcess running with session ID 7\nOutput:\nExit code: 9",
            ),
            (
                r#""command timed out after 10 milliseconds""#,
                Error,
                None,
                "command timed out after 10 milliseconds",
            ),
            (r#"{"content":[{"type":"input_text","text":"x"}],"success":true}"#, Ok, None, "x"),
            (r#"[{"type":"input_text","text":"x"}]"#, Unknown, None, "x"),
            (r#""{\"a\":1}""#, Unknown, None, "{\"a\":1}"),
            ("null", Unknown, None, ""),
        ] {
            assert_eq!(of(json), (outcome, code, text.to_owned()), "{json}");
        }
    }
}
