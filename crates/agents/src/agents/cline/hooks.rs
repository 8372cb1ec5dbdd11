//! Hooks and skills of Cline, in editors and on the command line. Cline runs one program an event,
//! which it finds by the name of its file.

use serde_json::{Map, Value, json};

use super::Cline;
use crate::hook::HookEvent;
use crate::hook::agent::{AgentHooks, PrintMode, SettingsScope};
use crate::hook::event::InjectionTiming;
use crate::hook::mcp::{self, ServerRegistration};
use crate::hook::owned_file::OwnedFile;
use crate::hook::program::ProgramPath;
use crate::hook::settings::json::JsonDialect;
use crate::hook::skill::{Skill, SkillFile};
use cm_learn::trauma::{GuardDecision, GuardVerdict};
use cm_session::Agent;

impl AgentHooks for Cline {
    fn agent(&self) -> Agent {
        Agent::Cline
    }

    fn folder(&self, scope: SettingsScope) -> &'static str {
        match scope {
            SettingsScope::Project => ".clinerules",
            SettingsScope::User => ".cline",
        }
    }

    fn hooks_file(&self, scope: SettingsScope) -> &'static str {
        match scope {
            SettingsScope::Project => ".clinerules/hooks/UserPromptSubmit",
            SettingsScope::User => "Documents/Cline/Hooks/UserPromptSubmit",
        }
    }

    fn owned_files(&self, scope: SettingsScope, program: &ProgramPath) -> Vec<OwnedFile> {
        let folder = self.hooks_file(scope).rsplit_once('/').map_or("", |(folder, _)| folder);
        let file = |event: &HookEvent| {
            Some(OwnedFile {
                path: format!("{folder}/{}", self.event_name(*event)?),
                text: script(&program.line(self.name(), *event)),
                is_executable: true,
            })
        };
        self.installed_events().iter().filter_map(file).collect()
    }

    fn trust_notice(&self, _: SettingsScope) -> Option<&'static str> {
        Some("Cline in an editor runs hooks only if they are enabled in its settings (Features, Hooks)")
    }

    fn event_name(&self, event: HookEvent) -> Option<&'static str> {
        Some(match event {
            HookEvent::SessionStart => "TaskStart",
            HookEvent::Prompt => "UserPromptSubmit",
            HookEvent::PreTool => "PreToolUse",
            HookEvent::PostTool => "PostToolUse",
            HookEvent::PreCompact => "PreCompact",
            HookEvent::Stop => "TaskComplete",
            HookEvent::SessionEnd => "SessionShutdown",
            HookEvent::ToolFailure => return None,
        })
    }

    fn injection_timing(&self, event: HookEvent) -> InjectionTiming {
        match event {
            // The command line drops what is said at a start or a prompt; both take text after a tool.
            HookEvent::Prompt => InjectionTiming::At(HookEvent::PostTool),
            HookEvent::PostTool => InjectionTiming::Now,
            _ => InjectionTiming::Never,
        }
    }

    fn injects_start_text(&self, event: HookEvent) -> bool {
        event == HookEvent::PostTool
    }

    fn installed_events(&self) -> &'static [HookEvent] {
        use HookEvent::{PostTool, PreCompact, PreTool, Prompt, SessionEnd, Stop};
        &[Prompt, PreTool, PostTool, PreCompact, Stop, SessionEnd]
    }

    fn ends_session(&self, event: HookEvent) -> bool {
        // A task that is complete has no other end.
        matches!(event, HookEvent::Stop | HookEvent::SessionEnd)
    }

    fn dialect(&self) -> JsonDialect {
        JsonDialect::STRICT
    }

    fn context_reply(&self, _: HookEvent, text: &str) -> Value {
        json!({ "cancel": false, "contextModification": text })
    }

    fn verdict_reply(&self, decision: &GuardDecision, _: bool) -> Option<Value> {
        let reason = format!("cm guard: {}", decision.reason);
        Some(match decision.judgement {
            GuardVerdict::Allow => return None,
            GuardVerdict::Block => json!({ "cancel": true, "errorMessage": reason }),
            // It has no question.
            GuardVerdict::Warn => json!({ "cancel": false, "contextModification": reason }),
        })
    }

    fn print_mode(&self) -> Option<PrintMode> {
        // It reads its standard input before the prompt; in plan mode it changes nothing.
        let variables = &["CLINE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"];
        Some(PrintMode { command: "cline -p 'Follow the instructions above.'", variables })
    }

    fn server_registration(&self, _: SettingsScope, program: &ProgramPath) -> ServerRegistration {
        ServerRegistration::Command(format!("cline mcp add {} -- {}", mcp::NAME, program.server_line()))
    }

    fn skill_file(&self, _: SettingsScope, skill: &Skill<'_>) -> SkillFile {
        skill.in_folder(".cline")
    }
}

