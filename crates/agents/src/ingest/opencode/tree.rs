//! opencode's sessions as trees of small files: one for the session, one per message, one per part.

use std::path::Path;

use super::wire::{Message, Part, Session};
use super::{closing, is_placeholder, opening, part};
use crate::ingest::error::Error;
use crate::ingest::lines;
use crate::ingest::object;
use crate::ingest::out::Out;
use crate::ingest::places;
use crate::ingest::position::{Cursor, Stamp};
use crate::ingest::reading::{Limits, Progress, Reading};
use crate::ingest::sink::Sink;
use crate::ingest::source::{Found, Source};

pub fn read(
    source: &Source,
    cursor: Option<&Cursor>,
    limits: Limits,
    sink: &mut dyn Sink,
) -> Result<Reading, Error> {
    let path = &source.path;
    let stamp = Stamp::of(&std::fs::metadata(path).map_err(Error::io(path))?);
    let storage = path.ancestors().nth(3).unwrap_or(Path::new(""));
    let messages = storage.join("message").join(places::stem(path));
    let beside = vec![Stamp::at(&messages)];
    if let Some(reading) = lines::unchanged(cursor, stamp, &beside) {
        return Ok(reading);
    }
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let mut out = Out::new(sink);
    let mut meta = lines::meta_of(source);
    meta.id = places::stem(path).into();
    out.begin_named(meta);
    match object::read(&bytes, |bytes| serde_json::from_slice(bytes).map(|session| about(&session, &mut out)))
    {
        Ok(()) => tell_messages(&messages, &storage.join("part"), limits, &mut out),
        Err(_) => {
            out.record(0);
            out.bad();
        }
    }
    let (tally, _) = out.finish();
    Ok(Reading {
        cursor: Cursor::of_whole(stamp, beside, String::new()),
        tally,
        progress: Progress::FromStart,
    })
}

fn about(session: &Session<'_>, out: &mut Out<'_>) {
    out.workspace(session.directory.or_empty());
    if let Some(title) = session.title.said().filter(|title| !is_placeholder(title)) {
        out.title(title);
    }
    out.saw(session.time.0.as_ref().and_then(|time| time.created.0));
    if let (Some(parent), Some(meta)) = (session.parent_id.said(), out.meta()) {
        meta.subagent = true;
        meta.parent = Some(parent.into());
    }
    let _ = session.id.said();
}

/// Emits the events of all messages. The ids of messages and parts sort by time.
fn tell_messages(messages: &Path, parts: &Path, limits: Limits, out: &mut Out<'_>) {
    let mut found = Found::default();
    for (at, path) in found.list(messages).into_iter().enumerate() {
        out.record(at as u64 + 1);
        let Some(bytes) = small(&path, limits, out) else { continue };
        let id = places::stem(&path);
        object::tell(&bytes, out, |bytes, out| {
            let message: Message<'_> = serde_json::from_slice(bytes)?;
            tell_message(id, &message, &parts.join(id), limits, out);
            Ok(())
        });
    }
}

fn tell_message(id: &str, message: &Message<'_>, parts: &Path, limits: Limits, out: &mut Out<'_>) {
    let at = message.time.0.as_ref().and_then(|time| time.created.0);
    opening(at, id, message, out);
    for path in Found::default().list(parts) {
        let Some(bytes) = small(&path, limits, out) else { continue };
        object::tell(&bytes, out, |bytes, out| {
            let said: Part<'_> = serde_json::from_slice(bytes)?;
            part(at, places::stem(&path), message.role.or_empty(), &said, out);
            Ok(())
        });
    }
    closing(at, id, message, out);
}

/// Returns the bytes of a file; `None`, which is counted, if it is over the limit or cannot be
/// read.
fn small(path: &Path, limits: Limits, out: &mut Out<'_>) -> Option<Vec<u8>> {
    match std::fs::metadata(path) {
        Ok(stat) if stat.len() > limits.record as u64 => {
            out.oversized();
            None
        }
        _ => match std::fs::read(path) {
            Ok(bytes) => Some(bytes),
            Err(_) => {
                out.bad();
                None
            }
        },
    }
}
