//! Hooks, settings, skills and MCP server of Claude Code.

use serde_json::{Value, json};

use super::ClaudeCode;
use crate::hook::HookEvent;
use crate::hook::agent::{AgentHooks, PrintMode, SettingsScope};
use crate::hook::event::InjectionTiming;
use crate::hook::mcp::{self, ServerRegistration};
use crate::hook::program::ProgramPath;
use crate::hook::settings::json::JsonDialect;
use crate::hook::settings::{hook_group, timeout_seconds};
use crate::hook::skill::{Skill, SkillFile};
use cm_learn::trauma::{GuardDecision, GuardVerdict};
use cm_session::Agent;

impl AgentHooks for ClaudeCode {
    fn agent(&self) -> Agent {
        Agent::ClaudeCode
    }

    fn name(&self) -> &'static str {
        "claude"
    }

    fn folder(&self, _: SettingsScope) -> &'static str {
        ".claude"
    }

    fn hooks_file(&self, _: SettingsScope) -> &'static str {
        ".claude/settings.json"
    }

    fn trust_notice(&self, scope: SettingsScope) -> Option<&'static str> {
        (scope == SettingsScope::Project)
            .then_some("Claude Code runs a project's hooks only after you trust its folder")
    }

    fn event_name(&self, event: HookEvent) -> Option<&'static str> {
        Some(match event {
            HookEvent::SessionStart => "SessionStart",
            HookEvent::Prompt => "UserPromptSubmit",
            HookEvent::PreTool => "PreToolUse",
            HookEvent::PostTool => "PostToolUse",
            HookEvent::ToolFailure => "PostToolUseFailure",
            HookEvent::PreCompact => "PreCompact",
            HookEvent::Stop => "Stop",
            HookEvent::SessionEnd => "SessionEnd",
        })
    }

    fn injection_timing(&self, event: HookEvent) -> InjectionTiming {
        match event {
            HookEvent::SessionStart | HookEvent::Prompt | HookEvent::ToolFailure => InjectionTiming::Now,
            _ => InjectionTiming::Never,
        }
    }

    fn installed_events(&self) -> &'static [HookEvent] {
        use HookEvent::{PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop, ToolFailure};
        &[SessionStart, Prompt, PreTool, ToolFailure, PreCompact, Stop, SessionEnd]
    }

    fn entries(&self, event: HookEvent, program: &ProgramPath) -> Vec<(&'static str, Value)> {
        // Not as an `async` one: `claude -p` kills those when it ends, and has no other event at which a session is captured.
        let handler = json!({
            "type": "command",
            "command": program.path(),
            "args": ProgramPath::arguments(self.name(), event),
            "timeout": timeout_seconds(event),
            "statusMessage": event.purpose(),
        });
        let matcher = match event {
            HookEvent::SessionStart => Some("startup|resume|clear|compact|fork"),
            HookEvent::PreTool => Some("Bash|Write|Edit|MultiEdit|NotebookEdit"),
            HookEvent::ToolFailure => Some("Bash"),
            _ => None,
        };
        self.event_name(event).map(|name| (name, hook_group(matcher, &handler))).into_iter().collect()
    }

    fn dialect(&self) -> JsonDialect {
        JsonDialect::STRICT
    }

    fn empty_reply(&self) -> &'static str {
        ""
    }

    fn context_reply(&self, event: HookEvent, text: &str) -> Value {
        json!({
            "hookSpecificOutput": { "hookEventName": self.event_name(event), "additionalContext": text }
        })
    }

    fn verdict_reply(&self, decision: &GuardDecision, unattended: bool) -> Option<Value> {
        Some(match decision.judgement {
            GuardVerdict::Allow => return None,
            GuardVerdict::Block => permission("deny", &decision.reason),
            GuardVerdict::Warn if !unattended => permission("ask", &decision.reason),
            // A question that nobody answers is a refusal, or not understood; this is shown and goes on.
            GuardVerdict::Warn => warning(&decision.reason),
        })
    }

    fn request_at_stop(&self, text: &str) -> Option<Value> {
        Some(json!({ "decision": "block", "reason": text }))
    }

    fn print_mode(&self) -> Option<PrintMode> {
        let variables = &["ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_USE_*", "AWS_*", "DISABLE_*"];
        Some(PrintMode { command: "claude -p --tools ''", variables })
    }

    fn own_registry(&self) -> Option<(&'static str, &'static str)> {
        Some((".claude.json", "\"cm\":"))
    }

    fn server_registration(&self, scope: SettingsScope, program: &ProgramPath) -> ServerRegistration {
        match scope {
            SettingsScope::Project => ServerRegistration::File(".mcp.json"),
            // That file holds the agent's own state, and is written while the agent runs.
            SettingsScope::User => ServerRegistration::Command(format!(
                "claude mcp add --scope user {} -- {}",
                mcp::NAME,
                program.server_line()
            )),
        }
    }

    fn server_entry(&self, program: &ProgramPath) -> Value {
        json!({ "type": "stdio", "command": program.path(), "args": ["mcp"] })
    }

    fn skill_file(&self, _: SettingsScope, skill: &Skill<'_>) -> SkillFile {
        skill.in_folder(".claude")
    }
}

/// Whether these settings enable cm as a plugin.
#[must_use]
pub fn enables_plugin(settings: &str) -> bool {
    let settings: Value = serde_json::from_str(settings).unwrap_or_default();
    let plugins = settings.get("enabledPlugins").and_then(Value::as_object);
    plugins
        .into_iter()
        .flatten()
        .any(|(name, enabled)| name.split('@').next() == Some(mcp::NAME) && *enabled == Value::Bool(true))
}

/// Response with a permission decision, in the format that Codex shares.
pub fn permission(decision: &str, reason: &str) -> Value {
    json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    } })
}

/// Response that shows a warning to the user and lets the tool run, in the format that Codex and
/// Gemini CLI share.
pub fn warning(reason: &str) -> Value {
    json!({ "systemMessage": format!("cm guard: {reason}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_the_documented_format() {
        let shown = |event| ClaudeCode.entries(event, &ProgramPath::default())[0].1.to_string();
        assert_eq!(
            shown(HookEvent::SessionStart),
            r#"{"matcher":"startup|resume|clear|compact|fork","hooks":[{"type":"command","command":"cm","args":["hook","claude","session-start"],"timeout":10,"statusMessage":"cm adds CORE.md and rules for this project to the conversation"}]}"#
        );
        assert_eq!(
            shown(HookEvent::Stop),
            r#"{"hooks":[{"type":"command","command":"cm","args":["hook","claude","stop"],"timeout":5,"statusMessage":"cm adds this session to its index on this machine, or sends it to your team server"}]}"#
        );
    }
}
