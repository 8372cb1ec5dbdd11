//! Parses the JSON that an agent sends to a hook on stdin into one type for all agents.
//!
//! Unknown fields are ignored, missing ones are `None`, and invalid input results in an empty
//! message, so that a hook never interrupts an agent.

use serde_json::{Map, Value};

use super::{AgentHooks as _, HookAgent, HookEvent};
use crate::agents::claude_code::ClaudeCode;
use crate::agents::cline::hooks::common_fields;
use crate::agents::codex::Codex;
use crate::agents::copilot_cli::CopilotCli;
use crate::agents::cursor::Cursor;
use crate::agents::cursor::hooks::FILE_TOOL_EVENT;
use crate::agents::gemini::Gemini;
use crate::agents::hook_agent;
use crate::agents::opencode::Opencode;
use crate::agents::qwen::Qwen;
use cm_learn::recurring::CommandFailure;
use cm_learn::tool_call::{command_in, command_of, is_shell, line_of};
use cm_learn::trauma::tool::{ToolFileChange, changes};
use cm_session::harness_text::without_hook_context;
use cm_session::{Agent, injected_markers};

/// A hook message from an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct HookMessage {
    pub agent: HookAgent,
    /// Event of the message; `None` if neither the command nor the message states it.
    pub event: Option<HookEvent>,
    pub event_name: Option<String>,
    pub session: Option<String>,
    /// Working directory of the agent.
    pub cwd: Option<String>,
    /// Path of the session log, which may lag behind the conversation.
    pub transcript: Option<String>,
    /// Prompt of the user, without the context that hooks added.
    pub prompt: Option<String>,
    /// Id of the prompt or turn.
    pub turn: Option<String>,
    /// Tool that is about to run or has run.
    pub tool: Option<HookToolCall>,
    /// Error message of a failed tool.
    pub error: Option<String>,
    /// Whether the user interrupted the tool, so that its failure is not meaningful.
    pub interrupted: bool,
    /// Kind of session start: `startup`, `resume`, `clear`, `compact` or `fork`.
    pub source: Option<String>,
    /// Reason for the end of a session.
    pub reason: Option<String>,
    /// Trigger of a compaction: `manual` or `auto`.
    pub trigger: Option<String>,
    /// Whether the message comes from a subagent.
    pub subagent: bool,
    /// Whether the message says that no person types the prompts.
    pub headless: bool,
    /// Whether the agent works on only because a hook asked for it when it stopped before.
    pub continued: bool,
    /// Request for the guard; `None` unless a tool is about to run.
    pub guard_request: Option<GuardRequest>,
}

/// A tool call that an agent wants checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardRequest {
    /// Command line; `None` if the tool is not a shell.
    pub command: Option<String>,
    /// Files that the tool is about to write or delete.
    pub changes: Vec<ToolFileChange>,
    /// Working directory of the call.
    pub cwd: Option<String>,
    /// Whether the agent runs without permission prompts, so that a warning cannot be confirmed.
    pub unattended: bool,
}

/// The tool call that a message is about.
#[derive(Debug, Clone, PartialEq)]
pub struct HookToolCall {
    pub name: String,
    /// Arguments of the call.
    pub input: Value,
    /// Id of the call; may contain any character.
    pub call: Option<String>,
    /// Command line if the tool is a shell.
    pub command: Option<String>,
}

/// Returns a text without a byte order mark and blanks around it.
fn without_mark(stdin: &str) -> &str {
    stdin.trim_start_matches('\u{feff}').trim()
}

impl HookMessage {
    /// Parses stdin. `agent` and `event` take precedence over the content of the message.
    #[must_use]
    pub fn read(stdin: &str, agent: Option<HookAgent>, event: Option<HookEvent>) -> Self {
        let fields = match serde_json::from_str(without_mark(stdin)) {
            Ok(Value::Object(fields)) => common_fields(&fields).unwrap_or(fields),
            _ => Map::new(),
        };
        Self::of(&MessageFields(&fields), agent, event)
    }

    /// Parses a message for the guard; without an event it is a tool that is about to run. `None`
    /// if it is not a hook message.
    #[must_use]
    pub fn read_for_guard(stdin: &str, agent: Option<HookAgent>) -> Option<Self> {
        let fields: Map<String, Value> = serde_json::from_str(without_mark(stdin)).ok()?;
        let fields = common_fields(&fields).unwrap_or(fields);
        let fields = MessageFields(&fields);
        let has_event = fields.text(&["hook_event_name"]).is_some();
        let keys = ["tool_name", "conversation_id", "cursor_version", "turn_id"];
        if fields.0.is_empty() || !(agent.is_some() || has_event || keys.iter().any(|key| fields.has(key))) {
            return None;
        }
        Some(Self::of(&fields, agent, (!has_event).then_some(HookEvent::PreTool)))
    }

