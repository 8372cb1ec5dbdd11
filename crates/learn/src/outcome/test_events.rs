//! Builds events for tests.

use serde_json::Value;

use cm_note::instant::Instant;
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};

/// Builds a log of these events, one per line and minute.
pub(crate) fn log_of(kinds: impl IntoIterator<Item = EventKind>) -> Vec<SessionEvent> {
    let event = |(line, kind)| SessionEvent {
        at: Some(Instant::from_unix(line as i64 * 60)),
        line,
        part: 0,
        record: None,
        side: false,
        kind,
    };
    (1..).zip(kinds).map(event).collect()
}

pub fn person(text: &str) -> EventKind {
    EventKind::UserPrompt { text: text.to_owned() }
}

pub fn agent(text: &str) -> EventKind {
    EventKind::AssistantText { text: text.to_owned() }
}

pub fn call(id: &str, name: &str, input: Value) -> EventKind {
    EventKind::ToolCall { id: Some(id.into()), name: name.to_owned(), input }
}

/// Builds the result of a tool call.
pub fn result(id: &str, outcome: ToolOutcome, text: &str) -> EventKind {
    EventKind::ToolResult { id: Some(id.into()), outcome, exit_code: None, text: text.to_owned() }
}

/// Builds a shell command of the agent with its result.
pub fn ran(id: &str, command: &str, outcome: ToolOutcome, output: &str) -> [EventKind; 2] {
    [call(id, "Bash", serde_json::json!({"command": command})), result(id, outcome, output)]
}

/// Builds a successful edit of a file.
pub fn edited(id: &str, path: &str) -> [EventKind; 2] {
    added(id, path, "b")
}

/// Builds a successful edit that adds a text to a file.
pub fn added(id: &str, path: &str, text: &str) -> [EventKind; 2] {
    let input = serde_json::json!({"file_path": path, "old_string": "a", "new_string": text});
    [call(id, "Edit", input), result(id, ToolOutcome::Ok, "done")]
}
