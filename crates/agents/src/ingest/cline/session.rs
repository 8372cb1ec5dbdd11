//! Sessions of Cline 3: a folder per session below `~/.cline/data/sessions`, with one document for
//! the messages and one for the metadata.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::ingest::document::{self, Input};
use crate::ingest::lines;
use crate::ingest::loose::{Content, Flag, Object, Piece, Raw, Text, When};
use crate::ingest::object;
use crate::ingest::out::Out;
use crate::ingest::places;
use crate::ingest::reading::Limits;
use crate::ingest::sink::Skip;
use crate::ingest::source::{Found, Source};
use cm_note::instant::Instant;
use cm_session::event::{EventKind, ToolOutcome};

/// File name suffix of message files.
const MESSAGES: &str = ".messages.json";

/// Returns the message file in a session's folder.
pub fn messages_in(folder: &Path, found: &mut Found) -> Option<PathBuf> {
    found.list(folder).into_iter().find(|path| places::name(path).ends_with(MESSAGES))
}

/// Metadata of a session.
#[derive(Deserialize, Default)]
struct About<'a> {
    #[serde(borrow, default)]
    cwd: Text<'a>,
    #[serde(borrow, default)]
    model: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    role: Text<'a>,
    #[serde(default)]
    ts: When,
    #[serde(borrow, default)]
    content: Content<'a, Block<'a>>,
    #[serde(borrow, default)]
    model_info: Object<ModelInfo<'a>>,
}

#[derive(Deserialize)]
struct ModelInfo<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    thinking: Text<'a>,
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    input: Raw<'a>,
    #[serde(borrow, default)]
    tool_use_id: Text<'a>,
    #[serde(default)]
    is_error: Flag,
    #[serde(borrow, default)]
    content: Content<'a, Output<'a>>,
}

/// Result of one of the commands or files of a tool call.
#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    result: Text<'a>,
    #[serde(borrow, default)]
    error: Text<'a>,
    #[serde(default)]
    success: Option<bool>,
}

/// Emits the events of a session.
pub fn tell(source: &Source, input: &mut dyn Input, limits: Limits, out: &mut Out<'_>) -> io::Result<()> {
    let name = places::name(&source.path);
    let id = name.strip_suffix(MESSAGES).unwrap_or(name);
    let mut meta = lines::meta_of(source);
    meta.id = id.into();
    out.begin_named(meta);
    let beside = Found::default().beside(&source.path.with_file_name(format!("{id}.json")));
    let text = beside.unwrap_or_default();
    let about: About<'_> = serde_json::from_str(&text).unwrap_or_default();
    out.workspace(about.cwd.or_empty());
    out.model(None, None, about.model.or_empty());
    document::members_then_entries(
        input,
        &["messages"],
        limits,
        out,
        &mut |_, _, _| {},
        &mut |out, _, bytes| {
            object::tell(bytes, out, |bytes, out| {
                serde_json::from_slice(bytes).map(|read| message(&read, out))
            });
        },
    )
}

fn message(message: &Message<'_>, out: &mut Out<'_>) {
    let (at, id) = (message.ts.0, message.id.said());
    let by_person = message.role.or_empty() == "user";
    if let Some(model) = message.model_info.0.as_ref().and_then(|info| info.id.said()) {
        out.model(at, id, model);
    }
    match &message.content {
        Content::Nothing => out.skip(message.role.or_empty(), Skip::Empty),
        Content::Text(words) => text(at, id, by_person, words, out),
        Content::Blocks(pieces) => {
            for piece in pieces {
                match piece {
                    Piece::Text(words) => text(at, id, by_person, words, out),
                    Piece::Block(found) => block(at, id, by_person, found, out),
                    Piece::Nothing => out.unknown("message/no block"),
                }
            }
        }
    }
}

fn text(at: Option<Instant>, id: Option<&str>, by_person: bool, words: &str, out: &mut Out<'_>) {
    if !by_person {
        return out.tell(at, id, false, EventKind::AssistantText { text: words.to_owned() });
    }
    match typed(words) {
        Some(typed) => out.person(at, id, typed),
        None => out.tell(at, id, false, EventKind::Injected { text: words.to_owned() }),
    }
}

/// Returns the text that the user typed, which is inside `<user_input mode="…">`; everything else
/// was written by a program.
fn typed(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<user_input")?;
    let (_, rest) = rest.split_once('>')?;
    Some(rest.rsplit_once("</user_input>").map_or(rest, |(words, _)| words).trim())
}

fn block(at: Option<Instant>, id: Option<&str>, by_person: bool, block: &Block<'_>, out: &mut Out<'_>) {
    let kind = match block.kind.or_empty() {
        "text" => return text(at, id, by_person, block.text.or_empty(), out),
        "thinking" => EventKind::Thinking { text: block.thinking.or_empty().to_owned() },
        "tool_use" => EventKind::ToolCall {
            id: block.id.said().map(Into::into),
            name: block.name.or_empty().to_owned(),
            input: block.input.value(),
        },
        "tool_result" => result(block),
        kind @ ("image" | "file" | "redacted_thinking") => return out.skip(kind, Skip::Hidden),
        other => return out.unknown(other),
    };
    out.tell(at, id, false, kind);
}

fn result(block: &Block<'_>) -> EventKind {
    let text =
        block.content.joined(|output| output.text.said().or(output.result.said()).or(output.error.said()));
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
    EventKind::ToolResult { id: block.tool_use_id.said().map(Into::into), outcome, exit_code: code, text }
}
