//! Hooks, skills and MCP server of GitHub Copilot CLI. Event names in PascalCase select the message
//! format that other agents use.

use serde_json::{Value, json};

use super::CopilotCli;
use crate::agents::claude_code::ClaudeCode;
use crate::hook::HookEvent;
use crate::hook::agent::{AgentHooks, PrintMode, SettingsScope};
use crate::hook::mcp::{self, ServerRegistration};
use crate::hook::program::ProgramPath;
use crate::hook::settings::json::JsonDialect;
use crate::hook::settings::timeout_seconds;
use crate::hook::skill::{Skill, SkillFile};
use cm_learn::trauma::{GuardDecision, GuardVerdict};
use cm_session::Agent;

impl AgentHooks for CopilotCli {
    fn agent(&self) -> Agent {
        Agent::CopilotCli
    }

    fn name(&self) -> &'static str {
        "copilot"
    }

    fn folder(&self, scope: SettingsScope) -> &'static str {
        match scope {
            // Many projects without Copilot have a folder `.github`.
            SettingsScope::Project => ".github/hooks",
            SettingsScope::User => ".copilot",
        }
    }

    fn hooks_file(&self, scope: SettingsScope) -> &'static str {
        match scope {
            SettingsScope::Project => ".github/hooks/cm.json",
            SettingsScope::User => ".copilot/hooks/cm.json",
        }
    }

    fn trust_notice(&self, scope: SettingsScope) -> Option<&'static str> {
        (scope == SettingsScope::Project)
            .then_some("Copilot CLI runs a project's hooks only after you trust its folder")
    }

    fn event_name(&self, event: HookEvent) -> Option<&'static str> {
        if event == HookEvent::ToolFailure { None } else { ClaudeCode.event_name(event) }
    }

    fn entries(&self, event: HookEvent, program: &ProgramPath) -> Vec<(&'static str, Value)> {
        let line = program.line(self.name(), event);
        let entry = json!({
            "type": "command", "bash": line, "powershell": line, "timeoutSec": timeout_seconds(event),
        });
        self.event_name(event).map(|name| (name, entry)).into_iter().collect()
    }

    fn settings_version(&self) -> Option<u32> {
        Some(1)
    }

    fn dialect(&self) -> JsonDialect {
        JsonDialect::STRICT
    }

    fn context_reply(&self, _: HookEvent, text: &str) -> Value {
        json!({ "additionalContext": text })
    }

    fn verdict_reply(&self, decision: &GuardDecision, _: bool) -> Option<Value> {
        let permission = match decision.judgement {
            GuardVerdict::Allow => return None,
            GuardVerdict::Block => "deny",
            GuardVerdict::Warn => "ask",
        };
        Some(json!({ "permissionDecision": permission, "permissionDecisionReason": decision.reason }))
    }

    fn request_at_stop(&self, text: &str) -> Option<Value> {
        ClaudeCode.request_at_stop(text)
    }

    fn print_mode(&self) -> Option<PrintMode> {
        // With `-p` it ignores its standard input.
        let variables = &["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"];
        Some(PrintMode { command: "copilot -s --no-ask-user", variables })
    }

    fn server_registration(&self, scope: SettingsScope, program: &ProgramPath) -> ServerRegistration {
        match scope {
            SettingsScope::Project => ServerRegistration::File(".github/mcp.json"),
            SettingsScope::User => ServerRegistration::Command(format!(
                "copilot mcp add {} -- {}",
                mcp::NAME,
                program.server_line()
            )),
        }
    }

    fn server_entry(&self, program: &ProgramPath) -> Value {
        json!({ "type": "local", "command": program.path(), "args": ["mcp"], "tools": ["*"] })
    }

    fn skill_file(&self, scope: SettingsScope, skill: &Skill<'_>) -> SkillFile {
        skill.in_folder(if scope == SettingsScope::Project { ".github" } else { ".copilot" })
    }
}
