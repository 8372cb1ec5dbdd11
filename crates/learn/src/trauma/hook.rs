//! Protocols of the agents' hooks before a command runs: JSON in, JSON out.
//!
//! Answers contain documented fields only. For an allowed command the answer has no opinion, so the
//! agent's own permission prompts still apply. A refusal is part of the answer, never an exit code.

use serde_json::{Value, json};

use super::tool::{ToolFileChange, changes};
use super::{GuardDecision, GuardVerdict};
use crate::outcome::shell_call;

/// Hook protocol of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookProtocol {
    /// Claude Code: `PreToolUse`.
    Claude,
    /// Codex: `PreToolUse`; supports fewer answers than Claude Code.
    Codex,
    /// Cursor: `beforeShellExecution`, `preToolUse`.
    Cursor,
    /// Gemini CLI: `BeforeTool`.
    Gemini,
}

/// A tool call that an agent wants checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardRequest {
    pub hook: HookProtocol,
    /// Command line; `None` if the tool is not a shell or no tool is about to run.
    pub command: Option<String>,
    /// Files that the tool is about to write or delete.
    pub changes: Vec<ToolFileChange>,
    /// Working directory of the call.
    pub cwd: Option<String>,
    /// Whether the agent runs without permission prompts, so that a warning cannot be confirmed.
    pub unattended: bool,
}

/// Maximum length of the reported reason, in characters.
const REASON: usize = 2_000;

impl GuardRequest {
    /// Parses an agent's message. `protocol` selects the protocol; otherwise it is detected from the
    /// keys. `None` if the message matches no protocol.
    #[must_use]
    pub fn read(message: &Value, protocol: Option<HookProtocol>) -> Option<Self> {
        let message = message.as_object().filter(|message| !message.is_empty())?;
        let text = |key: &str| message.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let event = text("hook_event_name").unwrap_or_default();
        let has = |key: &str| message.contains_key(key);
        let hook = protocol.or_else(|| match event {
            "beforeShellExecution" | "preToolUse" => Some(HookProtocol::Cursor),
            _ if has("conversation_id") || has("cursor_version") => Some(HookProtocol::Cursor),
            "BeforeTool" => Some(HookProtocol::Gemini),
            _ if has("turn_id") => Some(HookProtocol::Codex),
            "" if !has("tool_name") => None,
            _ => Some(HookProtocol::Claude),
        })?;
        let before =
            matches!(event, "" | "PreToolUse" | "BeforeTool" | "beforeShellExecution" | "preToolUse");
        let command = match message.get("command") {
            Some(command) => shell_call::line_of(command),
            None => message.get("tool_input").and_then(shell_call::command_in),
        };
        let shell = text("tool_name").is_none_or(shell_call::is_shell);
        let workspace = message.get("workspace_roots").and_then(|roots| roots.get(0)).and_then(Value::as_str);
        let tool = text("tool_name").filter(|_| before && !shell);
        let changes = tool.zip(message.get("tool_input")).map(|(tool, input)| changes(tool, input));
        let input = |key: &str| message.get("tool_input")?.get(key)?.as_str();
        let folder = input("workdir").or_else(|| input("cwd")).filter(|folder| folder.starts_with('/'));
        Some(Self {
            hook,
            command: command.filter(|_| before && shell),
            changes: changes.unwrap_or_default(),
            cwd: folder.or_else(|| text("cwd")).or(workspace).map(str::to_owned),
            unattended: matches!(text("permission_mode"), Some("bypassPermissions" | "dontAsk")),
        })
    }
}

/// Returns the complete stdout of the hook; may be empty.
#[must_use]
pub fn answer(request: &GuardRequest, decision: &GuardDecision) -> String {
    let reason: String = decision.reason.chars().take(REASON).collect();
    let answer = match (request.hook, decision.judgement) {
        (_, GuardVerdict::Allow) => return no_opinion(request.hook).to_owned(),
        (HookProtocol::Claude | HookProtocol::Codex, GuardVerdict::Block) => pre_tool_use("deny", &reason),
        (HookProtocol::Claude, GuardVerdict::Warn) if !request.unattended => pre_tool_use("ask", &reason),
        // A question that nobody answers is a refusal, or not understood; this is shown and goes on.
        (HookProtocol::Claude | HookProtocol::Codex | HookProtocol::Gemini, GuardVerdict::Warn) => {
            json!({ "systemMessage": format!("cm guard: {reason}") })
        }
        (HookProtocol::Cursor, judgement) => {
            let permission = if judgement == GuardVerdict::Block { "deny" } else { "ask" };
            json!({ "permission": permission, "user_message": reason, "agent_message": reason })
        }
        (HookProtocol::Gemini, GuardVerdict::Block) => json!({ "decision": "deny", "reason": reason }),
    };
    format!("{answer}\n")
}