    fn of(fields: &MessageFields<'_>, agent: Option<HookAgent>, event: Option<HookEvent>) -> Self {
        let called = fields.text(&["hook_event_name"]);
        let agent = agent.unwrap_or_else(|| fields.agent());
        let event = event.or_else(|| called.as_deref().and_then(HookEvent::from_name));
        let interrupted = fields.0.get("is_interrupt").and_then(Value::as_bool).unwrap_or(false);
        Self {
            agent,
            event,
            session: fields.text(&["session_id", "conversation_id"]),
            cwd: fields.text(&["cwd"]).or_else(|| fields.workspace()),
            transcript: fields.text(&["transcript_path", "agent_transcript_path"]),
            prompt: fields.text(&["prompt"]).and_then(|prompt| user_text(&prompt)),
            turn: fields.text(&["prompt_id", "turn_id"]),
            tool: fields.tool(),
            error: fields.text(&["error", "error_message"]),
            interrupted,
            source: fields.text(&["source"]),
            reason: fields.text(&["reason"]),
            trigger: fields.text(&["trigger"]),
            subagent: fields.text(&["agent_id"]).is_some(),
            headless: fields.is(&["is_background_agent"], true) || fields.is(&["interactive"], false),
            continued: fields.is_continued(),
            guard_request: (event == Some(HookEvent::PreTool)).then(|| fields.guard_request()),
            event_name: called,
        }
    }

    /// Returns a hash that identifies the event, so that it is answered once even if several hooks
    /// are installed, such as a plugin's and a project's. `None` if the message does not identify
    /// the event.
    #[must_use]
    pub fn cause(&self) -> Option<String> {
        let event = self.event?;
        let question = self.question()?;
        let call = self.tool.as_ref().and_then(|tool| tool.call.as_deref());
        let parts =
            [event.name(), self.turn.as_deref().unwrap_or_default(), call.unwrap_or_default(), &question];
        Some(blake3::hash(parts.join("\0").as_bytes()).to_hex().chars().take(16).collect())
    }

    /// Returns `true` if the conversation is being compacted. Gemini CLI also sends this event
    /// before each turn, and compacts only when the trigger is `manual`.
    #[must_use]
    pub(crate) fn is_compaction(&self) -> bool {
        let is_check = self.agent.agent() == Agent::Gemini && self.trigger.as_deref() != Some("manual");
        self.event == Some(HookEvent::PreCompact) && !is_check
    }

    /// Returns the text that describes the agent's current work: the prompt, or a failed command
    /// with the error message of its output, or all of it if none is found. The rest of an output shares words
    /// with many unrelated notes.
    #[must_use]
    pub fn question(&self) -> Option<String> {
        match self.event? {
            HookEvent::Prompt => self.prompt.clone(),
            HookEvent::ToolFailure if !self.interrupted => {
                let command = self.tool.as_ref().and_then(|tool| tool.command.as_deref()).unwrap_or_default();
                let output = self.error.as_deref().unwrap_or_default();
                let message = CommandFailure::of(output).message;
                let question = format!("{command}\n{}", message.as_deref().unwrap_or(output));
                (!question.trim().is_empty()).then(|| question.trim().to_owned())
            }
            _ => None,
        }
    }
}

/// Removes the context that hooks and cm added to a prompt; `None` if nothing is left.
fn user_text(prompt: &str) -> Option<String> {
    let prompt = without_hook_context(prompt);
    let prompt = injected_markers::strip_injected(prompt).unwrap_or_else(|| prompt.to_owned());
    (!prompt.trim().is_empty()).then_some(prompt)
}

struct MessageFields<'a>(&'a Map<String, Value>);

