//! Determines which messages of a log are current: later lines can replace, remove or reset
//! messages.

use std::collections::HashMap;
use std::io::{self, SeekFrom};

use super::wire::{GeminiLine, GeminiMeta};
use super::{EmittedCalls, about, emit_message};
use crate::ingest::document::SeekableInput;
use crate::ingest::emitter::Emitter;
use crate::ingest::json_object;
use crate::ingest::line_reader::{LineEvent, LineReader};
use crate::ingest::log_cursor::LinePosition;
use crate::ingest::read_result::IngestLimits;
use crate::ingest::sink::SkipReason;
use crate::ingest::source::LogSource;

/// A message that no later record replaced or removed.
struct CurrentMessage {
    id: Box<str>,
    /// Line of the message's last version, and byte offset of that line.
    line: u64,
    start: u64,
    /// Index of the message within a `$set` line, which sets all messages; `None` for other lines.
    within: Option<usize>,
}

/// The current messages so far.
#[derive(Default)]
struct ReplayedConversation {
    live: Vec<CurrentMessage>,
    places: HashMap<Box<str>, usize>,
}

impl ReplayedConversation {
    /// Adds a message, or replaces the one with the same id and returns the line of the old
    /// version.
    fn upsert(&mut self, wire: CurrentMessage) -> Option<u64> {
        match self.places.get(&wire.id).and_then(|place| self.live.get_mut(*place)) {
            Some(old) => Some(std::mem::replace(old, wire).line),
            None => {
                self.append(wire);
                None
            }
        }
    }

    /// Returns whether a message with this id was read and not rewound since; an empty id never
    /// matches.
    fn contains(&self, id: &str) -> bool {
        !id.is_empty() && self.places.contains_key(id)
    }

    fn append(&mut self, wire: CurrentMessage) {
        self.places.insert(wire.id.clone(), self.live.len());
        self.live.push(wire);
    }

    /// Removes a message and all after it; removes all if the id is unknown or `None`.
    fn remove_from(&mut self, id: Option<&str>, why: SkipReason, out: &mut Emitter<'_>) {
        let from = id.and_then(|id| self.places.get(id).copied()).unwrap_or(0);
        for removed in self.live.drain(from..) {
            if self.places.get(&removed.id).is_some_and(|place| *place >= from) {
                self.places.remove(&removed.id);
            }
            out.move_to_line(removed.line);
            out.skip("message", why);
        }
    }
}

/// Emits the events of a log in two passes: the first finds the current messages, the second emits
/// them in order.
pub fn emit_lines(
    source: &LogSource,
    input: &mut dyn SeekableInput,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    out.begin(source.initial_meta());
    let live = replay(input, limits, out)?;
    let mut at = None;
    let mut calls = EmittedCalls::default();
    // Messages of one line are told together, so that it is read once.
    for run in live.chunk_by(|a, b| a.line == b.line) {
        let Some(&CurrentMessage { line, start, .. }) = run.first() else { continue };
        if at != Some(start) {
            input.seek(SeekFrom::Start(start))?;
        }
        let mut feed =
            LineReader::new(&mut *input, LinePosition { offset: start, ..LinePosition::default() }, limits);
        if feed.next()? == LineEvent::Unterminated {
            feed.take_unterminated();
        }
        at = Some(feed.position.offset);
        json_object::emit_object(feed.bytes(), out, |bytes, out| emit_run(bytes, run, line, &mut calls, out));
    }
    Ok(())
}

/// Number of part numbers reserved for each message of a `$set` line.
const PARTS_PER_MESSAGE: u32 = 1000;

fn emit_run(
    bytes: &[u8],
    run: &[CurrentMessage],
    line: u64,
    calls: &mut EmittedCalls,
    out: &mut Emitter<'_>,
) -> serde_json::Result<()> {
    if run.iter().all(|live| live.within.is_none()) {
        let wire = serde_json::from_slice(bytes)?;
        out.move_to_line(line);
        emit_message(&wire, calls, out);
        return Ok(());
    }
    let change: GeminiLine<'_> = serde_json::from_slice(bytes)?;
    let messages = change.set.0.and_then(|set| set.messages).unwrap_or_default();
    for within in run.iter().filter_map(|live| live.within) {
        if let Some(wire) = messages.0.get(within) {
            out.move_to_part(line, (within as u32).saturating_mul(PARTS_PER_MESSAGE));
            emit_message(wire, calls, out);
        }
    }
    Ok(())
}

fn replay(
    input: &mut dyn SeekableInput,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<Vec<CurrentMessage>> {
    let mut conversation = ReplayedConversation::default();
    let mut feed = LineReader::new(input, LinePosition::default(), limits);
    loop {
        let (line, start) = match feed.next()? {
            LineEvent::Line { line, start } => (line, start),
            LineEvent::Unterminated => match feed.take_unended_at() {
                Some(place) => place,
                None => {
                    out.mark_truncated();
                    break;
                }
            },
            LineEvent::Oversized(line) => {
                out.record(line);
                out.count_oversized();
                continue;
            }
            LineEvent::LineRest(_) | LineEvent::End => break,
        };
        out.record(line);
        json_object::emit_object(feed.bytes(), out, |bytes, out| {
            serde_json::from_slice(bytes)
                .map(|change| step(bytes, &change, line, start, &mut conversation, out))
        });
    }
    Ok(conversation.live)
}

/// Applies one line of the log to the messages that are current before it.
fn step(
    bytes: &[u8],
    change: &GeminiLine<'_>,
    line: u64,
    start: u64,
    conversation: &mut ReplayedConversation,
    out: &mut Emitter<'_>,
) {
    if let Some(set) = &change.set.0 {
        about(&set.meta, out);
        if let Some(messages) = &set.messages {
            // A resumed session sets its messages again, with less in them and without some; the ones before stay.
            let goes_on = messages.0.iter().any(|message| conversation.contains(message.id.or_empty()));
            if !goes_on {
                conversation.remove_from(None, SkipReason::Duplicate, out);
            }
            out.move_to_line(line);
            for (within, message) in messages.0.iter().enumerate() {
                let id = message.id.or_empty();
                if goes_on && conversation.contains(id) {
                    out.skip("message", SkipReason::Duplicate);
                    continue;
                }
                conversation.append(CurrentMessage { id: id.into(), line, start, within: Some(within) });
            }
        }
        out.move_to_line(line);
        out.skip("$set", SkipReason::Metadata);
    } else if let Some(id) = change.rewind_to.non_blank() {
        conversation.remove_from(Some(id), SkipReason::Reverted, out);
        out.move_to_line(line);
        out.skip("$rewindTo", SkipReason::Metadata);
    } else if change.patch.get().is_some() {
        out.count_unknown("$patch");
    } else if let (Some(id), Some(_)) = (change.id.non_blank(), change.kind.non_blank()) {
        if let Some(before) = conversation.upsert(CurrentMessage { id: id.into(), line, start, within: None })
        {
            out.move_to_line(before);
            out.skip("message", SkipReason::Duplicate);
        }
    } else if change.session_id.non_blank().is_some() {
        if let Ok(meta) = serde_json::from_slice::<GeminiMeta<'_>>(bytes) {
            about(&meta, out);
        }
        out.skip("session", SkipReason::Metadata);
    } else {
        out.count_unknown("line");
    }
}
