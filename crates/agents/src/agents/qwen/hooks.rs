//! Hooks, settings, skills and MCP server of Qwen Code, which has Gemini CLI's settings and Claude
//! Code's events.

use serde_json::{Value, json};

use super::Qwen;
use crate::agents::claude_code::ClaudeCode;
use crate::hook::HookEvent;
use crate::hook::agent::{AgentHooks, PrintMode, SettingsScope};
use crate::hook::event::InjectionTiming;
use crate::hook::mcp::ServerRegistration;
use crate::hook::program::ProgramPath;
use crate::hook::settings::json::JsonDialect;
use crate::hook::settings::{hook_group, timeout_seconds};
use crate::hook::skill::{Skill, SkillFile};
use cm_learn::trauma::GuardDecision;
use cm_session::Agent;

impl AgentHooks for Qwen {
    fn agent(&self) -> Agent {
        Agent::Qwen
    }

    fn folder(&self, _: SettingsScope) -> &'static str {
        ".qwen"
    }

    fn hooks_file(&self, _: SettingsScope) -> &'static str {
        ".qwen/settings.json"
    }

    fn trust_notice(&self, scope: SettingsScope) -> Option<&'static str> {
        (scope == SettingsScope::Project)
            .then_some("Qwen Code runs a project's hooks only in a trusted folder")
    }

    fn event_name(&self, event: HookEvent) -> Option<&'static str> {
        ClaudeCode.event_name(event)
    }

    fn injection_timing(&self, event: HookEvent) -> InjectionTiming {
        match event {
            // Versions before 0.20 drop what they are given at a start, and have none without a terminal.
            HookEvent::Prompt | HookEvent::ToolFailure => InjectionTiming::Now,
            _ => InjectionTiming::Never,
        }
    }

    fn installed_events(&self) -> &'static [HookEvent] {
        use HookEvent::{PreCompact, PreTool, Prompt, SessionEnd, Stop, ToolFailure};
        // Without a terminal, a session has no end.
        &[Prompt, PreTool, ToolFailure, PreCompact, Stop, SessionEnd]
    }

    fn entries(&self, event: HookEvent, program: &ProgramPath) -> Vec<(&'static str, Value)> {
        // Qwen Code counts milliseconds.
        let timeout = timeout_seconds(event) * 1_000;
        let handler = json!({
            "type": "command", "command": program.line(self.name(), event), "name": "cm", "timeout": timeout,
            "description": event.purpose(),
        });
        let matcher = match event {
            HookEvent::PreTool => Some("run_shell_command|write_file|edit|notebook_edit"),
            HookEvent::ToolFailure => Some("run_shell_command"),
            _ => None,
        };
        self.event_name(event).map(|name| (name, hook_group(matcher, &handler))).into_iter().collect()
    }

    fn dialect(&self) -> JsonDialect {
        JsonDialect::WITH_COMMENTS
    }

    fn context_reply(&self, event: HookEvent, text: &str) -> Value {
        ClaudeCode.context_reply(event, text)
    }

    fn verdict_reply(&self, decision: &GuardDecision, unattended: bool) -> Option<Value> {
        ClaudeCode.verdict_reply(decision, unattended)
    }

    fn request_at_stop(&self, text: &str) -> Option<Value> {
        ClaudeCode.request_at_stop(text)
    }

    fn print_mode(&self) -> Option<PrintMode> {
        Some(PrintMode { command: "qwen", variables: &["QWEN_*", "OPENAI_*", "DASHSCOPE_*"] })
    }

    fn server_registration(&self, _: SettingsScope, _: &ProgramPath) -> ServerRegistration {
        ServerRegistration::File(".qwen/settings.json")
    }

    fn skill_file(&self, _: SettingsScope, skill: &Skill<'_>) -> SkillFile {
        skill.in_folder(".qwen")
    }
}
