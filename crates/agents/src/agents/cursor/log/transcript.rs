//! Agent transcripts of Cursor: one message per line, without times and tool results.

use serde::{Deserialize, Serialize};

use super::wire::{CursorBlock, TranscriptLine};
use crate::ingest::emitter::Emitter;
use crate::ingest::lenient::{ContentPiece, MessageContent};
use crate::ingest::line_reader::LineFormat;
use crate::ingest::locations;
use crate::ingest::sink::SkipReason;
use crate::ingest::source::LogSource;
use cm_session::event::EventKind;
use cm_session::harness_text;

/// Parser state between lines; empty.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct TranscriptState {}

impl LineFormat for TranscriptState {
    fn begin(source: &LogSource, out: &mut Emitter<'_>) {
        out.begin_with_id(source, locations::stem(&source.path));
    }

    fn line(&mut self, line: &[u8], out: &mut Emitter<'_>) -> serde_json::Result<()> {
        let line: TranscriptLine<'_> = serde_json::from_slice(line)?;
        let role = line.role.or_empty();
        let Some(message) = &line.message.0 else {
            out.count_unknown(if role.is_empty() { "line" } else { role });
            return Ok(());
        };
        match &message.content {
            MessageContent::Nothing => out.skip(role, SkipReason::Empty),
            MessageContent::Text(text) => emit_text(role, text, out),
            MessageContent::Blocks(pieces) => {
                for piece in pieces {
                    match piece {
                        ContentPiece::Text(text) => emit_text(role, text, out),
                        ContentPiece::Block(block) => emit(role, block, out),
                        ContentPiece::Nothing => out.count_unknown("message/no block"),
                    }
                }
            }
        }
        Ok(())
    }
}

/// Emits a text; for the user role, only the text that the user typed.
pub fn emit_text(role: &str, text: &str, out: &mut Emitter<'_>) {
    match role {
        "user" if text.trim_start().starts_with("<user_info>") => out.skip("user_info", SkipReason::Hidden),
        "user" => match query_in(text) {
            Some(query) => out.emit_prompt(None, None, query),
            None => out.emit_prompt(None, None, text),
        },
        "assistant" => out.emit(None, None, false, EventKind::AssistantText { text: text.to_owned() }),
        "system" => out.emit(None, None, false, EventKind::Injected { text: text.to_owned() }),
        other => out.count_unknown(other),
    }
}

/// Returns the user's own text in a prompt to which the program added context.
fn query_in(text: &str) -> Option<&str> {
    if let Some(query) = harness_text::unwrapped(text, "user_query") {
        return Some(query);
    }
    let (_, after) = text.split_once("<user_query>")?;
    let (query, _) = after.rsplit_once("</user_query>")?;
    Some(query.trim())
}

fn emit(role: &str, block: &CursorBlock<'_>, out: &mut Emitter<'_>) {
    match block.kind.or_empty() {
        "text" => emit_text(role, block.text.or_empty(), out),
        "tool_use" => {
            let kind = EventKind::ToolCall {
                id: None,
                name: block.name.or_empty().to_owned(),
                input: block.input.value(),
            };
            out.emit(None, None, false, kind);
        }
        kind @ "image" => out.skip(kind, SkipReason::Bookkeeping),
        other => out.count_unknown(&format!("{role}/{other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_persons_words_are_taken_out_of_what_stands_around_them() {
        assert_eq!(query_in("<user_query>\nA\n</user_query>"), Some("A"));
        assert_eq!(query_in("<timestamp>x</timestamp>\n<user_query>A</user_query>"), Some("A"));
        assert_eq!(query_in("A"), None);
    }
}
