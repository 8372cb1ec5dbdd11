//! The session events at which agents run hooks, and each agent's names for them.

use std::fmt;

use super::HookAgent;

/// A point in a session at which agents run hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookEvent {
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

impl HookEvent {
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
    pub fn name_for(self, agent: HookAgent) -> Option<&'static str> {
        let name = match (agent, self) {
            (HookAgent::Claude | HookAgent::Codex, Self::SessionStart) => "SessionStart",
            (HookAgent::Claude | HookAgent::Codex, Self::Prompt) => "UserPromptSubmit",
            (HookAgent::Claude | HookAgent::Codex, Self::PreTool) => "PreToolUse",
            (HookAgent::Claude | HookAgent::Codex, Self::PostTool) => "PostToolUse",
            (HookAgent::Claude, Self::ToolFailure) => "PostToolUseFailure",
            (HookAgent::Claude | HookAgent::Codex, Self::PreCompact) => "PreCompact",
            (HookAgent::Claude | HookAgent::Codex, Self::Stop) => "Stop",
            (HookAgent::Claude | HookAgent::Codex, Self::SessionEnd) => "SessionEnd",
            (HookAgent::Cursor, Self::SessionStart) => "sessionStart",
            (HookAgent::Cursor, Self::Prompt) => "beforeSubmitPrompt",
            (HookAgent::Cursor, Self::PreTool) => "beforeShellExecution",
            (HookAgent::Cursor, Self::PostTool) => "postToolUse",
            (HookAgent::Cursor, Self::ToolFailure) => "postToolUseFailure",
            (HookAgent::Cursor, Self::PreCompact) => "preCompact",
            (HookAgent::Cursor, Self::Stop) => "stop",
            (HookAgent::Cursor, Self::SessionEnd) => "sessionEnd",
            (HookAgent::Gemini, Self::SessionStart) => "SessionStart",
            (HookAgent::Gemini, Self::Prompt) => "BeforeAgent",
            (HookAgent::Gemini, Self::PreTool) => "BeforeTool",
            (HookAgent::Gemini, Self::PostTool) => "AfterTool",
            (HookAgent::Gemini, Self::PreCompact) => "PreCompress",
            (HookAgent::Gemini, Self::Stop) => "AfterAgent",
            (HookAgent::Gemini, Self::SessionEnd) => "SessionEnd",
            (HookAgent::Codex | HookAgent::Gemini, Self::ToolFailure) => return None,
            // Our own plugin speaks for opencode, in our own words.
            (HookAgent::Opencode, event) => event.name(),
        };
        Some(name)
    }

    /// Returns the event with this name, either cm's name or that of any agent.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        // Cursor asks before a tool in two ways; ours is the narrower one.
        if name == "preToolUse" {
            return Some(Self::PreTool);
        }
        Self::ALL.into_iter().find(|event| {
            event.name() == name || HookAgent::ALL.iter().any(|agent| event.name_for(*agent) == Some(name))
        })
    }

    /// Returns when notes selected at this event can be injected.
    #[must_use]
    pub fn injection_timing(self, agent: HookAgent) -> InjectionTiming {
        match (agent, self) {
            // Cursor takes no words at a prompt or a failure, but does after a tool.
            (HookAgent::Cursor, Self::Prompt | Self::ToolFailure) => InjectionTiming::At(Self::PostTool),
            (HookAgent::Claude | HookAgent::Codex, Self::SessionStart | Self::Prompt)
            // What it is given at a start it puts into the first prompt, which it then leaves out of the conversation
            // that it resumes.
            | (HookAgent::Gemini, Self::Prompt)
            | (HookAgent::Claude, Self::ToolFailure)
            | (HookAgent::Cursor, Self::SessionStart | Self::PostTool)
            | (HookAgent::Opencode, Self::SessionStart | Self::Prompt) => InjectionTiming::Now,
            _ => InjectionTiming::Never,
        }
    }

    /// Returns `true` if the start text is injected at this event: at the session start if the
    /// agent accepts text there, otherwise at a prompt.
    #[must_use]
    pub fn injects_start_text(self, agent: HookAgent) -> bool {
        let at_start = Self::SessionStart.injection_timing(agent) != InjectionTiming::Never;
        self == if at_start { Self::SessionStart } else { Self::Prompt }
    }

    /// Returns `true` if the session log is read at this event.
    #[must_use]
    pub fn reads_session(self) -> bool {
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
            for agent in HookAgent::ALL {
                assert_eq!(
                    event.name_for(agent).map(HookEvent::from_name),
                    event.name_for(agent).map(|_| Some(event))
                );
            }
        }
        assert_eq!(HookEvent::from_name("preToolUse"), Some(HookEvent::PreTool));
        assert_eq!(HookEvent::from_name("Notification"), None);
    }

    #[test]
    fn what_cannot_be_told_at_once_is_told_at_an_event_that_takes_words() {
        for agent in HookAgent::ALL {
            for event in HookEvent::ALL {
                if let InjectionTiming::At(later) = event.injection_timing(agent) {
                    assert_eq!(later.injection_timing(agent), InjectionTiming::Now, "{agent} {event}");
                }
            }
        }
    }
}
