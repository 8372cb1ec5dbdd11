//! Agents that support hooks, and the paths of their settings.

use std::fmt;

/// An agent that supports hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookAgent {
    /// Claude Code.
    Claude,
    Codex,
    Cursor,
    /// Gemini CLI.
    Gemini,
    Opencode,
}

/// Scope of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SettingsScope {
    /// All sessions in the project folder, for every user.
    Project,
    /// All sessions of one user, in every folder.
    User,
}

impl HookAgent {
    /// All agents, in declaration order.
    pub const ALL: [Self; 5] = [Self::Claude, Self::Codex, Self::Cursor, Self::Gemini, Self::Opencode];

    /// Name in commands and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    /// Returns the agent with this name; also accepts the names used for session logs, such as
    /// `claude-code`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "claude-code" => Some(Self::Claude),
            "gemini-cli" => Some(Self::Gemini),
            _ => Self::ALL.into_iter().find(|agent| agent.name() == name),
        }
    }

    /// Path of the hook settings, relative to the project folder or the home folder.
    #[must_use]
    pub fn hooks_file(self, reach: SettingsScope) -> &'static str {
        match (self, reach) {
            (Self::Claude, _) => ".claude/settings.json",
            (Self::Codex, _) => ".codex/hooks.json",
            (Self::Cursor, _) => ".cursor/hooks.json",
            (Self::Gemini, _) => ".gemini/settings.json",
            (Self::Opencode, SettingsScope::Project) => ".opencode/plugins/cm.js",
            (Self::Opencode, SettingsScope::User) => ".config/opencode/plugins/cm.js",
        }
    }

    /// Folder that shows that the agent is in use, relative to the project folder or the home
    /// folder.
    #[must_use]
    pub fn folder(self, reach: SettingsScope) -> &'static str {
        match (self, reach) {
            (Self::Claude, _) => ".claude",
            (Self::Codex, _) => ".codex",
            (Self::Cursor, _) => ".cursor",
            (Self::Gemini, _) => ".gemini",
            (Self::Opencode, SettingsScope::Project) => ".opencode",
            (Self::Opencode, SettingsScope::User) => ".config/opencode",
        }
    }

    /// Step that a person must take after hooks were installed; `None` if they run at once.
    #[must_use]
    pub fn trust(self, reach: SettingsScope) -> Option<&'static str> {
        match (self, reach) {
            (Self::Claude, SettingsScope::Project) => {
                Some("Claude Code runs a project's hooks only after you trust its folder")
            }
            (Self::Codex, _) => Some("Codex skips hooks silently until you trust them: run /hooks in Codex"),
            (Self::Cursor, SettingsScope::Project) => {
                Some("Cursor runs a project's hooks only in a trusted workspace")
            }
            (Self::Opencode, _) => Some("opencode loads plugins at startup: restart it"),
            (Self::Gemini, _) => {
                Some("Gemini CLI does not run hooks in an untrusted folder: see /permissions in Gemini CLI")
            }
            (Self::Claude | Self::Cursor, SettingsScope::User) => None,
        }
    }
}

impl fmt::Display for HookAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_known_by_its_name_and_by_that_of_its_sessions() {
        for agent in HookAgent::ALL {
            assert_eq!(HookAgent::from_name(agent.name()), Some(agent));
        }
        assert_eq!(HookAgent::from_name("claude-code"), Some(HookAgent::Claude));
        assert_eq!(HookAgent::from_name("emacs"), None);
    }
}
