//! ChatGPT data exports: a JSON list of all conversations, as one file, several files, or the
//! original archive.
//!
//! A conversation is a tree of messages; events are emitted for the displayed branch. Conversations
//! have no working directory.

mod wire;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::connector::Connector;
use super::document::{self, Input, Part};
use super::error::Error;
use super::lines::{self, PIECE};
use super::object;
use super::out::Out;
use super::places::{self, Places};
use super::position::{Cursor, Stamp};
use super::reading::{Limits, Progress, Reading};
use super::sink::{Sink, Skip};
use super::source::{Format, Found, Source};
use cm_session::event::{EventKind, ToolOutcome};
use cm_session::{Agent, Meta};
use serde_json::Value;
use wire::{Conversation, Message};

pub struct Chatgpt;

impl Connector for Chatgpt {
    fn find(&self, places: &Places, found: &mut Found) {
        for named in places.named(Agent::Chatgpt) {
            let files = if named.is_dir() { found.list(named) } else { vec![named.clone()] };
            for path in files {
                if let Some(format) = format_of(&path) {
                    found.add(Agent::Chatgpt, format, path);
                }
            }
        }
    }

    fn read(
        &self,
        source: &Source,
        cursor: Option<&Cursor>,
        limits: Limits,
        sink: &mut dyn Sink,
    ) -> Result<Reading, Error> {
        match source.format {
            Format::ChatgptArchive => read_archive(source, cursor, limits, sink),
            _ => document::read_file(source, cursor, limits, sink, tell),
        }
    }
}

fn format_of(path: &Path) -> Option<Format> {
    let name = places::name(path);
    if name.ends_with(".zip") {
        Some(Format::ChatgptArchive)
    } else {
        is_list(name).then_some(Format::ChatgptDocument)
    }
}

/// Returns whether this is `conversations.json` or a part of it, such as `conversations-000.json`.
fn is_list(name: &str) -> bool {
    let number = name.strip_prefix("conversations").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|number| number.is_empty() || number.starts_with('-'))
}

fn read_archive(
    source: &Source,
    cursor: Option<&Cursor>,
    limits: Limits,
    sink: &mut dyn Sink,
) -> Result<Reading, Error> {
    let path = &source.path;
    let file = File::open(path).map_err(Error::io(path))?;
    let stamp = Stamp::of(&file.metadata().map_err(Error::io(path))?);
    if let Some(reading) = lines::unchanged(cursor, stamp, &[]) {
        return Ok(reading);
    }
    let refused = |error| Error::Archive { path: path.clone(), source: error };
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(refused)?;
    let mut lists: Vec<String> =
        archive.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect();
    lists.retain(|name| is_list(name.rsplit('/').next().unwrap_or_default()));
    lists.sort();
    let mut out = Out::new(sink);
    for list in lists {
        let entry = archive.by_name(&list).map_err(refused)?;
        // An entry that breaks off gives the conversations before.
        if tell_list(source, &mut BufReader::with_capacity(PIECE, entry), limits, &mut out).is_err() {
            out.torn();
        }
    }
    let (tally, _) = out.finish();
    Ok(Reading {
        cursor: Cursor::of_whole(stamp, Vec::new(), String::new()),
        tally,
        progress: Progress::FromStart,
    })
}

/// Emits the events of a list of conversations.
pub fn tell(source: &Source, input: &mut dyn Input, limits: Limits, out: &mut Out<'_>) -> io::Result<()> {
    tell_list(source, input, limits, out)
}

fn tell_list<R: BufRead + ?Sized>(
    source: &Source,
    input: &mut R,
    limits: Limits,
    out: &mut Out<'_>,
) -> io::Result<()> {
    // A conversation is a record here, and a long one is no attack.
    let limits = Limits { record: limits.record.saturating_mul(4) };
    let end = document::walk(input, &["conversations"], limits, &mut |part| match part {
        Part::Entry(_, ordinal, bytes) => {
            let told = object::read(bytes, |bytes| {
                serde_json::from_slice(bytes).map(|wire| conversation(source, &wire, out))
            });
            if told.is_err() {
                out.record(ordinal);
                out.bad();
            }
        }
        Part::Oversized(_, ordinal) => {
            out.record(ordinal);
            out.oversized();
        }
        Part::Member(name, _) => out.unknown(name),
    })?;
    document::ended(end, out);
    Ok(())
}

fn conversation(source: &Source, wire: &Conversation<'_>, out: &mut Out<'_>) {
    let Some(id) = wire.conversation_id.said().or(wire.id.said()) else {
        out.record(0);
        return out.unknown("conversation without an id");
    };
    let mut meta = Meta::new(source.agent, id.into());
    meta.model = wire.default_model_slug.owned();
    meta.saw(wire.create_time.0);
    out.begin_named(meta);
    if let Some(title) = wire.title.said() {
        out.title(title);
    }
    let branch = wire.shown();
    for _ in branch.len()..wire.mapping.len() {
        out.record(0);
        out.skip("message", Skip::TakenBack);
    }
    for (at, node) in branch.iter().enumerate() {
        out.record(at as u64 + 1);
        match &node.message.0 {
            Some(said) => message(said, out),
            None => out.skip("node", Skip::Empty),
        }
    }
}

fn message(message: &Message<'_>, out: &mut Out<'_>) {
    let (at, id) = (message.create_time.0, message.id.said());
    let author = message.author.0.as_ref();
    let role = author.map_or("", |author| author.role.or_empty());
    let about = message.metadata.0.as_ref();
    if about.is_some_and(|about| about.is_visually_hidden_from_conversation.is_set()) || role == "system" {
        return out.skip(role, Skip::Hidden);
    }
    if message.weight.0 == Some(0.0) {
        return out.skip(role, Skip::TakenBack);
    }
    if let (Some(model), "assistant") = (about.and_then(|about| about.model_slug.said()), role) {
        out.model(at, id, model);
    }
    let Some(content) = &message.content.0 else { return out.skip(role, Skip::Empty) };
    let text = content.said();
    let kind = match (role, content.content_type.or_empty()) {
        ("user", "user_editable_context" | "model_editable_context") => EventKind::Injected { text },
        ("user", _) => return out.person(at, id, &text),
        ("tool", _) => {
            EventKind::ToolResult { id: None, outcome: ToolOutcome::Unknown, exit_code: None, text }
        }
        ("assistant", "thoughts" | "reasoning_recap") => EventKind::Thinking { text },
        ("assistant", kind) => match message.recipient.said().filter(|recipient| *recipient != "all") {
            Some(tool) => EventKind::ToolCall { id: None, name: tool.to_owned(), input: Value::String(text) },
            None if kind == "model_editable_context" => EventKind::Injected { text },
            None => EventKind::AssistantText { text },
        },
        (other, _) => return out.unknown(&format!("author/{other}")),
    };
    out.tell(at, id, false, kind);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_known_by_the_names_of_its_files() {
        for (name, format) in [
            ("conversations.json", Some(Format::ChatgptDocument)),
            ("conversations-012.json", Some(Format::ChatgptDocument)),
            ("shared_conversations.json", None),
            ("user.json", None),
            ("export.zip", Some(Format::ChatgptArchive)),
        ] {
            assert_eq!(format_of(Path::new(name)), format, "{name}");
        }
    }
}
