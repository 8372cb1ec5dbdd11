//! What was said and done between a person and an agent, as every connector hands it on.
//!
//! It knows no log format: reading files is the work of the connectors, and judging a session that of others.

pub mod event;
pub mod fork;
pub mod ours;
pub mod scaffold;
pub mod status;
pub mod title;
pub mod typed_reply;

use std::fmt;

use serde::{Deserialize, Serialize};

use cm_note::instant::Instant;

/// Which program kept the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agent {
    /// Claude Code.
    ClaudeCode,
    /// Codex, on the command line and in editors.
    Codex,
    /// Cursor, the editor and its command line.
    Cursor,
    /// Aider.
    Aider,
    /// Pi, and its fork omp.
    Pi,
    /// Gemini CLI.
    Gemini,
    /// ChatGPT, by its data export.
    Chatgpt,
    /// opencode.
    Opencode,
    /// Cline and Roo Code.
    Cline,
    /// Amp.
    Amp,
    /// GitHub Copilot CLI.
    CopilotCli,
}

impl Agent {
    /// Every agent, in the order of the enum.
    pub const ALL: [Self; 11] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::Aider,
        Self::Pi,
        Self::Gemini,
        Self::Chatgpt,
        Self::Opencode,
        Self::Cline,
        Self::Amp,
        Self::CopilotCli,
    ];

    /// The name in settings, JSON and flags, such as `claude-code`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Aider => "aider",
            Self::Pi => "pi",
            Self::Gemini => "gemini",
            Self::Chatgpt => "chatgpt",
            Self::Opencode => "opencode",
            Self::Cline => "cline",
            Self::Amp => "amp",
            Self::CopilotCli => "copilot-cli",
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names one thing of a log, so that the ids of different things cannot be mixed up.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Box<str>);

        impl $name {
            /// The id as it is written.
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
    /// A session, by the id that its format gives it; where there is none, one made of the path and the place in it.
    SessionId
}
id! {
    /// A record of a log. The same record in two logs is one event, told twice.
    RecordId
}
id! {
    /// A tool call; its result names it.
    CallId
}

/// What is known of a session besides its events. Any of it may become known later in a log than the first event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Which program kept the log.
    pub agent: Agent,
    /// Unique for the agent.
    pub id: SessionId,
    /// A title that the log holds, or the first line of what the person said first; at most 100 characters.
    pub title: Option<String>,
    /// The folder that was worked in, as the log writes it.
    pub workspace: Option<String>,
    /// The branch of git, when the session began.
    pub branch: Option<String>,
    /// The time of the earliest record.
    pub started: Option<Instant>,
    /// The time of the latest record.
    pub ended: Option<Instant>,
    /// The model that answered last.
    pub model: Option<String>,
    /// The session that this one was forked from, or is a sub-agent of.
    pub parent: Option<SessionId>,
    /// Whether an agent started it for itself.
    pub subagent: bool,
    /// Whether `cm` itself caused it: such a session has no events, and what an earlier run told of it is void.
    pub ours: bool,
}

impl Meta {
    /// A session of which only its name is known.
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
            ours: false,
        }
    }

    /// Takes in the time of a record.
    pub fn saw(&mut self, at: Option<Instant>) {
        let Some(at) = at else { return };
        self.started = Some(self.started.map_or(at, |known| known.min(at)));
        self.ended = Some(self.ended.map_or(at, |known| known.max(at)));
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
    fn the_earliest_and_latest_record_bound_a_session_in_whatever_order_they_come() {
        let mut meta = Meta::new(Agent::Pi, "s".into());
        for seconds in [20, 10, 30] {
            meta.saw(Some(Instant::from_unix(seconds)));
        }
        meta.saw(None);
        assert_eq!(meta.started, Some(Instant::from_unix(10)));
        assert_eq!(meta.ended, Some(Instant::from_unix(30)));
    }
}
