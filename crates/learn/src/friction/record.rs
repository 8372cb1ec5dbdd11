//! A session log as the friction rules read it: records in order, each with its parts.
//!
//! Both adapters produce it: [`super::claude_lines`] for the classic rules and [`super::events`]
//! for all agents.

use serde_json::Value;

use cm_note::instant::Instant;
use cm_session::event::ToolOutcome;
use cm_session::{CallId, RecordId};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionLog {
    /// Name of the project for reports, derived from a folder name; else the agent's name.
    pub project: String,
    /// Id of the session, or the log's file name without extension.
    pub name: String,
    /// Working directory of the session.
    pub folder: Option<String>,
    /// Git branch.
    pub branch: Option<String>,
    /// The time of the first record.
    pub started: Option<Instant>,
    /// The time of the last record.
    pub ended: Option<Instant>,
    /// Records of the log that have content, in order.
    pub records: Vec<LogRecord>,
    /// Number of log lines that could not be parsed.
    pub unread: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LogRecord {
    /// Time of the record; `None` if the log does not state it.
    pub at: Option<Instant>,
    /// Record id from the log. Two logs that contain the same id share this record, because one is
    /// a fork of the other.
    pub id: Option<RecordId>,
    pub role: RecordRole,
    /// Whether the record counts as a user message.
    pub is_user_message: bool,
    pub parts: Vec<RecordPart>,
}

/// Who sent a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordRole {
    /// The user; tool results may have this role too.
    Person,
    /// A program, not the user, that sends messages in the user role.
    Program,
    Agent,
    /// The user, inside a progress report of the agent's program.
    Inner,
    /// The log itself, for example for compactions.
    System,
}

impl RecordRole {
    /// Returns `true` if records of this role are steps of the conversation, which are shown around
    /// a signal.
    pub(crate) fn is_step(self) -> bool {
        matches!(self, Self::Person | Self::Program | Self::Agent)
    }
}

/// One part of a record: text, tool call, tool result, interruption or compaction.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordPart {
    /// A message text, or a part of it.
    Text(String),
    /// A tool call.
    Call {
        /// Id by which the result refers to this call.
        id: Option<CallId>,
        tool: String,
        /// Arguments of the call, as JSON.
        input: Value,
    },
    /// The result of a tool call.
    Result {
        /// Id of the call to which the result belongs.
        id: Option<CallId>,
        /// Outcome of the call; `Unknown` if the log does not state it.
        outcome: ToolOutcome,
        /// Exit code of a command, if the log has it as a separate field.
        exit_code: Option<i32>,
        /// Output of the tool.
        text: String,
    },
    /// The user stopped the agent.
    Interrupt,
    /// The agent's context was compacted; contains the summary, if the log has it.
    Compaction(Option<String>),
}

impl LogRecord {
    /// Returns the first non-empty text among the record's parts.
    pub fn text(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| match part {
            RecordPart::Text(text) if !text.is_empty() => Some(text.as_str()),
            _ => None,
        })
    }
}

/// Returns the first `units` UTF-16 units without splitting a character, because the classic rules
/// measure lengths in UTF-16.
pub(super) fn head(text: &str, units: usize) -> &str {
    let mut left = units;
    for (at, c) in text.char_indices() {
        match left.checked_sub(c.len_utf16()) {
            Some(rest) => left = rest,
            None => return &text[..at],
        }
    }
    text
}

/// Returns the length of a text in UTF-16 units.
pub(super) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Returns the seconds from `from` to `to`; negative if `to` is earlier.
pub(super) fn seconds(from: Instant, to: Instant) -> f64 {
    (to.to_chrono().timestamp_millis() - from.to_chrono().timestamp_millis()) as f64 / 1000.0
}

/// Formats a time for reports, RFC 3339 with milliseconds; empty for `None`.
pub(super) fn stamp(at: Option<Instant>) -> String {
    at.map(|at| at.to_chrono().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(head("ab", 5), "ab");
        assert_eq!(head("añb", 2), "añ");
        assert_eq!(head("a😀b", 2), "a");
        assert_eq!(units("a😀"), 3);
    }

    #[test]
    fn a_time_is_written_with_its_milliseconds_in_utc() {
        let at = Instant::parse("2026-10-01T12:00:00.250+02:00").unwrap();
        assert_eq!(stamp(Some(at)), "2026-10-01T10:00:00.250Z");
        assert_eq!(stamp(None), "");
    }
}
