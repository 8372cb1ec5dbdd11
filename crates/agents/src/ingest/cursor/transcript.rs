//! Agent transcripts of Cursor: one message per line, without times and tool results.

use serde::{Deserialize, Serialize};

use super::wire::{Block, Line};
use crate::ingest::lines::{self, Lines};
use crate::ingest::loose::{Content, Piece};
use crate::ingest::out::Out;
use crate::ingest::places;
use crate::ingest::sink::Skip;
use crate::ingest::source::Source;
use cm_session::event::EventKind;
use cm_session::scaffold;

/// Parser state between lines; empty.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {}

impl Lines for State {
    fn begin(source: &Source, out: &mut Out<'_>) {
        let mut meta = lines::meta_of(source);
        meta.id = places::stem(&source.path).into();
        out.begin_named(meta);
    }

    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> serde_json::Result<()> {
        let line: Line<'_> = serde_json::from_slice(line)?;
        let role = line.role.or_empty();
        let Some(message) = &line.message.0 else {
            out.unknown(if role.is_empty() { "line" } else { role });
            return Ok(());
        };
        match &message.content {
            Content::Nothing => out.skip(role, Skip::Empty),
            Content::Text(text) => said(role, text, out),
            Content::Blocks(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => said(role, text, out),
                        Piece::Block(block) => tell(role, block, out),
                        Piece::Nothing => out.unknown("message/no block"),
                    }
                }
            }
        }
        Ok(())
    }
}

/// Emits a text; for the user role, only the text that the user typed.
pub fn said(role: &str, text: &str, out: &mut Out<'_>) {
    match role {
        "user" if text.trim_start().starts_with("<user_info>") => out.skip("user_info", Skip::Hidden),
        "user" => match query_in(text) {
            Some(query) => out.person(None, None, query),
            None => out.person(None, None, text),
        },
        "assistant" => out.tell(None, None, false, EventKind::AssistantText { text: text.to_owned() }),
        "system" => out.tell(None, None, false, EventKind::Injected { text: text.to_owned() }),
        other => out.unknown(other),
    }
}

/// Returns the user's own text in a prompt to which the program added context.
fn query_in(text: &str) -> Option<&str> {
    if let Some(query) = scaffold::unwrapped(text, "user_query") {
        return Some(query);
    }
    let (_, after) = text.split_once("<user_query>")?;
    let (query, _) = after.rsplit_once("</user_query>")?;
    Some(query.trim())
}

fn tell(role: &str, block: &Block<'_>, out: &mut Out<'_>) {
    match block.kind.or_empty() {
        "text" => said(role, block.text.or_empty(), out),
        "tool_use" => {
            let kind = EventKind::ToolCall {
                id: None,
                name: block.name.or_empty().to_owned(),
                input: block.input.value(),
            };
            out.tell(None, None, false, kind);
        }
        kind @ "image" => out.skip(kind, Skip::Bookkeeping),
        other => out.unknown(&format!("{role}/{other}")),
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
