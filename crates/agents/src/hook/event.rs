//! The session events at which agents run hooks, and each agent's names for them.

use std::fmt;

use super::Agent;

/// A point in a session at which agents run hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// A session starts, is resumed, or was compacted.
    SessionStart,
    /// The user sent a prompt.
    Prompt,
    /// A tool is about to run; handled by the guard.
    PreTool,
    PostTool,
    ToolFailure,
    PreCompact,
    /// The agent finished an answer.
    Stop,
    SessionEnd,
}

impl Event {
    /// All events, in the order in which they occur in a session.
    pub const ALL: [Self; 8] = [
        Self::SessionStart,
        Self::Prompt,
        Self::PreTool,
        Self::PostTool,
        Self::ToolFailure,
        Self::PreCompact,
        Self::Stop,
        Self::SessionEnd,
    ];

    /// Name in `cm hook EVENT`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Prompt => "prompt",
            Self::PreTool => "pre-tool",
            Self::PostTool => "post-tool",
            Self::ToolFailure => "tool-failure",
            Self::PreCompact => "pre-compact",
            Self::Stop => "stop",
            Self::SessionEnd => "session-end",
        }
    }

    /// The agent's name for the event; `None` if the agent does not have it.
    #[must_use]
    pub fn called_by(self, agent: Agent) -> Option<&'static str> {
        let name = match (agent, self) {
            (Agent::Claude | Agent::Codex, Self::SessionStart) => "SessionStart",
            (Agent::Claude | Agent::Codex, Self::Prompt) => "UserPromptSubmit",
            (Agent::Claude | Agent::Codex, Self::PreTool) => "PreToolUse",
            (Agent::Claude | Agent::Codex, Self::PostTool) => "PostToolUse",
            (Agent::Claude, Self::ToolFailure) => "PostToolUseFailure",
            (Agent::Claude | Agent::Codex, Self::PreCompact) => "PreCompact",
            (Agent::Claude | Agent::Codex, Self::Stop) => "Stop",
            (Agent::Claude | Agent::Codex, Self::SessionEnd) => "SessionEnd",
            (Agent::Cursor, Self::SessionStart) => "sessionStart",
            (Agent::Cursor, Self::Prompt) => "beforeSubmitPrompt",
            (Agent::Cursor, Self::PreTool) => "beforeShellExecution",
            (Agent::Cursor, Self::PostTool) => "postToolUse",
            (Agent::Cursor, Self::ToolFailure) => "postToolUseFailure",
            (Agent::Cursor, Self::PreCompact) => "preCompact",
            (Agent::Cursor, Self::Stop) => "stop",
            (Agent::Cursor, Self::SessionEnd) => "sessionEnd",
            (Agent::Gemini, Self::SessionStart) => "SessionStart",
            (Agent::Gemini, Self::Prompt) => "BeforeAgent",
            (Agent::Gemini, Self::PreTool) => "BeforeTool",
            (Agent::Gemini, Self::PostTool) => "AfterTool",
            (Agent::Gemini, Self::PreCompact) => "PreCompress",
            (Agent::Gemini, Self::Stop) => "AfterAgent",
            (Agent::Gemini, Self::SessionEnd) => "SessionEnd",
            (Agent::Codex | Agent::Gemini, Self::ToolFailure) => return None,
            // Our own plugin speaks for opencode, in our own words.
            (Agent::Opencode, event) => event.name(),
        };
        Some(name)
    }

    /// Returns the event with this name, either cm's name or that of any agent.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        // Cursor asks before a tool in two ways; ours is the narrower one.
        if name == "preToolUse" {
            return Some(Self::PreTool);
        }
        Self::ALL.into_iter().find(|event| {
            event.name() == name || Agent::ALL.iter().any(|agent| event.called_by(*agent) == Some(name))
        })
    }

    /// Returns when notes selected at this event can be injected.
    #[must_use]
    pub fn when_told(self, agent: Agent) -> When {
        match (agent, self) {
            // Cursor takes no words at a prompt or a failure, but does after a tool.
            (Agent::Cursor, Self::Prompt | Self::ToolFailure) => When::At(Self::PostTool),
            (Agent::Claude | Agent::Codex, Self::SessionStart | Self::Prompt)
            // What it is given at a start it puts into the first prompt, which it then leaves out of the conversation
            // that it resumes.
            | (Agent::Gemini, Self::Prompt)
            | (Agent::Claude, Self::ToolFailure)
            | (Agent::Cursor, Self::SessionStart | Self::PostTool)
            | (Agent::Opencode, Self::SessionStart | Self::Prompt) => When::Now,
            _ => When::Never,
        }
    }

    /// Returns `true` if the start text is injected at this event: at the session start if the
    /// agent accepts text there, otherwise at a prompt.
    #[must_use]
    pub fn briefs(self, agent: Agent) -> bool {
        let at_start = Self::SessionStart.when_told(agent) != When::Never;
        self == if at_start { Self::SessionStart } else { Self::Prompt }
    }

    /// Returns `true` if the session log is read at this event.
    #[must_use]
    pub fn captures(self) -> bool {
        matches!(self, Self::PreCompact | Self::Stop | Self::SessionEnd)
    }
}

/// Time at which an agent accepts injected text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// In the response to the event.
    Now,
    /// In the response to the next event of this kind.
    At(Event),
    /// The agent accepts no text at or after the event.
    Never,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_an_event_leads_back_to_it() {
        for event in Event::ALL {
            assert_eq!(Event::named(event.name()), Some(event));
            for agent in Agent::ALL {
                assert_eq!(
                    event.called_by(agent).map(Event::named),
                    event.called_by(agent).map(|_| Some(event))
                );
            }
        }
        assert_eq!(Event::named("preToolUse"), Some(Event::PreTool));
        assert_eq!(Event::named("Notification"), None);
    }

    #[test]
    fn what_cannot_be_told_at_once_is_told_at_an_event_that_takes_words() {
        for agent in Agent::ALL {
            for event in Event::ALL {
                if let When::At(later) = event.when_told(agent) {
                    assert_eq!(later.when_told(agent), When::Now, "{agent} {event}");
                }
            }
        }
    }
}
