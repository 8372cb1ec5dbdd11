//! Chats of Cursor's command line: a database of blobs; those that are JSON are messages.

use data_encoding::HEXLOWER_PERMISSIVE;
use rusqlite::OptionalExtension;

use super::transcript::emit_text;
use super::wire::{Blob, ChatMeta, CursorBlock};
use crate::ingest::database::{self, DatabaseStamps, has_table};
use crate::ingest::emitter::Emitter;
use crate::ingest::error::IngestError;
use crate::ingest::json_object;
use crate::ingest::lenient::{ContentPiece, MessageContent};
use crate::ingest::locations;
use crate::ingest::log_cursor::LogCursor;
use crate::ingest::read_result::{IngestLimits, ReadResult};
use crate::ingest::sink::{EventSink, SkipReason};
use crate::ingest::source::LogSource;
use cm_session::event::{EventKind, ToolOutcome};

pub fn read(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> Result<ReadResult, IngestError> {
    let path = &source.path;
    let stamps = DatabaseStamps::of(path)?;
    if let Some(reading) = stamps.unchanged(cursor) {
        return Ok(reading);
    }
    let mut out = Emitter::new(sink);
    out.begin_with_id(source, locations::folder(path));
    emit(source, limits, &mut out).map_err(IngestError::database(path))?;
    Ok(stamps.read_whole(out))
}

fn emit(source: &LogSource, limits: IngestLimits, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
    let database = database::open(&source.path)?;
    if !has_table(&database, "blobs")? {
        out.record(0);
        out.count_unknown("database without blobs");
        return Ok(());
    }
    if has_table(&database, "meta")? {
        let meta = database
            .query_row("SELECT value FROM meta WHERE key = '0'", [], |row| database::bytes(row, 0))
            .optional()?;
        if let Some(title) = meta.flatten().and_then(|value| title(&value)) {
            out.title(&title);
        }
    }
    let mut blobs = database.prepare(
        "SELECT octet_length(data) > ?1, CASE WHEN octet_length(data) <= ?1 THEN data END FROM blobs ORDER BY rowid",
    )?;
    let mut rows = blobs.query([limits.max_record_bytes as i64])?;
    let mut ordinal = 0;
    while let Some(row) = rows.next()? {
        ordinal += 1;
        out.record(ordinal);
        if row.get::<_, Option<bool>>(0)? == Some(true) {
            out.count_oversized();
            continue;
        }
        match database::bytes(row, 1)? {
            Some(data) if data.starts_with(b"{") => {
                json_object::emit_object(&data, out, |data, out| {
                    serde_json::from_slice(data).map(|wire| emit_blob(&wire, out))
                });
            }
            // Other blobs join messages to a chat.
            Some(_) => out.skip("blob", SkipReason::Bookkeeping),
            None => out.skip("blob", SkipReason::Empty),
        }
    }
    Ok(())
}

/// Parses the chat's title from hex-encoded JSON.
fn title(value: &[u8]) -> Option<String> {
    let json = HEXLOWER_PERMISSIVE.decode(value.trim_ascii()).ok()?;
    let meta: ChatMeta<'_> = serde_json::from_slice(&json).ok()?;
    meta.title.owned()
}

fn emit_blob(blob: &Blob<'_>, out: &mut Emitter<'_>) {
    let role = blob.role.or_empty();
    match &blob.content {
        MessageContent::Nothing => out.skip("blob", SkipReason::Bookkeeping),
        MessageContent::Text(text) => emit_text(role, text, out),
        MessageContent::Blocks(pieces) => {
            for piece in pieces {
                match piece {
                    ContentPiece::Text(text) => emit_text(role, text, out),
                    ContentPiece::Block(block) => emit_block(blob.id.non_blank(), role, block, out),
                    ContentPiece::Nothing => out.count_unknown("blob/no block"),
                }
            }
        }
    }
}

fn emit_block(record: Option<&str>, role: &str, block: &CursorBlock<'_>, out: &mut Emitter<'_>) {
    let id = || block.tool_call_id.non_blank().map(Into::into);
    let kind = match block.kind.or_empty() {
        "text" => return emit_text(role, block.text.or_empty(), out),
        "reasoning" => EventKind::Thinking { text: block.text.or_empty().to_owned() },
        "tool-call" => EventKind::ToolCall {
            id: id(),
            name: block.tool_name.or_empty().to_owned(),
            input: block.args.value(),
        },
        "tool-result" => EventKind::ToolResult {
            id: id(),
            outcome: if block.is_error.is_set() { ToolOutcome::Error } else { ToolOutcome::Unknown },
            exit_code: None,
            text: block.result.text(),
        },
        kind @ ("redacted-reasoning" | "image" | "file") => return out.skip(kind, SkipReason::Hidden),
        other => return out.count_unknown(&format!("{role}/{other}")),
    };
    out.emit(None, record, false, kind);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chats_name_is_read_from_its_digits() {
        let digits: String = br#"{"name":"Fix"}"#.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(title(digits.as_bytes()).as_deref(), Some("Fix"));
        assert_eq!(title(b"7g"), None);
        assert_eq!(title(b""), None);
    }
}
