//! ChatGPT data exports: a JSON list of all conversations, as one file, several files, or the
//! original archive.
//!
//! A conversation is a tree of messages; events are emitted for the displayed branch. Conversations
//! have no working directory.

mod wire;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::Chatgpt;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::document::{self, DocumentPart, SeekableInput};
use crate::ingest::emitter::Emitter;
use crate::ingest::error::IngestError;
use crate::ingest::json_object;
use crate::ingest::line_reader::{self, BUFFER_BYTES};
use crate::ingest::locations::{self, LogLocations};
use crate::ingest::log_cursor::{LogCursor, LogStamp};
use crate::ingest::read_result::{IngestLimits, ReadResult};
use crate::ingest::sink::{EventSink, SkipReason};
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};
use cm_session::event::{EventKind, ToolOutcome};
use cm_session::{Agent, SessionMeta};
use serde_json::Value;
use wire::{ChatgptConversation, ChatgptMessage};

impl Connector for Chatgpt {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        for path in places.extra_paths_of(Agent::Chatgpt) {
            let files = if path.is_dir() { found.list(path) } else { vec![path.clone()] };
            for path in files {
                if let Some(format) = format_of(&path) {
                    found.add(Agent::Chatgpt, format, path);
                }
            }
        }
    }

    fn reader(&self, format: LogFormat) -> LogReader {
        match format {
            LogFormat::ChatgptArchive => LogReader::Own { read: read_archive, emit: None },
            _ => LogReader::Document(emit),
        }
    }
}

fn format_of(path: &Path) -> Option<LogFormat> {
    let name = locations::name(path);
    if name.ends_with(".zip") {
        Some(LogFormat::ChatgptArchive)
    } else {
        is_list(name).then_some(LogFormat::ChatgptDocument)
    }
}

/// Returns whether this is `conversations.json` or a part of it, such as `conversations-000.json`.
fn is_list(name: &str) -> bool {
    let number = name.strip_prefix("conversations").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|number| number.is_empty() || number.starts_with('-'))
}

fn read_archive(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> Result<ReadResult, IngestError> {
    let path = &source.path;
    let file = File::open(path).map_err(IngestError::io(path))?;
    let stamp = LogStamp::of(&file.metadata().map_err(IngestError::io(path))?);
    if let Some(reading) = line_reader::unchanged(cursor, stamp, &[]) {
        return Ok(reading);
    }
    let refused = |error| IngestError::Archive { path: path.clone(), source: error };
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(refused)?;
    let mut lists: Vec<String> =
        archive.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect();
    lists.retain(|name| is_list(name.rsplit('/').next().unwrap_or_default()));
    lists.sort();
    let mut out = Emitter::new(sink);
    for list in lists {
        let entry = archive.by_name(&list).map_err(refused)?;
        // An entry that breaks off gives the conversations before.
        if emit_list(source, &mut BufReader::with_capacity(BUFFER_BYTES, entry), limits, &mut out).is_err() {
            out.mark_truncated();
        }
    }
    Ok(ReadResult::of_whole(out, stamp, Vec::new()))
}

/// Emits the events of a list of conversations.
pub fn emit(
    source: &LogSource,
    input: &mut dyn SeekableInput,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    emit_list(source, input, limits, out)
}

fn emit_list<R: BufRead + ?Sized>(
    source: &LogSource,
    input: &mut R,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    // A conversation is a record here, and a long one is no attack.
    let limits = IngestLimits { max_record_bytes: limits.max_record_bytes.saturating_mul(4) };
    let end = document::walk(input, &["conversations"], limits, &mut |part| match part {
        DocumentPart::Entry(_, ordinal, bytes) => {
            let parsed = json_object::read(bytes, |bytes| {
                serde_json::from_slice(bytes).map(|wire| emit_conversation(source, &wire, out))
            });
            if parsed.is_err() {
                out.record(ordinal);
                out.count_invalid();
            }
        }
        DocumentPart::Oversized(_, ordinal) => {
            out.record(ordinal);
            out.count_oversized();
        }
        DocumentPart::Member(name, _) => out.count_unknown(name),
    })?;
    document::count_end(end, out);
    Ok(())
}

fn emit_conversation(source: &LogSource, wire: &ChatgptConversation<'_>, out: &mut Emitter<'_>) {
    let Some(id) = wire.conversation_id.non_blank().or(wire.id.non_blank()) else {
        out.record(0);
        return out.count_unknown("conversation without an id");
    };
    let mut meta = SessionMeta::new(source.agent, id.into());
    meta.model = wire.default_model_slug.owned();
    meta.extend_time_range(wire.create_time.0);
    out.begin_named(meta);
    if let Some(title) = wire.title.non_blank() {
        out.title(title);
    }
    let branch = wire.displayed_branch();
    for _ in branch.len()..wire.mapping.len() {
        out.record(0);
        out.skip("message", SkipReason::Reverted);
    }
    for (at, node) in branch.iter().enumerate() {
        out.record(at as u64 + 1);
        match &node.message.0 {
            Some(wire) => emit_message(wire, out),
            None => out.skip("node", SkipReason::Empty),
        }
    }
}

fn emit_message(message: &ChatgptMessage<'_>, out: &mut Emitter<'_>) {
    let (at, id) = (message.create_time.0, message.id.non_blank());
    let author = message.author.0.as_ref();
    let role = author.map_or("", |author| author.role.or_empty());
    let about = message.metadata.0.as_ref();
    if about.is_some_and(|about| about.is_visually_hidden_from_conversation.is_set()) || role == "system" {
        return out.skip(role, SkipReason::Hidden);
    }
    if message.weight.0 == Some(0.0) {
        return out.skip(role, SkipReason::Reverted);
    }
    if let (Some(model), "assistant") = (about.and_then(|about| about.model_slug.non_blank()), role) {
        out.model(at, id, model);
    }
    let Some(content) = &message.content.0 else { return out.skip(role, SkipReason::Empty) };
    let text = content.text();
    let kind = match (role, content.content_type.or_empty()) {
        ("user", "user_editable_context" | "model_editable_context") => EventKind::Injected { text },
        ("user", _) => return out.emit_prompt(at, id, &text),
        ("tool", _) => {
            EventKind::ToolResult { id: None, outcome: ToolOutcome::Unknown, exit_code: None, text }
        }
        ("assistant", "thoughts" | "reasoning_recap") => EventKind::Thinking { text },
        ("assistant", kind) => match message.recipient.non_blank().filter(|recipient| *recipient != "all") {
            Some(tool) => EventKind::ToolCall { id: None, name: tool.to_owned(), input: Value::String(text) },
            None if kind == "model_editable_context" => EventKind::Injected { text },
            None => EventKind::AssistantText { text },
        },
        (other, _) => return out.count_unknown(&format!("author/{other}")),
    };
    out.emit(at, id, false, kind);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_recognized_by_its_file_names() {
        for (name, format) in [
            ("conversations.json", Some(LogFormat::ChatgptDocument)),
            ("conversations-012.json", Some(LogFormat::ChatgptDocument)),
            ("shared_conversations.json", None),
            ("user.json", None),
            ("export.zip", Some(LogFormat::ChatgptArchive)),
        ] {
            assert_eq!(format_of(Path::new(name)), format, "{name}");
        }
    }
}
