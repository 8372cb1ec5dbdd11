//! Hooks, settings, skills and MCP server of Cursor.

use serde_json::{Value, json};

use super::Cursor;
use crate::hook::HookEvent;
use crate::hook::agent::{AgentHooks, PrintMode, SettingsScope};
use crate::hook::event::InjectionTiming;
use crate::hook::mcp::ServerRegistration;
use crate::hook::program::ProgramPath;
use crate::hook::settings::json::JsonDialect;
use crate::hook::settings::timeout_seconds;
use crate::hook::skill::{Skill, SkillFile};
use cm_learn::trauma::{GuardDecision, GuardVerdict};
use cm_session::Agent;

/// Event before a tool that is not a shell.
pub const FILE_TOOL_EVENT: &str = "preToolUse";

impl AgentHooks for Cursor {
    fn agent(&self) -> Agent {
        Agent::Cursor
    }

    fn folder(&self, _: SettingsScope) -> &'static str {
        ".cursor"
    }

    fn hooks_file(&self, _: SettingsScope) -> &'static str {
        ".cursor/hooks.json"
    }

    fn trust_notice(&self, scope: SettingsScope) -> Option<&'static str> {
        (scope == SettingsScope::Project)
            .then_some("Cursor runs a project's hooks only in a trusted workspace")
    }

    fn event_name(&self, event: HookEvent) -> Option<&'static str> {
        Some(match event {
            HookEvent::SessionStart => "sessionStart",
            HookEvent::Prompt => "beforeSubmitPrompt",
            HookEvent::PreTool => "beforeShellExecution",
            HookEvent::PostTool => "postToolUse",
            HookEvent::ToolFailure => "postToolUseFailure",
            HookEvent::PreCompact => "preCompact",
            HookEvent::Stop => "stop",
            HookEvent::SessionEnd => "sessionEnd",
        })
    }

    fn injection_timing(&self, event: HookEvent) -> InjectionTiming {
        match event {
            // It accepts no text at a prompt or a failure, but does after a tool.
            HookEvent::Prompt | HookEvent::ToolFailure => InjectionTiming::At(HookEvent::PostTool),
            HookEvent::SessionStart | HookEvent::PostTool => InjectionTiming::Now,
            _ => InjectionTiming::Never,
        }
    }

    fn installed_events(&self) -> &'static [HookEvent] {
        &HookEvent::ALL
    }

    fn entries(&self, event: HookEvent, program: &ProgramPath) -> Vec<(&'static str, Value)> {
        let entry = |matcher: Option<&str>| {
            let line = program.line(self.name(), event);
            let timeout = timeout_seconds(event);
            match matcher {
                Some(matcher) => json!({ "command": line, "timeout": timeout, "matcher": matcher }),
                None => json!({ "command": line, "timeout": timeout }),
            }
        };
        let after_tool = matches!(event, HookEvent::PostTool | HookEvent::ToolFailure);
        let entry_of_event = self.event_name(event).map(|name| (name, entry(after_tool.then_some("Shell"))));
        let files = (event == HookEvent::PreTool).then(|| (FILE_TOOL_EVENT, entry(Some("Write|Delete"))));
        entry_of_event.into_iter().chain(files).collect()
    }

    fn settings_version(&self) -> Option<u32> {
        Some(1)
    }

    fn dialect(&self) -> JsonDialect {
        JsonDialect::LOOSE
    }

    fn context_reply(&self, _: HookEvent, text: &str) -> Value {
        json!({ "additional_context": text })
    }

    fn verdict_reply(&self, decision: &GuardDecision, _: bool) -> Option<Value> {
        let permission = if decision.judgement == GuardVerdict::Block { "deny" } else { "ask" };
        let reason = &decision.reason;
        Some(json!({ "permission": permission, "user_message": reason, "agent_message": reason }))
    }

    fn request_at_stop(&self, text: &str) -> Option<Value> {
        Some(json!({ "followup_message": text }))
    }

    fn print_mode(&self) -> Option<PrintMode> {
        // It reads its standard input after the prompt, and starts in no folder that it does not trust.
        let command =
            "cursor-agent -p --mode ask --trust --output-format text 'Follow the instructions below.'";
        Some(PrintMode { command, variables: &["CURSOR_*"] })
    }

    fn server_registration(&self, _: SettingsScope, _: &ProgramPath) -> ServerRegistration {
        ServerRegistration::File(".cursor/mcp.json")
    }

    fn skill_file(&self, _: SettingsScope, skill: &Skill<'_>) -> SkillFile {
        skill.in_folder(".cursor")
    }
}
