//! Converts messages of the Cursor editor into events.

use serde_json::Value;

use super::wire::{Bubble, ToolAnswer, ToolFormer};
use crate::ingest::emitter::Emitter;
use crate::ingest::lenient::RawJson;
use crate::ingest::sink::SkipReason;
use cm_note::instant::Instant;
use cm_session::event::{EventKind, ToolOutcome};

/// Emits the events of a message.
pub fn emit(bubble: &Bubble<'_>, out: &mut Emitter<'_>) {
    let (at, id) = (bubble.created_at.0, bubble.bubble_id.non_blank());
    out.workspace(bubble.workspace_project_dir.or_empty());
    let text = bubble.text.non_blank().or(bubble.raw_text.non_blank());
    match bubble.kind.get().map_or("", |kind| kind.get()) {
        "1" | "\"user\"" => match text {
            Some(text) => out.emit_prompt(at, id, text),
            None => out.skip("bubble/user", SkipReason::Empty),
        },
        "2" | "\"ai\"" => answer(at, id, text, bubble, out),
        other => out.count_unknown(&format!("bubble/{other}")),
    }
}

fn answer(
    at: Option<Instant>,
    id: Option<&str>,
    text: Option<&str>,
    bubble: &Bubble<'_>,
    out: &mut Emitter<'_>,
) {
    let model = bubble
        .model_info
        .0
        .as_ref()
        .and_then(|model| model.model_name.non_blank())
        .or(bubble.model_type.non_blank());
    if let Some(model) = model.filter(|model| *model != "default") {
        out.model(at, id, model);
    }
    let thought = bubble.thinking.0.as_ref().and_then(|thinking| thinking.text.non_blank());
    if let Some(thought) = thought {
        out.emit(at, id, false, EventKind::Thinking { text: thought.to_owned() });
    }
    if let Some(text) = text {
        out.emit(at, id, false, EventKind::AssistantText { text: text.to_owned() });
    }
    match &bubble.tool_former_data.0 {
        // Some messages have an object without a tool in it.
        Some(tool) if tool.name.non_blank().is_some() || tool.tool.whole().is_some() => {
            emit_tool(at, id, tool, out)
        }
        _ if text.is_none() && thought.is_none() => {
            let kind = bubble
                .capability_type
                .whole()
                .map_or_else(|| "bubble/ai".to_owned(), |kind| format!("bubble/ai/{kind}"));
            out.skip(&kind, SkipReason::Empty);
        }
        _ => {}
    }
}

fn emit_tool(at: Option<Instant>, record: Option<&str>, tool: &ToolFormer<'_>, out: &mut Emitter<'_>) {
    let id = || tool.tool_call_id.non_blank().map(Into::into);
    let name = match tool.name.non_blank() {
        Some(name) => name.to_owned(),
        None => format!("tool_{}", tool.tool.whole().unwrap_or_default()),
    };
    let input = if tool.params.get().is_some() { tool.params } else { tool.raw_args };
    out.emit(at, record, false, EventKind::ToolCall { id: id(), name, input: data(input) });
    if tool.user_decision.non_blank() == Some("rejected") {
        return out.emit(at, record, false, EventKind::ToolRejected { id: id(), text: tool.result.text() });
    }
    let json = tool.result.text();
    let answer: ToolAnswer<'_> = serde_json::from_str(&json).unwrap_or_default();
    let exit_code = answer.exit_code.exit_code();
    let outcome = match tool.status.or_empty() {
        "completed" if exit_code.is_some_and(|code| code != 0) => ToolOutcome::Error,
        "completed" => ToolOutcome::Ok,
        "error" => ToolOutcome::Error,
        "cancelled" => return out.emit(at, record, false, EventKind::Interrupt),
        _ if json.is_empty() => return,
        _ => ToolOutcome::Unknown,
    };
    let text = answer.output.non_blank().or(answer.contents.non_blank()).unwrap_or(&json).to_owned();
    out.emit(at, record, false, EventKind::ToolResult { id: id(), outcome, exit_code, text });
}

/// Parses arguments that are JSON, possibly inside a string.
fn data(raw: RawJson<'_>) -> Value {
    match raw.value() {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        value => value,
    }
}
