//! The hook entries in an agent's settings, per event.

use serde_json::{Value, json};

use super::json::JsonDialect;
use crate::hook::program::ProgramPath;
use crate::hook::{HookAgent, HookEvent};

/// Events for which hooks are installed.
#[must_use]
pub fn events(agent: HookAgent) -> &'static [HookEvent] {
    use HookEvent::{PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop, ToolFailure};
    match agent {
        HookAgent::Claude => &[SessionStart, Prompt, PreTool, ToolFailure, PreCompact, Stop, SessionEnd],
        // Its older versions pass over the end of a session, which they do not know; each answer is captured too.
        HookAgent::Codex => &[SessionStart, Prompt, PreTool, PreCompact, Stop, SessionEnd],
        HookAgent::Cursor => {
            &[SessionStart, Prompt, PreTool, PostTool, ToolFailure, PreCompact, Stop, SessionEnd]
        }
        // Its first prompt begins a session, and what it calls a compression comes before each turn.
        HookAgent::Gemini => &[Prompt, PreTool, SessionEnd],
        HookAgent::Opencode => &[SessionStart, Prompt, PreTool, PreCompact, Stop, SessionEnd],
    }
}

/// Cursor's event before a tool that is not a shell.
pub const CURSOR_TOOLS: &str = "preToolUse";

/// Returns the entries for an event, each with the name of its list. Empty if the agent does not
/// have the event or has no JSON settings.
#[must_use]
pub fn entries(agent: HookAgent, event: HookEvent, program: &ProgramPath) -> Vec<(&'static str, Value)> {
    let Some(name) = event.name_for(agent) else { return Vec::new() };
    match agent {
        HookAgent::Claude => vec![(name, claude(event, program))],
        HookAgent::Codex => vec![(name, codex(event, program))],
        HookAgent::Cursor if event == HookEvent::PreTool => {
            let mut files = cursor(event, program);
            files["matcher"] = Value::from("Write|Delete");
            vec![(name, cursor(event, program)), (CURSOR_TOOLS, files)]
        }
        HookAgent::Cursor => vec![(name, cursor(event, program))],
        HookAgent::Gemini => vec![(name, gemini(event, program))],
        HookAgent::Opencode => Vec::new(),
    }
}

/// Returns the JSON dialect of the agent's settings.
#[must_use]
pub fn syntax(agent: HookAgent) -> JsonDialect {
    match agent {
        HookAgent::Claude | HookAgent::Codex => JsonDialect { comments: false, trailing_commas: false },
        HookAgent::Gemini => JsonDialect { comments: true, trailing_commas: false },
        HookAgent::Cursor | HookAgent::Opencode => JsonDialect { comments: true, trailing_commas: true },
    }
}

/// Timeout of a hook in seconds. Hooks usually need a fraction of a second.
fn timeout_seconds(event: HookEvent) -> u32 {
    match event {
        HookEvent::SessionStart | HookEvent::SessionEnd => 10,
        _ => 5,
    }
}

/// Wraps a handler in a group, optionally limited to tools or sources that match.
fn group(matcher: Option<&str>, handler: &Value) -> Value {
    match matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [handler] }),
        None => json!({ "hooks": [handler] }),
    }
}

fn claude(event: HookEvent, program: &ProgramPath) -> Value {
    let arguments = ProgramPath::arguments(HookAgent::Claude, event);
    // Not as an `async` one: `claude -p` kills those when it ends, and has no other event at which a session is captured.
    let handler = json!({
        "type": "command", "command": program.path(), "args": arguments, "timeout": timeout_seconds(event),
    });
    let matcher = match event {
        HookEvent::SessionStart => Some("startup|resume|clear|compact|fork"),
        HookEvent::PreTool => Some("Bash|Write|Edit|MultiEdit|NotebookEdit"),
        HookEvent::ToolFailure => Some("Bash"),
        _ => None,
    };
    group(matcher, &handler)
}

fn codex(event: HookEvent, program: &ProgramPath) -> Value {
    let line = program.line(HookAgent::Codex, event);
    // At a session's end it waits for 3 s at most, and warns of more.
    let timeout = if event == HookEvent::SessionEnd { 3 } else { timeout_seconds(event) };
    let handler = json!({ "type": "command", "command": line, "timeout": timeout });
    group((event == HookEvent::SessionStart).then_some("startup|resume|clear|compact"), &handler)
}

fn cursor(event: HookEvent, program: &ProgramPath) -> Value {
    let line = program.line(HookAgent::Cursor, event);
    let mut entry = json!({ "command": line, "timeout": timeout_seconds(event) });
    if matches!(event, HookEvent::PostTool | HookEvent::ToolFailure) {
        entry["matcher"] = Value::from("Shell");
    }
    entry
}

fn gemini(event: HookEvent, program: &ProgramPath) -> Value {
    let line = program.line(HookAgent::Gemini, event);
    // Gemini CLI counts milliseconds.
    let handler = json!({ "type": "command", "command": line, "name": "cm", "timeout": timeout_seconds(event) * 1_000 });
    group((event == HookEvent::PreTool).then_some("run_shell_command|write_file|replace"), &handler)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::program::is_cm_hook;

    #[test]
    fn every_entry_is_known_as_ours_and_calls_for_its_event() {
        for agent in [HookAgent::Claude, HookAgent::Codex, HookAgent::Cursor, HookAgent::Gemini] {
            for event in events(agent) {
                let entries = entries(agent, *event, &ProgramPath::default());
                assert!(!entries.is_empty());
                for (name, entry) in entries {
                    assert_eq!(HookEvent::from_name(name), Some(*event));
                    let handler = entry.get("hooks").map_or(&entry, |handlers| &handlers[0]);
                    assert!(is_cm_hook(handler), "{handler}");
                }
            }
        }
    }

    #[test]
    fn claude_code_gets_what_it_documents() {
        let shown = |event| entries(HookAgent::Claude, event, &ProgramPath::default())[0].1.to_string();
        assert_eq!(
            shown(HookEvent::SessionStart),
            r#"{"matcher":"startup|resume|clear|compact|fork","hooks":[{"type":"command","command":"cm","args":["hook","claude","session-start"],"timeout":10}]}"#
        );
        assert_eq!(
            shown(HookEvent::Stop),
            r#"{"hooks":[{"type":"command","command":"cm","args":["hook","claude","stop"],"timeout":5}]}"#
        );
    }
}
