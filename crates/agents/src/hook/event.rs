//! The session events at which agents run hooks, and their names.

use std::fmt;

use crate::agents::cursor::hooks::FILE_TOOL_EVENT;
use crate::agents::hook_agents;
use cm_text::named_enum;

named_enum! {
    /// A point in a session at which agents run hooks.
    pub enum HookEvent {
        /// A session starts, is resumed, or was compacted.
        SessionStart = "session-start",
        /// The user sent a prompt.
        Prompt = "prompt",
        /// A tool is about to run; handled by the guard.
        PreTool = "pre-tool",
        PostTool = "post-tool",
        ToolFailure = "tool-failure",
        PreCompact = "pre-compact",
        /// The agent finished an answer.
        Stop = "stop",
        SessionEnd = "session-end",
    }
}

impl HookEvent {
    /// What the hook reads and does, as a sentence for the person who installs it.
    #[must_use]
    pub fn purpose(self) -> &'static str {
        match self {
            Self::SessionStart => "cm adds CORE.md and rules for this project to the conversation",
            Self::Prompt => "cm reads the prompt and adds notes that fit it",
            Self::PreTool => "cm checks the command or edit against known dangers",
            Self::PostTool => "cm adds the notes that fit the last prompt",
            Self::ToolFailure => "cm reads the command and its error, and adds what is known about it",
            Self::PreCompact | Self::Stop | Self::SessionEnd => {
                "cm adds this session to its index on this machine, or sends it to your team server"
            }
        }
    }

    /// Like [`Self::purpose`], for a folder whose hooks call a team server.
    #[must_use]
    pub fn server_purpose(self) -> &'static str {
        match self {
            Self::SessionStart => "cm asks the server for rules and memories for this project, and adds them",
            Self::Prompt => "cm sends the prompt without secrets to the server, and adds notes that fit it",
            Self::ToolFailure => {
                "cm sends the command and its error without secrets to the server, and adds what is known about it"
            }
            Self::PreTool | Self::PostTool => self.purpose(),
            Self::PreCompact | Self::Stop | Self::SessionEnd => {
                "cm sends this session without secrets to the server, and the feedback on rules in it"
            }
        }
    }

    /// Returns the event with this name, either cm's name or that of any agent.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if name == FILE_TOOL_EVENT {
            return Some(Self::PreTool);
        }
        Self::ALL.into_iter().find(|event| {
            event.name() == name || hook_agents().any(|agent| agent.event_name(*event) == Some(name))
        })
    }

    /// Returns `true` if the session log is read at this event.
    #[must_use]
    pub(crate) fn reads_session(self) -> bool {
        matches!(self, Self::PreCompact | Self::Stop | Self::SessionEnd)
    }
}

/// Time at which an agent accepts injected text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InjectionTiming {
    /// In the response to the event.
    Now,
    /// In the response to the next event of this kind.
    At(HookEvent),
    /// The agent accepts no text at or after the event.
    Never,
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_an_event_leads_back_to_it() {
        for event in HookEvent::ALL {
            assert_eq!(HookEvent::from_name(event.name()), Some(event));
            for agent in hook_agents() {
                assert_eq!(
                    agent.event_name(event).map(HookEvent::from_name),
                    agent.event_name(event).map(|_| Some(event))
                );
            }
        }
        assert_eq!(HookEvent::from_name("preToolUse"), Some(HookEvent::PreTool));
        assert_eq!(HookEvent::from_name("Notification"), None);
    }

    #[test]
    fn delayed_text_is_injected_at_an_event_that_accepts_text() {
        for agent in hook_agents() {
            for event in HookEvent::ALL {
                if let InjectionTiming::At(later) = agent.injection_timing(event) {
                    assert_eq!(agent.injection_timing(later), InjectionTiming::Now, "{agent} {event}");
                }
            }
        }
    }
}
