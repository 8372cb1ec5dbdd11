//! Sessions of Cline 3: a folder per session below `~/.cline/data/sessions`, with one document for
//! the messages and one for the metadata.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::ingest::document::{self, SeekableInput};
use crate::ingest::emitter::Emitter;
use crate::ingest::json_object;
use crate::ingest::lenient::{
    ContentPiece, LenientBool, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};
use crate::ingest::locations;
use crate::ingest::read_result::IngestLimits;
use crate::ingest::sink::SkipReason;
use crate::ingest::source::{FoundLogs, LogSource};
use cm_note::instant::Instant;
use cm_session::event::{EventKind, ToolOutcome};

/// File name suffix of message files.
const MESSAGES: &str = ".messages.json";

/// Returns the message file in a session's folder.
pub fn messages_in(folder: &Path, found: &mut FoundLogs) -> Option<PathBuf> {
    found.list(folder).into_iter().find(|path| locations::name(path).ends_with(MESSAGES))
}

#[derive(Deserialize, Default)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct ClineSessionMeta<'a> {
    cwd: LenientText<'a>,
    model: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
struct ClineMessage<'a> {
    id: LenientText<'a>,
    role: LenientText<'a>,
    ts: LenientTime,
    content: MessageContent<'a, ClineSessionBlock<'a>>,
    model_info: LenientObject<ModelInfo<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct ModelInfo<'a> {
    id: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct ClineSessionBlock<'a> {
    #[serde(rename = "type")]
    kind: LenientText<'a>,
    text: LenientText<'a>,
    thinking: LenientText<'a>,
    id: LenientText<'a>,
    name: LenientText<'a>,
    input: RawJson<'a>,
    tool_use_id: LenientText<'a>,
    is_error: LenientBool,
    content: MessageContent<'a, ClineOutput<'a>>,
}

/// Result of one of the commands or files of a tool call.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct ClineOutput<'a> {
    text: LenientText<'a>,
    result: LenientText<'a>,
    error: LenientText<'a>,
    success: Option<bool>,
}

/// Emits the events of a session.
pub fn emit(
    source: &LogSource,
    input: &mut dyn SeekableInput,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    let name = locations::name(&source.path);
    let id = name.strip_suffix(MESSAGES).unwrap_or(name);
    out.begin_with_id(source, id);
    let companion = FoundLogs::default().read_companion(&source.path.with_file_name(format!("{id}.json")));
    let text = companion.unwrap_or_default();
    let about: ClineSessionMeta<'_> = serde_json::from_str(&text).unwrap_or_default();
    out.workspace(about.cwd.or_empty());
    out.model(None, None, about.model.or_empty());
    document::members_then_entries(
        input,
        &["messages"],
        limits,
        out,
        &mut |_, _, _| {},
        &mut |out, _, bytes| {
            json_object::emit_object(bytes, out, |bytes, out| {
                serde_json::from_slice(bytes).map(|read| emit_message(&read, out))
            });
        },
    )
}

fn emit_message(message: &ClineMessage<'_>, out: &mut Emitter<'_>) {
    let (at, id) = (message.ts.0, message.id.non_blank());
    let by_person = message.role.or_empty() == "user";
    if let Some(model) = message.model_info.0.as_ref().and_then(|info| info.id.non_blank()) {
        out.model(at, id, model);
    }
    match &message.content {
        MessageContent::Nothing => out.skip(message.role.or_empty(), SkipReason::Empty),
        MessageContent::Text(words) => emit_text(at, id, by_person, words, out),
        MessageContent::Blocks(pieces) => {
            for piece in pieces {
                match piece {
                    ContentPiece::Text(words) => emit_text(at, id, by_person, words, out),
                    ContentPiece::Block(found) => emit_block(at, id, by_person, found, out),
                    ContentPiece::Nothing => out.count_unknown("message/no block"),
                }
            }
        }
    }
}

fn emit_text(at: Option<Instant>, id: Option<&str>, by_person: bool, words: &str, out: &mut Emitter<'_>) {
    if !by_person {
        return out.emit(at, id, false, EventKind::AssistantText { text: words.to_owned() });
    }
    match typed_text(words) {
        Some(typed) => out.emit_prompt(at, id, typed),
        None => out.emit(at, id, false, EventKind::Injected { text: words.to_owned() }),
    }
}

/// Returns the text that the user typed, which is inside `<user_input mode="…">`; everything else
/// was written by a program.
fn typed_text(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<user_input")?;
    let (_, rest) = rest.split_once('>')?;
    Some(rest.rsplit_once("</user_input>").map_or(rest, |(words, _)| words).trim())
}

fn emit_block(
    at: Option<Instant>,
    id: Option<&str>,
    by_person: bool,
    block: &ClineSessionBlock<'_>,
    out: &mut Emitter<'_>,
) {
    let kind = match block.kind.or_empty() {
        "text" => return emit_text(at, id, by_person, block.text.or_empty(), out),
        "thinking" => EventKind::Thinking { text: block.thinking.or_empty().to_owned() },
        "tool_use" => EventKind::ToolCall {
            id: block.id.non_blank().map(Into::into),
            name: block.name.or_empty().to_owned(),
            input: block.input.value(),
        },
        "tool_result" => result_event(block),
        kind @ ("image" | "file" | "redacted_thinking") => return out.skip(kind, SkipReason::Hidden),
        other => return out.count_unknown(other),
    };
    out.emit(at, id, false, kind);
}

fn result_event(block: &ClineSessionBlock<'_>) -> EventKind {
    let text = block
        .content
        .joined(|output| output.text.non_blank().or(output.result.non_blank()).or(output.error.non_blank()));
    let failed =
        block.is_error.is_set() || block.content.blocks().any(|output| output.success == Some(false));
    let succeeded = block.content.blocks().any(|output| output.success == Some(true));
    let outcome = match (failed, succeeded) {
        (true, _) => ToolOutcome::Error,
        (false, true) => ToolOutcome::Ok,
        (false, false) => ToolOutcome::Unknown,
    };
    let code = text.lines().rev().find_map(|line| {
        line.trim().strip_prefix("[Command exited with code ")?.strip_suffix(']')?.parse().ok()
    });
    EventKind::ToolResult {
        id: block.tool_use_id.non_blank().map(Into::into),
        outcome,
        exit_code: code,
        text,
    }
}
