//! Reads the text of a session in order.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use tantivy::DocAddress;

use super::columns::Numbers;
use super::opened::{SessionIndex, StoredText, each_with};
use super::record::SessionKey;
use super::redacted_event::{Speaker, event_name, line_of, part_of};
use crate::error::RebuildReason;
use cm_note::instant::Instant;
use cm_session::event::EventName;

/// A piece of one speaker's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// Time in whole seconds; `None` if the log does not contain it.
    pub at: Option<Instant>,
    /// Line of the log, starting at 1.
    pub line: u64,
    /// Number of the event within its line.
    pub part: u32,
    /// Number of the stretch within its event, starting at 0.
    pub piece: u64,
    /// Kind of the event; `None` for one of another version of cm.
    pub kind: Option<EventName>,
    /// The speaker; `None` for events without text, such as an interruption.
    pub speaker: Option<Speaker>,
    /// Redacted text.
    pub text: String,
}

/// Event counts and text size of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of events by kind; `None` for kinds of another version of cm.
    pub events: BTreeMap<Option<EventName>, usize>,
    /// Length of the text in bytes.
    pub bytes: u64,
}

impl Counts {
    /// Returns the total number of events.
    pub fn total(&self) -> usize {
        self.events.values().sum()
    }

    /// Returns the number of events of a kind.
    pub fn of(&self, kind: EventName) -> usize {
        self.events.get(&Some(kind)).copied().unwrap_or(0)
    }
}

impl SessionIndex {
    /// Returns at most `limit` stretches from these log lines of a session, in order, starting at
    /// `offset`.
    pub(super) fn stretches(
        &self,
        session: &SessionKey,
        lines: &RangeInclusive<u64>,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<Stretch>, RebuildReason> {
        self.guarded(|opened| {
            let mut found: Vec<(Numbers, DocAddress)> = Vec::new();
            opened.each_stretch(session, |numbers, address| {
                if lines.contains(&line_of(numbers.place)) {
                    found.push((numbers, address));
                }
            })?;
            found.sort_unstable_by_key(|(numbers, _)| (numbers.place, numbers.piece));
            let page = found.into_iter().skip(offset).take(limit);
            page.map(|(numbers, address)| opened.stretch(&numbers, address)).collect()
        })
    }

    /// Returns the first `most` stretches by the person, in order, without the commands that the
    /// person ran.
    pub(super) fn prompts(&self, session: &SessionKey, most: usize) -> Result<Vec<Stretch>, RebuildReason> {
        self.guarded(|opened| {
            let mut found: Vec<(Numbers, DocAddress)> = Vec::new();
            opened.each_stretch(session, |numbers, address| {
                let speaker = Speaker::ALL.get(numbers.speaker as usize);
                if speaker == Some(&Speaker::Person)
                    && event_name(numbers.kind) == Some(EventName::UserPrompt)
                {
                    found.push((numbers, address));
                }
            })?;
            found.sort_unstable_by_key(|(numbers, _)| (numbers.place, numbers.piece));
            found.truncate(most);
            found.into_iter().map(|(numbers, address)| opened.stretch(&numbers, address)).collect()
        })
    }

    /// Counts a session's events by kind and the bytes of its text.
    pub(super) fn counts(&self, session: &SessionKey) -> tantivy::Result<Counts> {
        let mut counts = Counts::default();
        self.each_stretch(session, |numbers, _| {
            counts.bytes += numbers.bytes;
            if numbers.piece == 0 {
                *counts.events.entry(event_name(numbers.kind)).or_default() += 1;
            }
        })?;
        Ok(counts)
    }

    fn each_stretch(
        &self,
        session: &SessionKey,
        mut see: impl FnMut(Numbers, DocAddress),
    ) -> tantivy::Result<()> {
        let term = self.fields.session_term(session.number());
        let segments = self.searcher.segment_readers().iter().zip(self.columns()?);
        for ((segment, columns), ordinal) in segments.zip(0..) {
            each_with(segment, &term, |doc| {
                if let Some(numbers) = columns.numbers(doc) {
                    see(numbers, DocAddress::new(ordinal, doc));
                }
            })?;
        }
        Ok(())
    }

    /// Loads the stretch of a document.
    pub(super) fn stretch(&self, numbers: &Numbers, address: DocAddress) -> tantivy::Result<Stretch> {
        let StoredText(text) = self.searcher.doc(address)?;
        Ok(Stretch {
            at: numbers.at.map(Instant::from_unix),
            line: line_of(numbers.place),
            part: part_of(numbers.place),
            piece: numbers.piece,
            kind: event_name(numbers.kind),
            speaker: Speaker::ALL.get(numbers.speaker as usize).copied(),
            text,
        })
    }
}
