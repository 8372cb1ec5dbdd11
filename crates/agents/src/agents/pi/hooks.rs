//! Hooks and skills of Pi. The hooks run in the extension that cm installs; Pi has no MCP.

use serde_json::{Value, json};

use super::Pi;
use crate::agents::opencode::plugin;
use crate::hook::HookEvent;
use crate::hook::agent::{AgentHooks, PrintMode, SettingsScope};
use crate::hook::mcp::ServerRegistration;
use crate::hook::owned_file::OwnedFile;
use crate::hook::program::ProgramPath;
use crate::hook::settings::json::JsonDialect;
use crate::hook::skill::{Skill, SkillFile};
use cm_learn::trauma::{GuardDecision, GuardVerdict};
use cm_session::Agent;

const EXTENSION: &str = include_str!("../../../../../templates/agent/pi/cm.js");

impl AgentHooks for Pi {
    fn agent(&self) -> Agent {
        Agent::Pi
    }

    fn folder(&self, scope: SettingsScope) -> &'static str {
        match scope {
            SettingsScope::Project => ".pi",
            SettingsScope::User => ".pi/agent",
        }
    }

    fn hooks_file(&self, scope: SettingsScope) -> &'static str {
        match scope {
            SettingsScope::Project => ".pi/extensions/cm.js",
            SettingsScope::User => ".pi/agent/extensions/cm.js",
        }
    }

    fn owned_files(&self, scope: SettingsScope, program: &ProgramPath) -> Vec<OwnedFile> {
        vec![OwnedFile {
            path: self.hooks_file(scope).to_owned(),
            text: plugin::calling(EXTENSION, program),
            is_executable: false,
        }]
    }

    fn trust_notice(&self, _: SettingsScope) -> Option<&'static str> {
        Some("Pi loads extensions at startup: restart it, or run /reload")
    }

    fn event_name(&self, event: HookEvent) -> Option<&'static str> {
        // The extension uses our names.
        Some(event.name())
    }

    fn dialect(&self) -> JsonDialect {
        JsonDialect::STRICT
    }

    fn context_reply(&self, _: HookEvent, text: &str) -> Value {
        json!({ "context": text })
    }

    fn verdict_reply(&self, decision: &GuardDecision, _: bool) -> Option<Value> {
        Some(match decision.judgement {
            GuardVerdict::Allow => return None,
            GuardVerdict::Block => json!({ "deny": decision.reason }),
            GuardVerdict::Warn => json!({ "ask": decision.reason }),
        })
    }

    fn request_at_stop(&self, text: &str) -> Option<Value> {
        Some(json!({ "request": text }))
    }

    fn print_mode(&self) -> Option<PrintMode> {
        let variables = &["PI_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];
        Some(PrintMode { command: "pi -p", variables })
    }

    fn server_registration(&self, _: SettingsScope, _: &ProgramPath) -> ServerRegistration {
        ServerRegistration::Unsupported
    }

    fn skill_file(&self, scope: SettingsScope, skill: &Skill<'_>) -> SkillFile {
        skill.in_folder(self.folder(scope))
    }
}
