//! Hooks, settings, skills and MCP server of Codex.

use serde_json::{Value, json};

use super::Codex;
use crate::agents::claude_code::ClaudeCode;
use crate::hook::HookEvent;
use crate::hook::agent::{AgentHooks, PrintMode, SettingsScope};
use crate::hook::mcp::{self, ServerRegistration};
use crate::hook::program::ProgramPath;
use crate::hook::settings::json::JsonDialect;
use crate::hook::settings::{hook_group, timeout_seconds};
use crate::hook::skill::{Skill, SkillFile};
use cm_learn::trauma::GuardDecision;
use cm_session::Agent;

impl AgentHooks for Codex {
    fn agent(&self) -> Agent {
        Agent::Codex
    }

    fn folder(&self, _: SettingsScope) -> &'static str {
        ".codex"
    }

    fn hooks_file(&self, _: SettingsScope) -> &'static str {
        ".codex/hooks.json"
    }

    fn trust_notice(&self, _: SettingsScope) -> Option<&'static str> {
        Some("Codex skips hooks silently until you trust them: run /hooks in Codex")
    }

    fn event_name(&self, event: HookEvent) -> Option<&'static str> {
        if event == HookEvent::ToolFailure { None } else { ClaudeCode.event_name(event) }
    }

    fn installed_events(&self) -> &'static [HookEvent] {
        use HookEvent::{PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop};
        // Its older versions pass over the end of a session, which they do not know; each answer is captured too.
        &[SessionStart, Prompt, PreTool, PreCompact, Stop, SessionEnd]
    }

    fn entries(&self, event: HookEvent, program: &ProgramPath) -> Vec<(&'static str, Value)> {
        // At a session's end it waits for 3 s at most, and warns of more.
        let timeout = if event == HookEvent::SessionEnd { 3 } else { timeout_seconds(event) };
        let handler = json!({
            "type": "command", "command": program.line(self.name(), event), "timeout": timeout,
            "statusMessage": event.purpose(),
        });
        let matcher = (event == HookEvent::SessionStart).then_some("startup|resume|clear|compact");
        self.event_name(event).map(|name| (name, hook_group(matcher, &handler))).into_iter().collect()
    }

    fn dialect(&self) -> JsonDialect {
        JsonDialect::STRICT
    }

    fn empty_reply(&self) -> &'static str {
        ""
    }

    fn context_reply(&self, event: HookEvent, text: &str) -> Value {
        ClaudeCode.context_reply(event, text)
    }

    fn verdict_reply(&self, decision: &GuardDecision, _: bool) -> Option<Value> {
        // It has no question.
        ClaudeCode.verdict_reply(decision, true)
    }

    fn request_at_stop(&self, text: &str) -> Option<Value> {
        ClaudeCode.request_at_stop(text)
    }

    fn print_mode(&self) -> Option<PrintMode> {
        let command = "codex exec --skip-git-repo-check --sandbox read-only -";
        Some(PrintMode { command, variables: &["CODEX_*", "OPENAI_*"] })
    }

    fn own_registry(&self) -> Option<(&'static str, &'static str)> {
        Some((".codex/config.toml", "[mcp_servers.cm]"))
    }

    fn server_registration(&self, _: SettingsScope, program: &ProgramPath) -> ServerRegistration {
        ServerRegistration::Command(format!("codex mcp add {} -- {}", mcp::NAME, program.server_line()))
    }

    fn skill_file(&self, _: SettingsScope, skill: &Skill<'_>) -> SkillFile {
        skill.in_folder(".agents")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_registered_by_a_quoted_command() {
        let registration = Codex.server_registration(SettingsScope::User, &ProgramPath::new("/a b/cm"));
        assert_eq!(registration, ServerRegistration::Command("codex mcp add cm -- '/a b/cm' mcp".to_owned()));
    }
}
