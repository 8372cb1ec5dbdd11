//! Hooks, settings, commands and MCP server of Gemini CLI.

use serde_json::{Value, json};

use super::Gemini;
use crate::agents::claude_code::hooks::warning;
use crate::hook::HookEvent;
use crate::hook::agent::{AgentHooks, PrintMode, SettingsScope};
use crate::hook::event::InjectionTiming;
use crate::hook::mcp::ServerRegistration;
use crate::hook::program::ProgramPath;
use crate::hook::settings::json::JsonDialect;
use crate::hook::settings::{hook_group, timeout_seconds};
use crate::hook::skill::{ARGUMENTS, MARK, Skill, SkillFile};
use cm_learn::trauma::{GuardDecision, GuardVerdict};
use cm_session::Agent;

impl AgentHooks for Gemini {
    fn agent(&self) -> Agent {
        Agent::Gemini
    }

    fn folder(&self, _: SettingsScope) -> &'static str {
        ".gemini"
    }

    fn hooks_file(&self, _: SettingsScope) -> &'static str {
        ".gemini/settings.json"
    }

    fn trust_notice(&self, _: SettingsScope) -> Option<&'static str> {
        Some("Gemini CLI does not run hooks in an untrusted folder: see /permissions in Gemini CLI")
    }

    fn event_name(&self, event: HookEvent) -> Option<&'static str> {
        Some(match event {
            HookEvent::SessionStart => "SessionStart",
            HookEvent::Prompt => "BeforeAgent",
            HookEvent::PreTool => "BeforeTool",
            HookEvent::PostTool => "AfterTool",
            HookEvent::PreCompact => "PreCompress",
            HookEvent::Stop => "AfterAgent",
            HookEvent::SessionEnd => "SessionEnd",
            HookEvent::ToolFailure => return None,
        })
    }

    fn injection_timing(&self, event: HookEvent) -> InjectionTiming {
        // What it is given at a start it puts into the first prompt, which it then leaves out of the conversation
        // that it resumes.
        if event == HookEvent::Prompt { InjectionTiming::Now } else { InjectionTiming::Never }
    }

    fn installed_events(&self) -> &'static [HookEvent] {
        // Its first prompt begins a session, and what it calls a compression comes before each turn.
        &[HookEvent::Prompt, HookEvent::PreTool, HookEvent::Stop, HookEvent::SessionEnd]
    }

    fn entries(&self, event: HookEvent, program: &ProgramPath) -> Vec<(&'static str, Value)> {
        // Gemini CLI counts milliseconds.
        let timeout = timeout_seconds(event) * 1_000;
        let handler = json!({
            "type": "command", "command": program.line(self.name(), event), "name": "cm", "timeout": timeout,
            "description": event.purpose(),
        });
        let matcher = (event == HookEvent::PreTool).then_some("run_shell_command|write_file|replace");
        self.event_name(event).map(|name| (name, hook_group(matcher, &handler))).into_iter().collect()
    }

    fn dialect(&self) -> JsonDialect {
        JsonDialect::WITH_COMMENTS
    }

    fn context_reply(&self, _: HookEvent, text: &str) -> Value {
        json!({ "hookSpecificOutput": { "additionalContext": text } })
    }

    fn verdict_reply(&self, decision: &GuardDecision, _: bool) -> Option<Value> {
        Some(match decision.judgement {
            GuardVerdict::Block => json!({ "decision": "deny", "reason": decision.reason }),
            _ => warning(&decision.reason),
        })
    }

    fn request_at_stop(&self, text: &str) -> Option<Value> {
        Some(json!({ "decision": "deny", "reason": text }))
    }

    fn print_mode(&self) -> Option<PrintMode> {
        Some(PrintMode { command: "gemini", variables: &["GEMINI_*", "GOOGLE_*"] })
    }

    fn server_registration(&self, _: SettingsScope, _: &ProgramPath) -> ServerRegistration {
        ServerRegistration::File(".gemini/settings.json")
    }

    fn skill_file(&self, _: SettingsScope, skill: &Skill<'_>) -> SkillFile {
        let prompt = skill.body.replace(ARGUMENTS, "{{args}}");
        SkillFile {
            path: format!(".gemini/commands/cm/{}.toml", skill.name),
            text: format!(
                "# {MARK}description = {}\nprompt = {}\n",
                Value::from(skill.description.as_str()),
                Value::from(prompt)
            ),
        }
    }
}