/// A program that passes an event to cm. Cline stops a task whose hook fails, so a missing program
/// must not count as a failure.
fn script(line: &str) -> String {
    format!(
        "#!/bin/sh\n# cm hooks: written by `cm hooks install cline`; manual changes are lost.\n{line} || echo '{{\"cancel\": false}}'\n"
    )
}

/// Converts a message of Cline to the fields that other agents send; `None` if it is another
/// agent's. The editor names an event by the file, the command line by a name of its own.
pub(crate) fn common_fields(fields: &Map<String, Value>) -> Option<Map<String, Value>> {
    let hook = fields.get("hookName")?.as_str()?;
    let event = match hook {
        "agent_start" | "agent_resume" => "TaskStart",
        "prompt_submit" => "UserPromptSubmit",
        "tool_call" => "PreToolUse",
        "tool_result" => "PostToolUse",
        "pre_compact" => "PreCompact",
        "agent_end" => "TaskComplete",
        "session_shutdown" => "SessionShutdown",
        other => other,
    };
    let at = |path: &[&str]| {
        let first = fields.get(*path.first()?)?;
        path.iter().skip(1).try_fold(first, |value, key| value.get(key)).cloned()
    };
    let session = at(&["sessionContext", "rootSessionId"]).or_else(|| at(&["taskId"]));
    let root = fields.get("workspaceRoots").and_then(|roots| roots.get(0)).cloned();
    let tool = if hook.starts_with("tool_") { hook } else { "" };
    let name = at(&["preToolUse", "toolName"]).or_else(|| at(&["postToolUse", "toolName"]));
    let input = at(&[tool, "input"])
        .or_else(|| at(&["preToolUse", "parameters"]))
        .or_else(|| at(&["postToolUse", "parameters"]));
    let found = [
        ("session_id", session),
        ("cwd", root),
        ("prompt", at(&["userPromptSubmit", "prompt"])),
        ("tool_name", name),
        ("tool_input", input.map(with_one_command)),
        ("tool_use_id", at(&[tool, "id"])),
        // A child's log is not the task's.
        ("agent_id", at(&["parent_agent_id"]).filter(|parent| !parent.is_null())),
    ];
    let origin_fields =
        [("agent", Some(Value::from("cline"))), ("hook_event_name", Some(Value::from(event)))];
    let all = origin_fields.into_iter().chain(found);
    Some(all.filter_map(|(key, value)| Some((key.to_owned(), value?))).collect())
}

/// Joins the commands of a call that runs several.
fn with_one_command(mut input: Value) -> Value {
    let lines: Vec<&str> = input
        .get("commands")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let line = lines.join("\n");
    if let Some(fields) = input.as_object_mut().filter(|_| !line.is_empty()) {
        fields.insert("command".to_owned(), Value::from(line));
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::HookMessage;

    #[test]
    fn messages_of_the_editor_and_of_the_command_line_are_understood() {
        for text in [
            r#"{"clineVersion":"3.60.0","hookName":"PreToolUse","taskId":"s","workspaceRoots":["/w"],"preToolUse":{"toolName":"execute_command","parameters":{"command":"git push --force","requires_approval":"true"}}}"#,
            r#"{"hookName":"tool_call","taskId":"conv_1","sessionContext":{"rootSessionId":"s"},"workspaceRoots":["/w"],"agent_id":"agent_1","parent_agent_id":null,"tool_call":{"id":"c","name":"run_commands","input":{"commands":["git push --force"]}},"preToolUse":{"toolName":"run_commands","parameters":{"commands":"[\"git push --force\"]"}}}"#,
        ] {
            let message = HookMessage::read(text, None, None);
            assert_eq!((message.agent.agent(), message.event), (Agent::Cline, Some(HookEvent::PreTool)));
            assert_eq!((message.session.as_deref(), message.cwd.as_deref()), (Some("s"), Some("/w")));
            assert_eq!(message.guard_request.unwrap().command.as_deref(), Some("git push --force"));
            assert!(!message.subagent);
        }
        let end = r#"{"hookName":"agent_end","taskId":"s","parent_agent_id":"agent_1"}"#;
        let message = HookMessage::read(end, None, None);
        assert_eq!((message.event, message.subagent), (Some(HookEvent::Stop), true));
    }

    #[test]
    fn a_script_answers_where_the_program_is_missing() {
        let files = Cline.owned_files(SettingsScope::Project, &ProgramPath::default());
        let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert!(names.contains(&".clinerules/hooks/PreToolUse"), "{names:?}");
        assert!(files[0].text.ends_with("cm hook cline prompt || echo '{\"cancel\": false}'\n"));
    }
}
