//! Records of the assistant role: text, thoughts and tool calls.

use super::wire::{Block, Message, Record};
use crate::ingest::loose::{Content, Piece};
use crate::ingest::out::Out;
use crate::ingest::sink::Skip;
use cm_note::instant::Instant;
use cm_session::event::{EventKind, ToolOutcome};

/// Emits the events of an assistant record.
pub fn tell(record: &Record<'_>, message: &Message<'_>, out: &mut Out<'_>) {
    let (at, id, side) = (record.timestamp.0, record.uuid.said(), record.is_sidechain.is_set());
    if record.is_api_error_message.is_set() {
        let text = message.content.joined(|block| block.text.0.as_deref());
        return out.tell(at, id, side, EventKind::Error { text });
    }
    if let Some(model) = message.model.said().filter(|model| *model != "<synthetic>" && !side) {
        out.model(at, id, model);
    }
    match &message.content {
        Content::Nothing => out.unknown("assistant without content"),
        Content::Text(text) => {
            out.tell(at, id, side, EventKind::AssistantText { text: text.clone().into_owned() })
        }
        Content::Blocks(pieces) => {
            if pieces.is_empty() {
                out.skip("assistant", Skip::Empty);
            }
            for piece in pieces {
                match piece {
                    Piece::Text(text) => {
                        out.tell(at, id, side, EventKind::AssistantText { text: text.clone().into_owned() });
                    }
                    Piece::Block(block) => tell_block(at, id, side, block, out),
                    Piece::Nothing => out.unknown("assistant/no block"),
                }
            }
        }
    }
}

fn tell_block(at: Option<Instant>, id: Option<&str>, side: bool, block: &Block<'_>, out: &mut Out<'_>) {
    let kind = match block.kind.or_empty() {
        "text" => EventKind::AssistantText { text: block.text.or_empty().to_owned() },
        "thinking" => EventKind::Thinking { text: block.thinking.or_empty().to_owned() },
        "tool_use" | "server_tool_use" | "mcp_tool_use" => EventKind::ToolCall {
            id: block.id.said().map(Into::into),
            name: block.name.or_empty().to_owned(),
            input: block.input.value(),
        },
        "web_search_tool_result" | "web_fetch_tool_result" | "mcp_tool_result" => EventKind::ToolResult {
            id: block.tool_use_id.said().map(Into::into),
            outcome: ToolOutcome::Unknown,
            exit_code: None,
            text: block.content.joined(|inner| inner.text.0.as_deref()),
        },
        "redacted_thinking" => return out.skip("redacted_thinking", Skip::Hidden),
        other => return out.unknown(&format!("assistant/{other}")),
    };
    out.tell(at, id, side, kind);
}
