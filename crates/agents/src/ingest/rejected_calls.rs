//! Recognizes results of tool calls that a hook, a policy or the user refused. Such a call never
//! ran.
//!
//! Some agents mark these results; others only write a sentence into them.

use cm_session::event::{EventKind, ToolOutcome};

/// First words of the results of refused calls, from Codex, Claude Code, Gemini CLI, opencode, and
/// cm's own plugin for opencode.
const BEGINNINGS: [&str; 12] = [
    "Command blocked by PreToolUse hook",
    "Tool call blocked by PreToolUse hook",
    "Blocked by PreToolUse hook",
    "Hook PreToolUse:",
    "PreToolUse:",
    "Tool execution blocked:",
    "Tool execution denied by policy",
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
    "The user has specified a rule which prevents you from using this",
    "cm guard: ",
];
/// Phrases in the first line of the results of refused calls.
const PARTS: [&str; 5] = [
    "operation blocked by hook",
    "blocked by a hook",
    "denied by a hook",
    "denied by policy",
    "rejected by user",
];

/// Converts the result of a refused call into a rejection; returns other events unchanged.
pub fn recognize(kind: EventKind) -> EventKind {
    match kind {
        EventKind::ToolResult { id, outcome, exit_code: None, text }
            if outcome != ToolOutcome::Ok && is_refusal(&text) =>
        {
            EventKind::ToolRejected { id, text }
        }
        other => other,
    }
}

fn is_refusal(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let first = first.trim_start_matches("{\"error\":\"").trim_start_matches("Error: ");
    BEGINNINGS.iter().any(|beginning| first.starts_with(beginning))
        || first.len() < 300 && PARTS.iter().any(|part| first.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(outcome: ToolOutcome, text: &str) -> EventKind {
        recognize(EventKind::ToolResult { id: None, outcome, exit_code: None, text: text.to_owned() })
    }

    #[test]
    fn a_call_that_a_hook_stopped_is_a_refusal_in_the_words_of_each_agent() {
        for text in [
            "Command blocked by PreToolUse hook: this deletes ~. Command: rm -rf ~",
            "Hook PreToolUse:Bash denied this tool",
            "PreToolUse:Bash hook error: [cm]: this deletes ~",
            "Bash operation blocked by hook:\n- no",
            "Tool execution blocked: this deletes ~",
            "Error: cm guard: this deletes ~",
            "exec command rejected by user",
        ] {
            assert!(matches!(result(ToolOutcome::Error, text), EventKind::ToolRejected { .. }), "{text}");
            assert!(matches!(result(ToolOutcome::Unknown, text), EventKind::ToolRejected { .. }), "{text}");
        }
    }

    #[test]
    fn output_of_a_command_that_ran_is_none() {
        assert!(matches!(result(ToolOutcome::Ok, "cm guard: x"), EventKind::ToolResult { .. }));
        for text in [
            "error: failed to push some refs",
            "the hook declined",
            "log: Command blocked by PreToolUse hook",
        ] {
            assert!(matches!(result(ToolOutcome::Error, text), EventKind::ToolResult { .. }), "{text}");
        }
    }
}
