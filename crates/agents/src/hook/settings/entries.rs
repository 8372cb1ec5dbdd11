//! The hook entries in an agent's settings, per event.

use serde_json::{Value, json};

use super::tree::Syntax;
use crate::hook::program::Program;
use crate::hook::{Agent, Event};

/// Events for which hooks are installed.
#[must_use]
pub fn events(agent: Agent) -> &'static [Event] {
    use Event::{PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop, ToolFailure};
    match agent {
        Agent::Claude => &[SessionStart, Prompt, PreTool, ToolFailure, PreCompact, Stop, SessionEnd],
        // Its older versions pass over the end of a session, which they do not know; each answer is captured too.
        Agent::Codex => &[SessionStart, Prompt, PreTool, PreCompact, Stop, SessionEnd],
        Agent::Cursor => {
            &[SessionStart, Prompt, PreTool, PostTool, ToolFailure, PreCompact, Stop, SessionEnd]
        }
        // Its first prompt begins a session, and what it calls a compression comes before each turn.
        Agent::Gemini => &[Prompt, PreTool, SessionEnd],
        Agent::Opencode => &[SessionStart, Prompt, PreTool, PreCompact, Stop, SessionEnd],
    }
}

/// Cursor's event before a tool that is not a shell.
pub const CURSOR_TOOLS: &str = "preToolUse";

/// Returns the entries for an event, each with the name of its list. Empty if the agent does not
/// have the event or has no JSON settings.
#[must_use]
pub fn entries(agent: Agent, event: Event, program: &Program) -> Vec<(&'static str, Value)> {
    let Some(name) = event.called_by(agent) else { return Vec::new() };
    match agent {
        Agent::Claude => vec![(name, claude(event, program))],
        Agent::Codex => vec![(name, codex(event, program))],
        Agent::Cursor if event == Event::PreTool => {
            let mut files = cursor(event, program);
            files["matcher"] = Value::from("Write|Delete");
            vec![(name, cursor(event, program)), (CURSOR_TOOLS, files)]
        }
        Agent::Cursor => vec![(name, cursor(event, program))],
        Agent::Gemini => vec![(name, gemini(event, program))],
        Agent::Opencode => Vec::new(),
    }
}

/// Returns the JSON dialect of the agent's settings.
#[must_use]
pub fn syntax(agent: Agent) -> Syntax {
    match agent {
        Agent::Claude | Agent::Codex => Syntax { comments: false, trailing_commas: false },
        Agent::Gemini => Syntax { comments: true, trailing_commas: false },
        Agent::Cursor | Agent::Opencode => Syntax { comments: true, trailing_commas: true },
    }
}

/// Timeout of a hook in seconds. Hooks usually need a fraction of a second.
fn patience(event: Event) -> u32 {
    match event {
        Event::SessionStart | Event::SessionEnd => 10,
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

fn claude(event: Event, program: &Program) -> Value {
    let arguments = Program::arguments(Agent::Claude, event);
    // Not as an `async` one: `claude -p` kills those when it ends, and has no other event at which a session is captured.
    let handler = json!({
        "type": "command", "command": program.path(), "args": arguments, "timeout": patience(event),
    });
    let matcher = match event {
        Event::SessionStart => Some("startup|resume|clear|compact|fork"),
        Event::PreTool => Some("Bash|Write|Edit|MultiEdit|NotebookEdit"),
        Event::ToolFailure => Some("Bash"),
        _ => None,
    };
    group(matcher, &handler)
}

fn codex(event: Event, program: &Program) -> Value {
    let line = program.line(Agent::Codex, event);
    // At a session's end it waits for 3 s at most, and warns of more.
    let timeout = if event == Event::SessionEnd { 3 } else { patience(event) };
    let handler = json!({ "type": "command", "command": line, "timeout": timeout });
    group((event == Event::SessionStart).then_some("startup|resume|clear|compact"), &handler)
}

fn cursor(event: Event, program: &Program) -> Value {
    let line = program.line(Agent::Cursor, event);
    let mut entry = json!({ "command": line, "timeout": patience(event) });
    if matches!(event, Event::PostTool | Event::ToolFailure) {
        entry["matcher"] = Value::from("Shell");
    }
    entry
}

fn gemini(event: Event, program: &Program) -> Value {
    let line = program.line(Agent::Gemini, event);
    // Gemini CLI counts milliseconds.
    let handler =
        json!({ "type": "command", "command": line, "name": "cm", "timeout": patience(event) * 1_000 });
    group((event == Event::PreTool).then_some("run_shell_command|write_file|replace"), &handler)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::program::is_our_hook;

    #[test]
    fn every_entry_is_known_as_ours_and_calls_for_its_event() {
        for agent in [Agent::Claude, Agent::Codex, Agent::Cursor, Agent::Gemini] {
            for event in events(agent) {
                let entries = entries(agent, *event, &Program::default());
                assert!(!entries.is_empty());
                for (name, entry) in entries {
                    assert_eq!(Event::named(name), Some(*event));
                    let handler = entry.get("hooks").map_or(&entry, |handlers| &handlers[0]);
                    assert!(is_our_hook(handler), "{handler}");
                }
            }
        }
    }

    #[test]
    fn claude_code_gets_what_it_documents() {
        let shown = |event| entries(Agent::Claude, event, &Program::default())[0].1.to_string();
        assert_eq!(
            shown(Event::SessionStart),
            r#"{"matcher":"startup|resume|clear|compact|fork","hooks":[{"type":"command","command":"cm","args":["hook","claude","session-start"],"timeout":10}]}"#
        );
        assert_eq!(
            shown(Event::Stop),
            r#"{"hooks":[{"type":"command","command":"cm","args":["hook","claude","stop"],"timeout":5}]}"#
        );
    }
}
