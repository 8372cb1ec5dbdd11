//! opencode's sessions as trees of small files: one for the session, one per message, one per part.

use std::path::Path;

use super::wire::{OpencodeMessage, OpencodePart, OpencodeSession};
use super::{emit_closing, emit_opening, emit_part, is_placeholder};
use crate::ingest::emitter::Emitter;
use crate::ingest::error::IngestError;
use crate::ingest::json_object;
use crate::ingest::line_reader;
use crate::ingest::locations;
use crate::ingest::log_cursor::{LogCursor, LogStamp};
use crate::ingest::read_result::{IngestLimits, ReadResult};
use crate::ingest::sink::EventSink;
use crate::ingest::source::{FoundLogs, LogSource};

pub fn read(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> Result<ReadResult, IngestError> {
    let path = &source.path;
    let stamp = LogStamp::of(&std::fs::metadata(path).map_err(IngestError::io(path))?);
    let storage = path.ancestors().nth(3).unwrap_or(Path::new(""));
    let messages = storage.join("message").join(locations::stem(path));
    let companions = vec![LogStamp::at(&messages)];
    if let Some(reading) = line_reader::unchanged(cursor, stamp, &companions) {
        return Ok(reading);
    }
    let bytes = std::fs::read(path).map_err(IngestError::io(path))?;
    let mut out = Emitter::new(sink);
    out.begin_with_id(source, locations::stem(path));
    match json_object::read(&bytes, |bytes| {
        serde_json::from_slice(bytes).map(|session| about(&session, &mut out))
    }) {
        Ok(()) => emit_messages(&messages, &storage.join("part"), limits, &mut out),
        Err(_) => {
            out.record(0);
            out.count_invalid();
        }
    }
    Ok(ReadResult::of_whole(out, stamp, companions))
}

fn about(session: &OpencodeSession<'_>, out: &mut Emitter<'_>) {
    out.workspace(session.directory.or_empty());
    if let Some(title) = session.title.non_blank().filter(|title| !is_placeholder(title)) {
        out.title(title);
    }
    out.extend_time_range(session.time.0.as_ref().and_then(|time| time.created.0));
    if let (Some(parent), Some(meta)) = (session.parent_id.non_blank(), out.meta()) {
        meta.subagent = true;
        meta.parent = Some(parent.into());
    }
}

/// Emits the events of all messages. The ids of messages and parts sort by time.
fn emit_messages(messages: &Path, parts: &Path, limits: IngestLimits, out: &mut Emitter<'_>) {
    let mut found = FoundLogs::default();
    for (at, path) in found.list(messages).into_iter().enumerate() {
        out.record(at as u64 + 1);
        let Some(bytes) = small(&path, limits, out) else { continue };
        let id = locations::stem(&path);
        json_object::emit_object(&bytes, out, |bytes, out| {
            let message: OpencodeMessage<'_> = serde_json::from_slice(bytes)?;
            emit_message(id, &message, &parts.join(id), limits, out);
            Ok(())
        });
    }
}

fn emit_message(
    id: &str,
    message: &OpencodeMessage<'_>,
    parts: &Path,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) {
    let at = message.time.0.as_ref().and_then(|time| time.created.0);
    emit_opening(at, id, message, out);
    for path in FoundLogs::default().list(parts) {
        let Some(bytes) = small(&path, limits, out) else { continue };
        json_object::emit_object(&bytes, out, |bytes, out| {
            let wire: OpencodePart<'_> = serde_json::from_slice(bytes)?;
            emit_part(at, locations::stem(&path), message.role.or_empty(), &wire, out);
            Ok(())
        });
    }
    emit_closing(at, id, message, out);
}

/// Returns the bytes of a file; `None`, which is counted, if it is over the limit or cannot be
/// read.
fn small(path: &Path, limits: IngestLimits, out: &mut Emitter<'_>) -> Option<Vec<u8>> {
    match std::fs::metadata(path) {
        Ok(stat) if stat.len() > limits.max_record_bytes as u64 => {
            out.count_oversized();
            None
        }
        _ => match std::fs::read(path) {
            Ok(bytes) => Some(bytes),
            Err(_) => {
                out.count_invalid();
                None
            }
        },
    }
}
