//! Events of a session.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CallId, RecordId};
use cm_note::instant::Instant;
use cm_text::named_enum;

/// One event, with its location in the log.
///
/// `line` and `part` identify an event within its session: when a log is read again, the same pair
/// denotes the same event, whose text may have grown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionEvent {
    /// Time of the event; `None` in formats without times.
    pub at: Option<Instant>,
    /// Line of the log, from 1; in formats without lines, the ordinal of the record in its session.
    pub line: u64,
    /// Index of the event among those of its line, from 0.
    pub part: u32,
    /// Id of the record in the log. A record with the same id in two logs is one event.
    pub record: Option<RecordId>,
    /// Whether the event belongs to a subagent within the session.
    pub side: bool,
    #[serde(flatten)]
    pub kind: EventKind,
}

/// Content of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum EventKind {
    /// A message of the person to the agent.
    UserPrompt { text: String },
    /// A message in the person's role that a program wrote.
    Injected { text: String },
    /// A message of the agent.
    AssistantText { text: String },
    /// A thought of the agent.
    Thinking {
        /// The thought, or the log's summary of it.
        text: String,
    },
    /// A tool call of the agent.
    ToolCall {
        /// Id that the result refers to.
        id: Option<CallId>,
        /// Name of the tool.
        name: String,
        /// Arguments; a string if the log has no JSON.
        input: Value,
    },
    /// Result of a tool call.
    ToolResult {
        id: Option<CallId>,
        outcome: ToolOutcome,
        /// Exit code of a command, if the log has one.
        exit_code: Option<i32>,
        /// Output of the tool.
        text: String,
    },
    /// A shell command that the person ran in the agent's program.
    PersonCommand {
        /// Command as typed.
        command: String,
        /// Output, if this record has it.
        output: Option<String>,
        /// Exit code, if this record has it.
        exit_code: Option<i32>,
    },
    /// The person interrupted the agent.
    Interrupt,
    /// A tool call was rejected.
    ToolRejected {
        id: Option<CallId>,
        /// Message to the agent.
        text: String,
    },
    /// The agent's context was compacted.
    Compaction {
        /// `auto` or `manual`, if known; `branch` for an abandoned branch; `summary` if the log
        /// only has the summary, possibly of another session.
        trigger: Option<String>,
        /// Summary of the compacted context.
        summary: Option<String>,
    },
    /// Another model answers from here on.
    ModelChange {
        /// Name of the new model.
        model: String,
    },
    /// The agent's program failed, for example because the model's server refused a request or a
    /// limit was reached.
    Error {
        /// Error message.
        text: String,
    },
    /// A notice of the agent's program, such as a hook or commit.
    System { text: String },
}

/// Result of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// The tool succeeded.
    Ok,
    /// The tool or its command failed.
    Error,
    /// The log does not record it.
    Unknown,
}

impl ToolOutcome {
    /// Derives the outcome from an exit code; `Unknown` without one.
    pub fn of_exit(code: Option<i32>) -> Self {
        match code {
            None => Self::Unknown,
            Some(0) => Self::Ok,
            Some(_) => Self::Error,
        }
    }
}

named_enum! {
    /// Kind of an event without its content. The order is that of their numbers in the session index:
    /// new ones are appended.
    pub enum EventName {
        UserPrompt = "user_prompt",
        Injected = "injected",
        AssistantText = "assistant_text",
        Thinking = "thinking",
        ToolCall = "tool_call",
        ToolResult = "tool_result",
        PersonCommand = "person_command",
        Interrupt = "interrupt",
        ToolRejected = "tool_rejected",
        Compaction = "compaction",
        ModelChange = "model_change",
        Error = "error",
        System = "system",
    }
}

impl EventKind {
    /// The kind without its content.
    pub fn event_name(&self) -> EventName {
        match self {
            Self::UserPrompt { .. } => EventName::UserPrompt,
            Self::Injected { .. } => EventName::Injected,
            Self::AssistantText { .. } => EventName::AssistantText,
            Self::Thinking { .. } => EventName::Thinking,
            Self::ToolCall { .. } => EventName::ToolCall,
            Self::ToolResult { .. } => EventName::ToolResult,
            Self::PersonCommand { .. } => EventName::PersonCommand,
            Self::Interrupt => EventName::Interrupt,
            Self::ToolRejected { .. } => EventName::ToolRejected,
            Self::Compaction { .. } => EventName::Compaction,
            Self::ModelChange { .. } => EventName::ModelChange,
            Self::Error { .. } => EventName::Error,
            Self::System { .. } => EventName::System,
        }
    }

    /// Name in JSON, such as `user_prompt`.
    pub fn name(&self) -> &'static str {
        self.event_name().name()
    }

    /// Returns the event's text; `None` for events without text and for tool calls, whose arguments
    /// are data.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::UserPrompt { text }
            | Self::Injected { text }
            | Self::AssistantText { text }
            | Self::Thinking { text }
            | Self::ToolResult { text, .. }
            | Self::ToolRejected { text, .. }
            | Self::Error { text }
            | Self::System { text } => Some(text),
            Self::PersonCommand { command, .. } => Some(command),
            Self::Compaction { summary, .. } => summary.as_deref(),
            Self::ModelChange { model } => Some(model),
            Self::ToolCall { .. } | Self::Interrupt => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_written_as_one_flat_object_and_read_back() {
        let event = SessionEvent {
            at: Some(Instant::from_unix(0)),
            line: 3,
            part: 1,
            record: Some("r".into()),
            side: false,
            kind: EventKind::ToolCall {
                id: Some("c".into()),
                name: "Bash".into(),
                input: serde_json::json!({"command": "ls"}),
            },
        };
        let written = serde_json::to_string(&event).unwrap();
        assert_eq!(
            written,
            r#"{"at":"1970-01-01T00:00:00Z","line":3,"part":1,"record":"r","side":false,"kind":"tool_call","id":"c","name":"Bash","input":{"command":"ls"}}"#
        );
        assert_eq!(serde_json::from_str::<SessionEvent>(&written).unwrap(), event);
        assert!(written.contains(&format!("\"kind\":\"{}\"", event.kind.name())));
    }
}
