//! A session as the rules of friction read it: its records in order, each with its parts.
//!
//! Both adapters end here, [`super::claude_lines`] for what is counted exactly as others count it, and [`super::events`]
//! for the sessions of all agents.

use serde_json::Value;

use cm_note::instant::Instant;
use cm_session::event::ToolOutcome;
use cm_session::{CallId, RecordId};

/// A session's log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Log {
    /// What the session worked on, for people: the name of a folder.
    pub project: String,
    /// The session's id, or the name of its file without the ending.
    pub name: String,
    /// The folder that was worked in.
    pub folder: Option<String>,
    /// The branch of git.
    pub branch: Option<String>,
    /// The time of the first record.
    pub started: Option<Instant>,
    /// The time of the last record.
    pub ended: Option<Instant>,
    /// The records that tell something, in order.
    pub records: Vec<Record>,
    /// How many lines could not be read.
    pub unread: u32,
}

/// One record of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// When.
    pub at: Option<Instant>,
    /// The id that the log gives it; the same id in another log is the same record.
    pub id: Option<RecordId>,
    /// In whose role it stands.
    pub role: Role,
    /// Whether it is a person's message, which is what turns are counted by.
    pub turn: bool,
    /// What it tells.
    pub parts: Vec<Part>,
}

/// In whose role a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person's; results of tools stand in it too.
    Person,
    /// A program's that speaks in the person's role.
    Program,
    /// The agent's.
    Agent,
    /// The person's, within a report of progress.
    Inner,
    /// The log's own.
    System,
}

impl Role {
    /// Whether its records are steps of the conversation, of which a few around a sign are its context.
    pub fn is_step(self) -> bool {
        matches!(self, Self::Person | Self::Program | Self::Agent)
    }
}

/// What a record tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Words of whoever stands in the role.
    Text(String),
    /// A call of a tool.
    Call {
        /// Its result names it.
        id: Option<CallId>,
        /// The tool.
        tool: String,
        /// Its arguments.
        input: Value,
    },
    /// What came of a call.
    Result {
        /// The call.
        id: Option<CallId>,
        /// How it ended, as far as the log tells.
        outcome: ToolOutcome,
        /// The exit code of a command, where the log tells it apart from the text.
        exit_code: Option<i32>,
        /// What the tool said.
        text: String,
    },
    /// The person stopped the agent.
    Interrupt,
    /// The context was summed up.
    Compaction(Option<String>),
}

impl Record {
    /// Its first text that says something.
    pub fn text(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| match part {
            Part::Text(text) if !text.is_empty() => Some(text.as_str()),
            _ => None,
        })
    }
}

/// The first so many units of UTF-16, never half a character: lengths in the classic rules are counted so.
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

/// How many units of UTF-16 a text has.
pub(super) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Seconds from one instant to another, negative where the second is the earlier.
pub(super) fn seconds(from: Instant, to: Instant) -> f64 {
    (to.to_chrono().timestamp_millis() - from.to_chrono().timestamp_millis()) as f64 / 1000.0
}

/// A time as reports write it, to the millisecond; empty where there is none.
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