fn pre_tool_use(permission: &str, reason: &str) -> Value {
    json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": permission,
        "permissionDecisionReason": reason,
    } })
}

/// Returns the answer that leaves the decision to the agent.
#[must_use]
pub fn no_opinion(hook: HookProtocol) -> &'static str {
    match hook {
        HookProtocol::Claude | HookProtocol::Codex => "",
        HookProtocol::Cursor | HookProtocol::Gemini => "{}\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<GuardRequest> {
        GuardRequest::read(&serde_json::from_str(text).unwrap(), None)
    }

    #[test]
    fn each_agents_message_is_recognized_by_its_keys() {
        for (text, hook, command, cwd) in [
            (
                r#"{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
                HookProtocol::Claude,
                Some("ls"),
                Some("/w"),
            ),
            (
                r#"{"session_id":"s","turn_id":"t","model":"m","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"shell","tool_input":{"command":["bash","-lc","rm -rf x"]}}"#,
                HookProtocol::Codex,
                Some("rm -rf x"),
                Some("/w"),
            ),
            (
                r#"{"conversation_id":"c","hook_event_name":"beforeShellExecution","command":"ls","cwd":"","workspace_roots":["/w"]}"#,
                HookProtocol::Cursor,
                Some("ls"),
                Some("/w"),
            ),
            (
                r#"{"hook_event_name":"BeforeTool","cwd":"/w","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#,
                HookProtocol::Gemini,
                Some("ls"),
                Some("/w"),
            ),
            (
                r#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"command":"rm -rf /"}}"#,
                HookProtocol::Claude,
                None,
                None,
            ),
            (
                r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}"#,
                HookProtocol::Claude,
                None,
                None,
            ),
        ] {
            let request = read(text).unwrap();
            assert_eq!(
                (request.hook, request.command.as_deref(), request.cwd.as_deref()),
                (hook, command, cwd),
                "{text}"
            );
        }
        assert_eq!(read("{}"), None);
        assert_eq!(read("[1]"), None);
        assert_eq!(read(r#"{"command":"ls"}"#), None);
    }

    #[test]
    fn the_files_that_each_agents_tools_write_are_found() {
        for (tool, input, paths) in [
            ("Write", r#"{"file_path":"/h/.bashrc","content":"x"}"#, &["/h/.bashrc"] as &[&str]),
            ("MultiEdit", r#"{"file_path":"a","edits":[{"old_string":"b"}]}"#, &["a"]),
            ("NotebookEdit", r#"{"notebook_path":"a.ipynb"}"#, &["a.ipynb"]),
            ("write_file", r#"{"file_path":"a","content":""}"#, &["a"]),
            ("replace", r#"{"file_path":"a"}"#, &["a"]),
            ("edit", r#"{"filePath":"a"}"#, &["a"]),
            ("StrReplace", r#"{"path":"a"}"#, &["a"]),
            ("edit_file", r#"{"target_file":"a"}"#, &["a"]),
            ("mcp__filesystem__write_file", r#"{"path":"a"}"#, &["a"]),
            (
                "apply_patch",
                r#"{"command":"*** Begin Patch\n*** Update File: a\n*** Delete File: b\n*** End Patch"}"#,
                &["a", "b"],
            ),
            ("Read", r#"{"file_path":"a"}"#, &[]),
            ("TodoWrite", r#"{"file":"a"}"#, &[]),
            ("Grep", r#"{"path":"a"}"#, &[]),
        ] {
            let text = format!(
                r#"{{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{input}}}"#
            );
            let found: Vec<String> = read(&text).unwrap().changes.into_iter().map(|one| one.path).collect();
            assert_eq!(found, paths, "{tool}");
        }
    }

    #[test]
    fn no_answer_to_an_allowed_command_takes_a_question_from_the_person() {
        let decision = GuardDecision {
            judgement: GuardVerdict::Allow,
            reason: String::new(),
            class: None,
            incident: None,
        };
        for hook in [HookProtocol::Claude, HookProtocol::Codex, HookProtocol::Cursor, HookProtocol::Gemini] {
            let request =
                GuardRequest { hook, command: None, changes: Vec::new(), cwd: None, unattended: false };
            assert!(matches!(answer(&request, &decision).trim(), "" | "{}"));
        }
    }
}
