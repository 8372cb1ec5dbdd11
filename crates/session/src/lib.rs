//! The common model of sessions between a person and an agent, independent of log formats.
//!
//! Connectors read the log files; other modules evaluate sessions.

pub mod event;
pub mod fork;
pub mod harness_text;
pub mod injected_markers;
pub mod status;
pub mod title;
pub mod typed_reply;

use std::fmt;

use serde::{Deserialize, Serialize};

use cm_note::instant::Instant;
use cm_text::named_enum;

/// Number of characters of a session ID that are shown.
const SHORT_CHARS: usize = 8;
/// Number of characters of a UUID of version 7 that are shown. It begins with its time: the first eight are
/// equal for all sessions of about a minute, these only for those of one millisecond.
const SHORT_TIMED_CHARS: usize = 13;

/// Returns the beginning of a session ID that is shown.
pub fn short_id(id: &str) -> &str {
    let is_timed = id.len() == 36 && id.as_bytes().get(14) == Some(&b'7');
    let shown = if is_timed { SHORT_TIMED_CHARS } else { SHORT_CHARS };
    id.char_indices().nth(shown).map_or(id, |(end, _)| &id[..end])
}

named_enum! {
    /// The agent program that wrote a log.
    pub enum Agent {
        ClaudeCode = "claude-code",
        /// Codex, on the command line and in editors.
        Codex = "codex",
        /// Cursor, the editor and its command line.
        Cursor = "cursor",
        Aider = "aider",
        /// Pi, and its fork omp.
        Pi = "pi",
        /// Gemini CLI.
        Gemini = "gemini",
        /// ChatGPT, by its data export.
        Chatgpt = "chatgpt",
        Opencode = "opencode",
        /// Cline and Roo Code.
        Cline = "cline",
        Amp = "amp",
        /// GitHub Copilot CLI.
        CopilotCli = "copilot-cli",
        /// Qwen Code.
        Qwen = "qwen",
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Defines an id type, so that ids of different kinds cannot be confused.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Box<str>);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id! {
    /// Id of a session in its log format, or one made from path and position if the format has
    /// none.
    SessionId
}
id! {
    /// Id of a record in a log. A record with the same id in two logs is one event.
    RecordId
}
id! {
    /// Id of a tool call; its result refers to it.
    CallId
}

/// Metadata of a session. Logs may provide it after the first event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMeta {
    pub agent: Agent,
    /// Session id, unique for the agent.
    pub id: SessionId,
    /// Title from the log, or the first line of the first prompt; at most 100 characters.
    pub title: Option<String>,
    /// Working folder as written in the log.
    pub workspace: Option<String>,
    /// Git branch at the start of the session.
    pub branch: Option<String>,
    /// Time of the earliest record.
    pub started: Option<Instant>,
    /// Time of the latest record.
    pub ended: Option<Instant>,
    /// The model that answered last.
    pub model: Option<String>,
    /// The session that this one was forked from, or whose subagent it is.
    pub parent: Option<SessionId>,
    /// Whether an agent started the session as a subagent.
    pub subagent: bool,
    /// Whether a program sent the prompts, as with `claude -p` or `codex exec`: none was typed at
    /// an interactive prompt.
    #[serde(default)]
    pub headless: bool,
    /// Whether `cm` itself caused the session. Such a session has no events, and earlier results
    /// for it are invalid.
    pub ours: bool,
}

impl SessionMeta {
    /// Creates metadata with only an id.
    pub fn new(agent: Agent, id: SessionId) -> Self {
        Self {
            agent,
            id,
            title: None,
            workspace: None,
            branch: None,
            started: None,
            ended: None,
            model: None,
            parent: None,
            subagent: false,
            headless: false,
            ours: false,
        }
    }

    /// Extends the session's time range to the time of a record.
    pub fn extend_time_range(&mut self, at: Option<Instant>) {
        let Some(at) = at else { return };
        self.started = Some(self.started.map_or(at, |so_far| so_far.min(at)));
        self.ended = Some(self.ended.map_or(at, |so_far| so_far.max(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_is_written_by_its_name() {
        for agent in Agent::ALL {
            assert_eq!(serde_json::to_string(&agent).unwrap(), format!("\"{agent}\""));
        }
    }

    #[test]
    fn sessions_of_one_minute_have_different_short_ids() {
        let short =
            ["0199c5a1-7000-7bbb-8bbb-000000000000", "0199c5a1-7100-7bbb-8bbb-000000000001"].map(short_id);
        assert_eq!(short, ["0199c5a1-7000", "0199c5a1-7100"]);
        assert_eq!(short_id("a0000000-0000-4000-8000-000000000000"), "a0000000");
    }

    #[test]
    fn the_earliest_and_latest_record_bound_a_session_in_whatever_order_they_come() {
        let mut meta = SessionMeta::new(Agent::Pi, "s".into());
        for seconds in [20, 10, 30] {
            meta.extend_time_range(Some(Instant::from_unix(seconds)));
        }
        meta.extend_time_range(None);
        assert_eq!(meta.started, Some(Instant::from_unix(10)));
        assert_eq!(meta.ended, Some(Instant::from_unix(30)));
    }
}
