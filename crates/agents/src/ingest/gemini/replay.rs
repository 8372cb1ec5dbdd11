//! Determines which messages of a log are current: later lines can replace, remove or reset
//! messages.

use std::collections::HashMap;
use std::io::{self, SeekFrom};

use super::wire::{Line, Meta};
use super::{Calls, about, message};
use crate::ingest::document::Input;
use crate::ingest::lines::{self, Fed, Feed};
use crate::ingest::object;
use crate::ingest::out::Out;
use crate::ingest::position::Position;
use crate::ingest::reading::Limits;
use crate::ingest::sink::Skip;
use crate::ingest::source::Source;

/// A current message.
struct Live {
    id: Box<str>,
    /// Line of the message's last version, and byte offset of that line.
    line: u64,
    start: u64,
    /// Index of the message within a line that sets all messages.
    within: Option<usize>,
}

/// The current messages so far.
#[derive(Default)]
struct Conversation {
    live: Vec<Live>,
    places: HashMap<Box<str>, usize>,
}

impl Conversation {
    /// Adds a message, or replaces the one with the same id and returns the line of the old
    /// version.
    fn say(&mut self, said: Live) -> Option<u64> {
        match self.places.get(&said.id) {
            Some(place) => Some(std::mem::replace(&mut self.live[*place], said).line),
            None => {
                self.append(said);
                None
            }
        }
    }

    /// Returns whether a message with this id is current; messages without an id never match.
    fn holds(&self, id: &str) -> bool {
        !id.is_empty() && self.places.contains_key(id)
    }

    fn append(&mut self, said: Live) {
        self.places.insert(said.id.clone(), self.live.len());
        self.live.push(said);
    }

    /// Removes a message and all after it; removes all if the id is unknown or `None`.
    fn take_back(&mut self, id: Option<&str>, why: Skip, out: &mut Out<'_>) {
        let from = id.and_then(|id| self.places.get(id).copied()).unwrap_or(0);
        for gone in self.live.drain(from..) {
            if self.places.get(&gone.id).is_some_and(|place| *place >= from) {
                self.places.remove(&gone.id);
            }
            out.at(gone.line);
            out.skip("message", why);
        }
    }
}

/// Emits the events of a log in two passes: the first finds the current messages, the second emits
/// them in order.
pub fn tell_lines(
    source: &Source,
    input: &mut dyn Input,
    limits: Limits,
    out: &mut Out<'_>,
) -> io::Result<()> {
    out.begin(lines::meta_of(source));
    let live = replay(input, limits, out)?;
    let mut at = None;
    let mut calls = Calls::default();
    // Messages of one line are told together, so that it is read once.
    for run in live.chunk_by(|a, b| a.line == b.line) {
        let (line, start) = (run[0].line, run[0].start);
        if at != Some(start) {
            input.seek(SeekFrom::Start(start))?;
        }
        let mut feed = Feed::new(&mut *input, Position { offset: start, ..Position::default() }, limits);
        if feed.next()? == Fed::Unended {
            feed.take_unended();
        }
        at = Some(feed.position.offset);
        object::tell(feed.bytes(), out, |bytes, out| tell_run(bytes, run, line, &mut calls, out));
    }
    Ok(())
}

/// Distance of the part numbers of messages within one `$set`.
const PARTS: u32 = 1000;

fn tell_run(
    bytes: &[u8],
    run: &[Live],
    line: u64,
    calls: &mut Calls,
    out: &mut Out<'_>,
) -> serde_json::Result<()> {
    if run.iter().all(|live| live.within.is_none()) {
        let said = serde_json::from_slice(bytes)?;
        out.at(line);
        message(&said, calls, out);
        return Ok(());
    }
    let change: Line<'_> = serde_json::from_slice(bytes)?;
    let messages = change.set.0.and_then(|set| set.messages).unwrap_or_default();
    for within in run.iter().filter_map(|live| live.within) {
        if let Some(said) = messages.0.get(within) {
            out.at_part(line, (within as u32).saturating_mul(PARTS));
            message(said, calls, out);
        }
    }
    Ok(())
}

fn replay(input: &mut dyn Input, limits: Limits, out: &mut Out<'_>) -> io::Result<Vec<Live>> {
    let mut conversation = Conversation::default();
    let mut feed = Feed::new(input, Position::default(), limits);
    loop {
        let (line, start) = match feed.next()? {
            Fed::Line { line, start } => (line, start),
            Fed::Unended => match feed.take_unended_at() {
                Some(place) => place,
                None => {
                    out.torn();
                    break;
                }
            },
            Fed::Oversized(line) => {
                out.record(line);
                out.oversized();
                continue;
            }
            Fed::Rest(_) | Fed::End => break,
        };
        out.record(line);
        object::tell(feed.bytes(), out, |bytes, out| {
            serde_json::from_slice(bytes)
                .map(|change| step(bytes, &change, line, start, &mut conversation, out))
        });
    }
    Ok(conversation.live)
}

/// Applies one line to the messages before it.
fn step(
    bytes: &[u8],
    change: &Line<'_>,
    line: u64,
    start: u64,
    conversation: &mut Conversation,
    out: &mut Out<'_>,
) {
    if let Some(set) = &change.set.0 {
        about(&set.meta, out);
        if let Some(messages) = &set.messages {
            // A resumed session sets its messages again, with less in them and without some; the ones before stay.
            let goes_on = messages.0.iter().any(|message| conversation.holds(message.id.or_empty()));
            if !goes_on {
                conversation.take_back(None, Skip::Duplicate, out);
            }
            out.at(line);
            for (within, message) in messages.0.iter().enumerate() {
                let id = message.id.or_empty();
                if goes_on && conversation.holds(id) {
                    out.skip("message", Skip::Duplicate);
                    continue;
                }
                conversation.append(Live { id: id.into(), line, start, within: Some(within) });
            }
        }
        out.at(line);
        out.skip("$set", Skip::About);
    } else if let Some(id) = change.rewind_to.said() {
        conversation.take_back(Some(id), Skip::TakenBack, out);
        out.at(line);
        out.skip("$rewindTo", Skip::About);
    } else if change.patch.get().is_some() {
        out.unknown("$patch");
    } else if let (Some(id), Some(_)) = (change.id.said(), change.kind.said()) {
        if let Some(before) = conversation.say(Live { id: id.into(), line, start, within: None }) {
            out.at(before);
            out.skip("message", Skip::Duplicate);
        }
    } else if change.session_id.said().is_some() {
        if let Ok(meta) = serde_json::from_slice::<Meta<'_>>(bytes) {
            about(&meta, out);
        }
        out.skip("session", Skip::About);
    } else {
        out.unknown("line");
    }
}
