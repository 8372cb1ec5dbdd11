//! The trait for agents that support hooks.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::HookEvent;
use super::event::InjectionTiming;
use super::mcp::ServerRegistration;
use super::owned_file::OwnedFile;
use super::program::ProgramPath;
use super::settings::json::JsonDialect;
use super::skill::{Skill, SkillFile};
use cm_learn::trauma::GuardDecision;
use cm_session::Agent;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "HookScope")]
pub enum SettingsScope {
    /// The project's settings, shared by everyone who works in it.
    Project,
    /// The user's settings for all folders.
    User,
}

/// The command-line mode of an agent that reads a prompt from standard input and prints the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrintMode {
    /// Command line.
    pub command: &'static str,
    /// Environment variables that the agent needs besides the usual ones; `*` matches any suffix.
    pub variables: &'static [&'static str],
}

/// An agent that supports hooks.
pub type HookAgent = &'static dyn AgentHooks;

/// Events, messages and settings of an agent that supports hooks.
pub trait AgentHooks: Sync {
    fn agent(&self) -> Agent;

    /// Name in `cm hook`, `cm hooks` and their JSON.
    fn name(&self) -> &'static str {
        self.agent().name()
    }

    /// Folder that shows that the agent is in use, relative to the project folder or the home
    /// folder.
    fn folder(&self, scope: SettingsScope) -> &'static str;

    /// Path of the hook settings or of the first owned file, relative to the project folder or the
    /// home folder.
    fn hooks_file(&self, scope: SettingsScope) -> &'static str;

    /// Hook files that cm owns completely; empty if hooks are entries of a settings file.
    fn owned_files(&self, _scope: SettingsScope, _program: &ProgramPath) -> Vec<OwnedFile> {
        Vec::new()
    }

    /// Step that a person must take after hooks were installed; `None` if they run at once.
    fn trust_notice(&self, scope: SettingsScope) -> Option<&'static str>;

    /// The agent's name for an event; `None` if the agent does not have it.
    fn event_name(&self, event: HookEvent) -> Option<&'static str>;

    /// Returns when notes selected at an event can be injected.
    fn injection_timing(&self, event: HookEvent) -> InjectionTiming {
        match event {
            HookEvent::SessionStart | HookEvent::Prompt => InjectionTiming::Now,
            _ => InjectionTiming::Never,
        }
    }

    /// Returns `true` if the start text is injected at this event: at the session start if the
    /// agent accepts text there, otherwise at a prompt.
    fn injects_start_text(&self, event: HookEvent) -> bool {
        let at_start = self.injection_timing(HookEvent::SessionStart) != InjectionTiming::Never;
        event == if at_start { HookEvent::SessionStart } else { HookEvent::Prompt }
    }

    /// Events for which hooks are installed, in the order of the settings file.
    fn installed_events(&self) -> &'static [HookEvent] {
        use HookEvent::{PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop};
        &[SessionStart, Prompt, PreTool, PreCompact, Stop, SessionEnd]
    }

    /// Returns `true` if nothing follows this event in a session, so that it can be learned from.
    fn ends_session(&self, event: HookEvent) -> bool {
        event == HookEvent::SessionEnd
    }

    /// Settings entries for an event, each with the name of its list. Empty if the agent does not
    /// have the event or has no JSON settings.
    fn entries(&self, _event: HookEvent, _program: &ProgramPath) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// Value of `version` that the settings need beside their hooks.
    fn settings_version(&self) -> Option<u32> {
        None
    }

    /// JSON dialect of the settings.
    fn dialect(&self) -> JsonDialect;

    /// Response that leaves every decision to the agent.
    fn empty_reply(&self) -> &'static str {
        "{}\n"
    }

    /// Response that injects a text at an event.
    fn context_reply(&self, event: HookEvent, text: &str) -> Value;

    /// Response for a warning or a block by the guard; `None` if the agent cannot express it.
    /// `unattended` means that no person would answer a permission prompt.
    fn verdict_reply(&self, decision: &GuardDecision, unattended: bool) -> Option<Value>;

    /// Response to [`HookEvent::Stop`] with which the agent works on and reads a text first; `None`
    /// if the agent cannot be asked.
    fn request_at_stop(&self, _text: &str) -> Option<Value> {
        None
    }

    /// How the agent answers one prompt from standard input without a person; `None` if it cannot.
    fn print_mode(&self) -> Option<PrintMode> {
        None
    }

    /// File below the home folder in which the agent's own command registers MCP servers, with the
    /// text that stands there if cm's is registered.
    fn own_registry(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// How cm's MCP server is registered.
    fn server_registration(&self, scope: SettingsScope, program: &ProgramPath) -> ServerRegistration;

    /// Key of the list of MCP servers in the settings.
    fn server_list_key(&self) -> &'static str {
        "mcpServers"
    }

    /// Settings entry of cm's MCP server.
    fn server_entry(&self, program: &ProgramPath) -> Value {
        json!({ "command": program.path(), "args": ["mcp"] })
    }

    /// Converts a skill to the agent's format.
    fn skill_file(&self, scope: SettingsScope, skill: &Skill<'_>) -> SkillFile;
}

impl fmt::Display for dyn AgentHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for dyn AgentHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.agent().fmt(f)
    }
}

impl PartialEq for dyn AgentHooks {
    fn eq(&self, other: &Self) -> bool {
        self.agent() == other.agent()
    }
}

impl Eq for dyn AgentHooks {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{hook_agent, hook_agents};

    #[test]
    fn agents_are_found_by_both_names() {
        for agent in hook_agents() {
            assert_eq!(hook_agent(agent.name()), Some(agent));
            assert_eq!(hook_agent(agent.agent().name()), Some(agent));
        }
        assert_eq!(hook_agent("claude").map(|agent| agent.agent()), Some(Agent::ClaudeCode));
        assert_eq!(hook_agent("emacs"), None);
    }
}
