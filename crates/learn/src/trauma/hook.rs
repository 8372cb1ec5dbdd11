//! What agents ask before they run a command, and how each wants to be answered: JSON in, JSON out.
//!
//! Only what an agent documents is printed. An allowed command is answered with no opinion, so that the agent's own
//! questions to the person stay as they are; a refusal is data, never an exit code.

use serde_json::{Value, json};

use super::tool::{Change, changes};
use super::{Decision, Judgement};

/// Whose protocol it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// Claude Code: `PreToolUse`.
    Claude,
    /// Codex: `PreToolUse`, of which it takes fewer answers.
    Codex,
    /// Cursor: `beforeShellExecution`, `preToolUse`.
    Cursor,
    /// Gemini CLI: `BeforeTool`.
    Gemini,
}

/// What an agent is about to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Whose protocol it is.
    pub hook: Hook,
    /// The command line; none where the tool is no shell, or nothing is about to run.
    pub command: Option<String>,
    /// The files that the tool is about to write or delete.
    pub changes: Vec<Change>,
    /// The folder in which it would run.
    pub cwd: Option<String>,
    /// Whether nobody is there to be asked.
    pub alone: bool,
}

/// The longest reason that is told, in characters.
const REASON: usize = 2_000;

impl Asked {
    /// Reads an agent's message: by its keys, or as the one that is named. None where it is not one.
    #[must_use]
    pub fn read(message: &Value, named: Option<Hook>) -> Option<Self> {
        let message = message.as_object().filter(|message| !message.is_empty())?;
        let text = |key: &str| message.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let event = text("hook_event_name").unwrap_or_default();
        let has = |key: &str| message.contains_key(key);
        let hook = named.or_else(|| match event {
            "beforeShellExecution" | "preToolUse" => Some(Hook::Cursor),
            _ if has("conversation_id") || has("cursor_version") => Some(Hook::Cursor),
            "BeforeTool" => Some(Hook::Gemini),
            _ if has("turn_id") => Some(Hook::Codex),
            "" if !has("tool_name") => None,
            _ => Some(Hook::Claude),
        })?;
        let before =
            matches!(event, "" | "PreToolUse" | "BeforeTool" | "beforeShellExecution" | "preToolUse");
        let given = message.get("tool_input").and_then(|input| {
            ["command", "cmd"]
                .iter()
                .find_map(|key| input.get(key))
                .or(Some(input).filter(|it| it.is_string()))
        });
        let words = message.get("command").or(given).and_then(command_line);
        let shell = text("tool_name").is_none_or(is_shell);
        let workspace = message.get("workspace_roots").and_then(|roots| roots.get(0)).and_then(Value::as_str);
        let tool = text("tool_name").filter(|_| before && !shell);
        let changes = tool.zip(message.get("tool_input")).map(|(tool, input)| changes(tool, input));
        let input = |key: &str| message.get("tool_input")?.get(key)?.as_str();
        let folder = input("workdir").or_else(|| input("cwd")).filter(|folder| folder.starts_with('/'));
        Some(Self {
            hook,
            command: words.filter(|_| before && shell),
            changes: changes.unwrap_or_default(),
            cwd: folder.or_else(|| text("cwd")).or(workspace).map(str::to_owned),
            alone: matches!(text("permission_mode"), Some("bypassPermissions" | "dontAsk")),
        })
    }
}

/// The command line that a tool of this name runs; none where it is no shell.
#[must_use]
pub fn command_of(tool: &str, input: &Value) -> Option<String> {
    let given =
        ["command", "cmd"].iter().find_map(|key| input.get(key)).or(Some(input).filter(|it| it.is_string()));
    given.filter(|_| is_shell(tool)).and_then(command_line)
}

/// A command as an agent writes it down: a line, or words of which the shell's own line is taken out.
fn command_line(value: &Value) -> Option<String> {
    match value {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
            Some(cm_shell::line_of(&words))
        }
        _ => None,
    }
}

/// Whether a tool of this name runs a command line; what other tools call `command` is none.
fn is_shell(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["bash", "shell", "exec", "terminal", "command"].iter().any(|word| tool.contains(word))
}

/// The whole of stdout; empty where the agent wants to hear nothing.
#[must_use]
pub fn answer(asked: &Asked, decision: &Decision) -> String {
    let reason: String = decision.reason.chars().take(REASON).collect();
    let answer = match (asked.hook, decision.judgement) {
        (_, Judgement::Allow) => return no_opinion(asked.hook).to_owned(),
        (Hook::Claude | Hook::Codex, Judgement::Block) => pre_tool_use("deny", &reason),
        (Hook::Claude, Judgement::Warn) if !asked.alone => pre_tool_use("ask", &reason),
        // A question that nobody answers is a refusal, or not understood; this is shown and goes on.
        (Hook::Claude | Hook::Codex | Hook::Gemini, Judgement::Warn) => {
            json!({ "systemMessage": format!("cm guard: {reason}") })
        }
        (Hook::Cursor, judgement) => {
            let permission = if judgement == Judgement::Block { "deny" } else { "ask" };
            json!({ "permission": permission, "user_message": reason, "agent_message": reason })
        }
        (Hook::Gemini, Judgement::Block) => json!({ "decision": "deny", "reason": reason }),
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

/// What leaves everything to the agent.
#[must_use]
pub fn no_opinion(hook: Hook) -> &'static str {
    match hook {
        Hook::Claude | Hook::Codex => "",
        Hook::Cursor | Hook::Gemini => "{}\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Asked> {
        Asked::read(&serde_json::from_str(text).unwrap(), None)
    }

    #[test]
    fn each_agents_message_is_known_by_its_keys() {
        for (text, hook, command, cwd) in [
            (
                r#"{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
                Hook::Claude,
                Some("ls"),
                Some("/w"),
            ),
            (
                r#"{"session_id":"s","turn_id":"t","model":"m","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"shell","tool_input":{"command":["bash","-lc","rm -rf x"]}}"#,
                Hook::Codex,
                Some("bash -lc 'rm -rf x'"),
                Some("/w"),
            ),
            (
                r#"{"conversation_id":"c","hook_event_name":"beforeShellExecution","command":"ls","cwd":"","workspace_roots":["/w"]}"#,
                Hook::Cursor,
                Some("ls"),
                Some("/w"),
            ),
            (
                r#"{"hook_event_name":"BeforeTool","cwd":"/w","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#,
                Hook::Gemini,
                Some("ls"),
                Some("/w"),
            ),
            (
                r#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"command":"rm -rf /"}}"#,
                Hook::Claude,
                None,
                None,
            ),
            (
                r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}"#,
                Hook::Claude,
                None,
                None,
            ),
        ] {
            let asked = read(text).unwrap();
            assert_eq!(
                (asked.hook, asked.command.as_deref(), asked.cwd.as_deref()),
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
        let decision =
            Decision { judgement: Judgement::Allow, reason: String::new(), class: None, incident: None };
        for hook in [Hook::Claude, Hook::Codex, Hook::Cursor, Hook::Gemini] {
            let asked = Asked { hook, command: None, changes: Vec::new(), cwd: None, alone: false };
            assert!(matches!(answer(&asked, &decision).trim(), "" | "{}"));
        }
    }
}
