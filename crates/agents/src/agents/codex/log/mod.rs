//! Codex: one JSON Lines file per session, compressed when it is old; earlier versions wrote one
//! JSON document.

mod person_command;
mod record;
mod tool_output;
mod wire;

use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use super::Codex;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::document::{self, SeekableInput};
use crate::ingest::emitter::Emitter;
use crate::ingest::json_object;
use crate::ingest::line_reader::{self, BUFFER_BYTES, LineFormat};
use crate::ingest::locations::{self, LogLocations};
use crate::ingest::log_cursor::LinePosition;
use crate::ingest::read_result::IngestLimits;
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};
use cm_session::Agent;
pub use record::CodexState;
use wire::{CodexPayload, IndexEntry};

impl Connector for Codex {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        let mut roots = places.extra_paths_of(Agent::Codex).to_vec();
        roots.push(places.variable("CODEX_HOME").unwrap_or_else(|| places.home.join(".codex")));
        for root in roots {
            let titles = titles(&root, found);
            let files = if root.is_file() {
                vec![root]
            } else {
                ["sessions", "archived_sessions"]
                    .map(|folder| root.join(folder))
                    .iter()
                    .flat_map(|folder| found.files_below(folder, 4))
                    .collect()
            };
            for path in files {
                let Some(format) = format_of(&path) else { continue };
                let mut source = LogSource::new(Agent::Codex, format, &path);
                source.title = id_in_name(&path).and_then(|id| titles.get(id).cloned());
                found.sources.push(source);
            }
        }
    }

    fn reader(&self, format: LogFormat) -> LogReader {
        match format {
            LogFormat::CodexCompressed => LogReader::Document(emit_compressed),
            LogFormat::CodexDocument => LogReader::Document(emit_document),
            _ => LogReader::lines::<CodexState>(),
        }
    }
}

fn format_of(path: &Path) -> Option<LogFormat> {
    let name = locations::name(path);
    if name.ends_with(".jsonl") {
        Some(LogFormat::CodexLines)
    } else if name.ends_with(".jsonl.zst") {
        Some(LogFormat::CodexCompressed)
    } else if name.ends_with(".json") && name.starts_with("rollout-") {
        Some(LogFormat::CodexDocument)
    } else {
        None
    }
}

/// Returns the UUID at the end of a log's file name.
fn id_in_name(path: &Path) -> Option<&str> {
    let stem = locations::name(path).split('.').next()?;
    stem.get(stem.len().checked_sub(36)?..)
}

/// Reads the names of sessions; the last entry for a session applies.
fn titles(root: &Path, found: &mut FoundLogs) -> BTreeMap<String, String> {
    let mut titles = BTreeMap::new();
    let index: PathBuf = root.join("session_index.jsonl");
    for line in found.read_companion(&index).unwrap_or_default().lines() {
        if let Ok(entry) = serde_json::from_str::<IndexEntry<'_>>(line)
            && let (Some(id), Some(name)) = (entry.id.owned(), entry.thread_name.owned())
        {
            titles.insert(id, name);
        }
    }
    titles
}

/// Emits the events of a compressed log, up to the point where decompression fails.
pub fn emit_compressed(
    source: &LogSource,
    input: &mut dyn SeekableInput,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    CodexState::begin(source, out);
    let Ok(decoder) = ruzstd::decoding::StreamingDecoder::new(input) else {
        out.mark_truncated();
        return Ok(());
    };
    let mut lines = BufReader::with_capacity(BUFFER_BYTES, decoder);
    if line_reader::emit_lines(&mut lines, LinePosition::default(), &mut CodexState::default(), limits, out)
        .is_err()
    {
        out.mark_truncated();
    }
    Ok(())
}

/// Emits the events of a session of the first generation: `{"session": {…}, "items": […]}`.
pub fn emit_document(
    source: &LogSource,
    input: &mut dyn SeekableInput,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    CodexState::begin(source, out);
    let mut state = CodexState::default();
    document::members_then_entries(
        input,
        &["items"],
        limits,
        out,
        &mut |out, name, bytes| {
            if name == "session" {
                json_object::emit_object(bytes, out, |bytes, out| {
                    serde_json::from_slice(bytes).map(|meta| record::about(&meta, out))
                });
            }
        },
        &mut |out, _, bytes| {
            json_object::emit_object(bytes, out, |bytes, out| {
                let item: CodexPayload<'_> = serde_json::from_slice(bytes)?;
                state.item(item.timestamp.0, &item, out);
                Ok(())
            });
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_log_ends_with_its_session() {
        let path = "/s/rollout-2026-10-05T10-00-00-0199aaaa-0000-7000-8000-000000000002.jsonl.zst";
        assert_eq!(id_in_name(Path::new(path)), Some("0199aaaa-0000-7000-8000-000000000002"));
        assert_eq!(format_of(Path::new(path)), Some(LogFormat::CodexCompressed));
    }
}
