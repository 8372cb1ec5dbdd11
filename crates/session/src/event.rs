//! One thing that happened in a session.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CallId, RecordId};
use cm_note::instant::Instant;

/// One thing that happened, with the place of the log that tells it.
///
/// `line` and `part` name an event within its session: when a log is read again, the same pair tells the same event,
/// perhaps longer than before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When; some formats do not tell.
    pub at: Option<Instant>,
    /// The line of the log that tells it, from 1; in formats without lines the ordinal of the record in its session.
    pub line: u64,
    /// Which of the events that this line tells, from 0.
    pub part: u32,
    /// The id that the log gives the record; the same record in two logs is one event.
    pub record: Option<RecordId>,
    /// Whether an agent said or did it for another agent within the session.
    pub side: bool,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum EventKind {
    /// A person said something to the agent.
    UserPrompt {
        /// In the person's words.
        text: String,
    },
    /// A record in the person's role that a program wrote.
    Injected {
        /// What it said.
        text: String,
    },
    /// The agent said something.
    AssistantText {
        /// In the agent's words.
        text: String,
    },
    /// The agent thought aloud.
    Thinking {
        /// The thought, or the summary that the log keeps of it.
        text: String,
    },
    /// The agent called a tool.
    ToolCall {
        /// Its result names it.
        id: Option<CallId>,
        /// The tool, as the agent calls it.
        name: String,
        /// The arguments; text where the log holds no JSON.
        input: Value,
    },
    /// What came of a tool call.
    ToolResult {
        /// The call that it answers.
        id: Option<CallId>,
        /// How the tool ended.
        outcome: ToolOutcome,
        /// The exit code of a command, where the log tells it.
        exit_code: Option<i32>,
        /// What the tool said.
        text: String,
    },
    /// The person ran a command beside the agent.
    PersonCommand {
        /// As typed.
        command: String,
        /// What it printed, where this record tells.
        output: Option<String>,
        /// Its exit code, where this record tells.
        exit_code: Option<i32>,
    },
    /// The person stopped the agent.
    Interrupt,
    /// A tool was not let run.
    ToolRejected {
        /// The call.
        id: Option<CallId>,
        /// What the agent was told.
        text: String,
    },
    /// The agent's context was summed up.
    Compaction {
        /// `auto` or `manual`, where the log tells; `branch` of a branch that was left; `summary` where the log holds
        /// the words alone, perhaps of another session.
        trigger: Option<String>,
        /// What is left of it in words.
        summary: Option<String>,
    },
    /// Another model answers from here on.
    ModelChange {
        /// Its name.
        model: String,
    },
    /// The agent's program failed: the model's server refused, a limit was reached.
    Error {
        /// What it said.
        text: String,
    },
    /// What the agent's program noted: hooks, commits, notices.
    System {
        /// What it said.
        text: String,
    },
}

/// How a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// It did what it was asked.
    Ok,
    /// It failed, or its command did.
    Error,
    /// The log does not tell.
    Unknown,
}

impl ToolOutcome {
    /// What an exit code says; nothing where there is none.
    pub fn of_exit(code: Option<i32>) -> Self {
        match code {
            None => Self::Unknown,
            Some(0) => Self::Ok,
            Some(_) => Self::Error,
        }
    }
}

impl EventKind {
    /// The name in JSON, such as `user_prompt`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::UserPrompt { .. } => "user_prompt",
            Self::Injected { .. } => "injected",
            Self::AssistantText { .. } => "assistant_text",
            Self::Thinking { .. } => "thinking",
            Self::ToolCall { .. } => "tool_call",
            Self::ToolResult { .. } => "tool_result",
            Self::PersonCommand { .. } => "person_command",
            Self::Interrupt => "interrupt",
            Self::ToolRejected { .. } => "tool_rejected",
            Self::Compaction { .. } => "compaction",
            Self::ModelChange { .. } => "model_change",
            Self::Error { .. } => "error",
            Self::System { .. } => "system",
        }
    }

    /// The running text of the event, where it has one. A tool's arguments are data and no text.
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
        let event = Event {
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
        assert_eq!(serde_json::from_str::<Event>(&written).unwrap(), event);
        assert!(written.contains(&format!("\"kind\":\"{}\"", event.kind.name())));
    }
}
