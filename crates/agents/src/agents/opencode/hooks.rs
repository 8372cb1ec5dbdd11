//! Hooks, commands and MCP server of opencode. The hooks run in the plugin that cm installs.

use serde_json::{Value, json};

use super::{Opencode, plugin};
use crate::hook::HookEvent;
use crate::hook::agent::{AgentHooks, PrintMode, SettingsScope};
use crate::hook::mcp::ServerRegistration;
use crate::hook::owned_file::OwnedFile;
use crate::hook::program::ProgramPath;
use crate::hook::settings::json::JsonDialect;
use crate::hook::skill::{MARK, Skill, SkillFile};
use cm_learn::trauma::{GuardDecision, GuardVerdict};
use cm_session::Agent;

impl AgentHooks for Opencode {
    fn agent(&self) -> Agent {
        Agent::Opencode
    }

    fn folder(&self, scope: SettingsScope) -> &'static str {
        match scope {
            SettingsScope::Project => ".opencode",
            SettingsScope::User => ".config/opencode",
        }
    }

    fn hooks_file(&self, scope: SettingsScope) -> &'static str {
        match scope {
            SettingsScope::Project => ".opencode/plugins/cm.js",
            SettingsScope::User => ".config/opencode/plugins/cm.js",
        }
    }

    fn owned_files(&self, scope: SettingsScope, program: &ProgramPath) -> Vec<OwnedFile> {
        vec![OwnedFile {
            path: self.hooks_file(scope).to_owned(),
            text: plugin::plugin(program),
            is_executable: false,
        }]
    }

    fn trust_notice(&self, _: SettingsScope) -> Option<&'static str> {
        Some("opencode loads plugins at startup: restart it")
    }

    fn event_name(&self, event: HookEvent) -> Option<&'static str> {
        // The plugin uses our names.
        Some(event.name())
    }

    fn dialect(&self) -> JsonDialect {
        JsonDialect::LOOSE
    }

    fn context_reply(&self, _: HookEvent, text: &str) -> Value {
        json!({ "context": text })
    }

    fn verdict_reply(&self, decision: &GuardDecision, _: bool) -> Option<Value> {
        // Its plugin can stop a command, and cannot ask.
        (decision.judgement == GuardVerdict::Block).then(|| json!({ "deny": decision.reason }))
    }

    fn print_mode(&self) -> Option<PrintMode> {
        let variables = &["OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"];
        Some(PrintMode { command: "opencode run", variables })
    }

    fn server_registration(&self, scope: SettingsScope, _: &ProgramPath) -> ServerRegistration {
        ServerRegistration::File(match scope {
            SettingsScope::Project => "opencode.json",
            SettingsScope::User => ".config/opencode/opencode.json",
        })
    }

    fn server_list_key(&self) -> &'static str {
        "mcp"
    }

    fn server_entry(&self, program: &ProgramPath) -> Value {
        json!({ "type": "local", "command": [program.path(), "mcp"], "enabled": true })
    }

    fn skill_file(&self, scope: SettingsScope, skill: &Skill<'_>) -> SkillFile {
        let description = Value::from(skill.description.as_str());
        SkillFile {
            path: format!("{}/commands/cm-{}.md", self.folder(scope), skill.name),
            text: format!("---\n# {MARK}description: {description}\n---\n\n{}", skill.body),
        }
    }
}
