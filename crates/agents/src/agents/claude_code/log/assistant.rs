//! Records of the assistant role: text, thoughts and tool calls.

use super::wire::{ClaudeBlock, ClaudeMessage, ClaudeRecord};
use crate::ingest::emitter::Emitter;
use crate::ingest::lenient::{ContentPiece, MessageContent};
use crate::ingest::sink::SkipReason;
use cm_note::instant::Instant;
use cm_session::event::{EventKind, ToolOutcome};

/// Emits the events of an assistant record.
pub fn emit(record: &ClaudeRecord<'_>, message: &ClaudeMessage<'_>, out: &mut Emitter<'_>) {
    let (at, id, side) = (record.timestamp.0, record.uuid.non_blank(), record.is_sidechain.is_set());
    if record.is_api_error_message.is_set() {
        let text = message.content.joined(|block| block.text.0.as_deref());
        return out.emit(at, id, side, EventKind::Error { text });
    }
    if let Some(model) = message.model.non_blank().filter(|model| *model != "<synthetic>" && !side) {
        out.model(at, id, model);
    }
    match &message.content {
        MessageContent::Nothing => out.count_unknown("assistant without content"),
        MessageContent::Text(text) => {
            out.emit(at, id, side, EventKind::AssistantText { text: text.clone().into_owned() })
        }
        MessageContent::Blocks(pieces) => {
            if pieces.is_empty() {
                out.skip("assistant", SkipReason::Empty);
            }
            for piece in pieces {
                match piece {
                    ContentPiece::Text(text) => {
                        out.emit(at, id, side, EventKind::AssistantText { text: text.clone().into_owned() });
                    }
                    ContentPiece::Block(block) => emit_block(at, id, side, block, out),
                    ContentPiece::Nothing => out.count_unknown("assistant/no block"),
                }
            }
        }
    }
}

fn emit_block(
    at: Option<Instant>,
    id: Option<&str>,
    side: bool,
    block: &ClaudeBlock<'_>,
    out: &mut Emitter<'_>,
) {
    let kind = match block.kind.or_empty() {
        "text" => EventKind::AssistantText { text: block.text.or_empty().to_owned() },
        "thinking" => EventKind::Thinking { text: block.thinking.or_empty().to_owned() },
        "tool_use" | "server_tool_use" | "mcp_tool_use" => EventKind::ToolCall {
            id: block.id.non_blank().map(Into::into),
            name: block.name.or_empty().to_owned(),
            input: block.input.value(),
        },
        "web_search_tool_result" | "web_fetch_tool_result" | "mcp_tool_result" => EventKind::ToolResult {
            id: block.tool_use_id.non_blank().map(Into::into),
            outcome: ToolOutcome::Unknown,
            exit_code: None,
            text: block.content.joined(|inner| inner.text.0.as_deref()),
        },
        "redacted_thinking" => return out.skip("redacted_thinking", SkipReason::Hidden),
        other => return out.count_unknown(&format!("assistant/{other}")),
    };
    out.emit(at, id, side, kind);
}
