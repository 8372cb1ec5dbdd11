//! Records of the user role: prompts, text inserted by programs, and tool results.

use super::wire::{ClaudeBlock, ClaudeRecord};
use crate::ingest::emitter::Emitter;
use crate::ingest::sink::SkipReason;
use cm_session::event::{EventKind, ToolOutcome};
use cm_session::harness_text;

/// Emits the events of a block in the user role.
pub fn block(record: &ClaudeRecord<'_>, block: &ClaudeBlock<'_>, out: &mut Emitter<'_>) {
    match block.kind.or_empty() {
        "text" => text(record, block.text.or_empty(), out),
        "tool_result" => tool_result(record, block, out),
        kind @ ("image" | "document") => out.skip(kind, SkipReason::Bookkeeping),
        other => out.count_unknown(&format!("user/{other}")),
    }
}

/// Emits a text in the user role, as a prompt or as injected text.
pub fn text(record: &ClaudeRecord<'_>, prompt: &str, out: &mut Emitter<'_>) {
    let (at, id, side) = (record.timestamp.0, record.uuid.non_blank(), record.is_sidechain.is_set());
    let trimmed = prompt.trim();
    if matches!(trimmed, "[Request interrupted by user]" | "[Request interrupted by user for tool use]") {
        return out.emit(at, id, side, EventKind::Interrupt);
    }
    if let Some(command) = harness_text::unwrapped(trimmed, "bash-input") {
        let command = command.to_owned();
        return out.emit(at, id, side, EventKind::PersonCommand { command, output: None, exit_code: None });
    }
    let origin = record.origin.0.as_ref().and_then(|origin| origin.kind.non_blank());
    let machine = record.is_meta.is_set()
        || side
        || record.agent_id.non_blank().is_some()
        || origin.is_some_and(|origin| origin != "human")
        || record.prompt_source.non_blank() == Some("system");
    if machine {
        out.emit(at, id, side, EventKind::Injected { text: prompt.to_owned() });
    } else {
        out.emit_prompt(at, id, prompt);
    }
}

fn tool_result(record: &ClaudeRecord<'_>, block: &ClaudeBlock<'_>, out: &mut Emitter<'_>) {
    let text = block.content.joined(|inner| inner.text.0.as_deref());
    let call = block.tool_use_id.non_blank().map(Into::into);
    let rejected = record.tool_denial_kind.non_blank().is_some()
        || text.starts_with("The user doesn't want to proceed with this tool use");
    let kind = if rejected {
        EventKind::ToolRejected { id: call, text }
    } else {
        let exit_code = exit_code(&text);
        let outcome = match (block.is_error.0, exit_code) {
            (Some(true), _) => ToolOutcome::Error,
            (_, Some(code)) => ToolOutcome::of_exit(Some(code)),
            (Some(false), None) => ToolOutcome::Ok,
            (None, None) => ToolOutcome::Unknown,
        };
        EventKind::ToolResult { id: call, outcome, exit_code, text }
    };
    out.emit(record.timestamp.0, record.uuid.non_blank(), record.is_sidechain.is_set(), kind);
}

/// Parses the exit code in the first line of a failed command's output, such as `Exit code 101`.
/// Output of successful commands has none.
fn exit_code(text: &str) -> Option<i32> {
    let first = text.lines().next()?.trim();
    first.strip_prefix("Error: ").unwrap_or(first).strip_prefix("Exit code ")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_commands_code_is_its_first_line() {
        assert_eq!(exit_code("Exit code 101\nx"), Some(101));
        assert_eq!(exit_code("Error: Exit code 2"), Some(2));
        assert_eq!(exit_code("x\nExit code 2"), None);
        assert_eq!(exit_code(""), None);
    }
}