impl MessageFields<'_> {
    /// Returns the first of these fields that is a non-blank string.
    fn text(&self, keys: &[&str]) -> Option<String> {
        let words = |key: &&str| self.0.get(*key)?.as_str().filter(|text| !text.trim().is_empty());
        keys.iter().find_map(words).map(str::to_owned)
    }

    /// Whether one of these fields has this value.
    fn is(&self, keys: &[&str], value: bool) -> bool {
        keys.iter().any(|key| self.0.get(*key).and_then(Value::as_bool) == Some(value))
    }

    fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Detects the agent from the fields. Ambiguous messages are taken for Claude Code's, because
    /// other agents copy its format.
    fn agent(&self) -> HookAgent {
        let called = self.text(&["hook_event_name"]).unwrap_or_default();
        let transcript = self.text(&["transcript_path"]).unwrap_or_default().replace('\\', "/");
        // Our own extensions, and messages that were converted, name their agent.
        if let Some(agent) = self.text(&["agent"]).and_then(|name| hook_agent(&name)) {
            return agent;
        }
        let has_event =
            |agent: HookAgent| HookEvent::ALL.iter().any(|event| agent.event_name(*event) == Some(&called));
        let only = |agent: HookAgent| has_event(agent) && !has_event(&ClaudeCode);
        if self.has("conversation_id") || self.has("cursor_version") || called == FILE_TOOL_EVENT {
            &Cursor
        } else if transcript.contains("/.qwen/") {
            &Qwen
        } else if transcript.contains("/.copilot/") || self.is_copilots(&called) {
            &CopilotCli
        } else if only(&Opencode) {
            &Opencode
        } else if only(&Cursor) {
            &Cursor
        } else if only(&Gemini) || transcript.contains("/.gemini/") {
            &Gemini
        } else if self.has("turn_id") || transcript.contains("/.codex/") {
            &Codex
        } else if self.has("timestamp")
            && !self.has("permission_mode")
            && (called.is_empty() || has_event(&Gemini))
        {
            &Gemini
        } else {
            &ClaudeCode
        }
    }

    /// Copilot CLI sends Claude Code's events with a time, and a transcript only at some of them.
    fn is_copilots(&self, called: &str) -> bool {
        let has = |keys: &[&str]| keys.iter().any(|key| self.has(key));
        let has_event = HookEvent::ALL.iter().any(|event| CopilotCli.event_name(*event) == Some(called));
        has_event
            && self.has("timestamp")
            && self.has("session_id")
            && !has(&["transcript_path", "permission_mode", "turn_id"])
    }

    /// Cursor counts how often a hook made it go on.
    fn is_continued(&self) -> bool {
        let active = self.0.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false);
        active || self.0.get("loop_count").and_then(Value::as_u64).is_some_and(|count| count > 0)
    }

    fn workspace(&self) -> Option<String> {
        let root = self.0.get("workspace_roots")?.get(0)?.as_str()?;
        (!root.is_empty()).then(|| root.to_owned())
    }

    fn tool(&self) -> Option<HookToolCall> {
        let input = self.0.get("tool_input").cloned();
        // Cursor names no tool where a shell is about to run.
        let shell = || self.text(&["command"]).map(|line| ("Shell".to_owned(), Value::from(line)));
        let tool = self.text(&["tool_name"]).map(|name| (name, input.unwrap_or(Value::Null)));
        let (name, input) = tool.or_else(shell)?;
        let command = command_of(&name, &input);
        Some(HookToolCall { name, input, call: self.text(&["tool_use_id"]), command })
    }

    fn guard_request(&self) -> GuardRequest {
        let tool = self.text(&["tool_name"]);
        let input = self.0.get("tool_input");
        let runs_shell = tool.as_deref().is_none_or(is_shell);
        let argument = |key: &str| input?.get(key)?.as_str().filter(|folder| folder.starts_with('/'));
        let command = match self.0.get("command") {
            Some(command) => line_of(command),
            None => input.and_then(command_in),
        };
        let changed = tool.zip(input).filter(|_| !runs_shell).map(|(tool, input)| changes(&tool, input));
        GuardRequest {
            command: command.filter(|_| runs_shell),
            changes: changed.unwrap_or_default(),
            cwd: argument("workdir")
                .or_else(|| argument("cwd"))
                .map(str::to_owned)
                .or_else(|| self.text(&["cwd"]))
                .or_else(|| self.workspace()),
            unattended: matches!(
                self.text(&["permission_mode"]).as_deref(),
                Some("bypassPermissions" | "dontAsk" | "yolo")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::agents::hook_agents;

    #[test]
    fn the_agent_is_detected_from_the_message() {
        for (text, agent) in [
            (
                r#"{"session_id":"s","transcript_path":"/h/.claude/projects/x/s.jsonl","hook_event_name":"SessionStart"}"#,
                &ClaudeCode as HookAgent,
            ),
            (
                r#"{"session_id":"s","transcript_path":"/h/.codex/sessions/rollout.jsonl","hook_event_name":"SessionStart"}"#,
                &Codex,
            ),
            (r#"{"session_id":"s","turn_id":"t","hook_event_name":"UserPromptSubmit"}"#, &Codex),
            (r#"{"conversation_id":"c","hook_event_name":"sessionStart"}"#, &Cursor),
            (r#"{"hook_event_name":"BeforeAgent"}"#, &Gemini),
            (r#"{"hook_event_name":"SessionStart","timestamp":"2026-11-22T10:00:00Z"}"#, &Gemini),
            (r#"{"hook_event_name":"pre-tool"}"#, &Opencode),
            ("", &ClaudeCode),
        ] {
            assert_eq!(HookMessage::read(text, None, None).agent, agent, "{text}");
        }
    }

    #[test]
    fn the_guards_messages_are_read_for_every_agent() {
        for (text, agent, command, cwd) in [
            (
                r#"{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
                &ClaudeCode as HookAgent,
                Some("ls"),
                Some("/w"),
            ),
            (
                r#"{"session_id":"s","turn_id":"t","model":"m","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"shell","tool_input":{"command":["bash","-lc","rm -rf x"]}}"#,
                &Codex,
                Some("rm -rf x"),
                Some("/w"),
            ),
            (
                r#"{"conversation_id":"c","hook_event_name":"beforeShellExecution","command":"ls","cwd":"","workspace_roots":["/w"]}"#,
                &Cursor,
                Some("ls"),
                Some("/w"),
            ),
            (r#"{"hook_event_name":"preToolUse","tool_name":"Shell"}"#, &Cursor, None, None),
            (
                r#"{"hook_event_name":"BeforeTool","cwd":"/w","tool_name":"run_shell_command","tool_input":{"command":"ls","workdir":"/x"}}"#,
                &Gemini,
                Some("ls"),
                Some("/x"),
            ),
            (r#"{"tool_name":"Write","tool_input":{"command":"rm -rf /"}}"#, &ClaudeCode, None, None),
            (
                r#"{"hook_event_name":"PreToolUse","timestamp":"2026-11-22T10:00:00Z","command":"ls"}"#,
                &ClaudeCode,
                Some("ls"),
                None,
            ),
        ] {
            let message = HookMessage::read_for_guard(text, None).unwrap();
            let request = message.guard_request.unwrap();
            assert_eq!(
                (message.agent, request.command.as_deref(), request.cwd.as_deref()),
                (agent, command, cwd),
                "{text}"
            );
        }
        let after =
            r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}"#;
        assert_eq!(HookMessage::read_for_guard(after, None).unwrap().guard_request, None);
        for text in ["", "{}", "[1]", r#"{"command":"ls"}"#] {
            assert_eq!(HookMessage::read_for_guard(text, None), None, "{text}");
        }
    }

    #[test]
    fn the_command_says_what_the_message_does_not() {
        let message = HookMessage::read(
            r#"{"conversation_id":"c","cwd":"","workspace_roots":["/w"]}"#,
            None,
            Some(HookEvent::Stop),
        );
        assert_eq!((message.agent.agent(), message.event), (Agent::Cursor, Some(HookEvent::Stop)));
        assert_eq!((message.session.as_deref(), message.cwd.as_deref()), (Some("c"), Some("/w")));
    }

    #[test]
    fn a_tool_that_a_person_stopped_asks_nothing() {
        let failed = |more: &str| {
            let text = format!(
                r#"{{"tool_name":"Bash","tool_input":{{"command":"make"}},"error":"Exit code 2"{more}}}"#
            );
            HookMessage::read(&text, Some(&ClaudeCode), Some(HookEvent::ToolFailure)).question()
        };
        assert_eq!(failed("").as_deref(), Some("make\nExit code 2"));
        assert_eq!(failed(r#","is_interrupt":true"#), None);
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-zA-Z/ \\n\u{202e}é]{0,12}".prop_map(Value::from),
            prop::sample::select(vec!["SessionStart", "preToolUse", "AfterTool", "Bash"])
                .prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 6, |inner| {
            let key = prop::sample::select(vec![
                "session_id",
                "cwd",
                "hook_event_name",
                "tool_name",
                "tool_input",
                "command",
                "prompt",
                "error",
                "workspace_roots",
                "transcript_path",
                "is_interrupt",
                "agent_id",
                "source",
                "x",
            ]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((key, inner), 0..8).prop_map(|fields| {
                    fields
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect::<Map<_, _>>()
                        .into()
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_message_is_too_strange_to_be_read(value in json(), cut in 0_usize..200) {
            let text = value.to_string();
            let short: String = text.chars().take(cut).collect();
            for text in [text, short] {
                for agent in hook_agents().map(Some).chain([None]) {
                    for event in HookEvent::ALL.map(Some).into_iter().chain([None]) {
                        let message = HookMessage::read(&text, agent, event);
                        prop_assert!(agent.is_none_or(|agent| message.agent == agent));
                        prop_assert!(event.is_none() || message.event == event);
                    }
                }
            }
        }
    }
}
