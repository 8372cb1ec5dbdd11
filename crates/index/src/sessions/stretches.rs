//! What was said in a session, in order.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use tantivy::DocAddress;

use super::columns::Numbers;
use super::opened::{Opened, Stored, each_with};
use super::record::SessionKey;
use super::told::{KINDS, Speaker, line_of, part_of};
use crate::error::Unusable;
use cm_note::instant::Instant;

/// A stretch of what one speaker said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// When, in whole seconds; some logs do not tell.
    pub at: Option<Instant>,
    /// The line of the log that tells it, from 1.
    pub line: u64,
    /// Which of the events that this line tells.
    pub part: u32,
    /// Which stretch of its event, from 0.
    pub piece: u64,
    /// What happened: `user_prompt`, `tool_call`, …
    pub kind: &'static str,
    /// Whose words; nobody's where nothing was said, as in an interruption.
    pub speaker: Option<Speaker>,
    /// The words, redacted.
    pub text: String,
}

/// How much a session holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many events of each kind.
    pub events: BTreeMap<&'static str, usize>,
    /// Bytes of text.
    pub bytes: u64,
}

impl Counts {
    /// How many events.
    pub fn total(&self) -> usize {
        self.events.values().sum()
    }
}

impl Opened {
    /// The stretches of a session from these lines of its log, in order, from place `offset` on and at most `limit`.
    pub(super) fn stretches(
        &self,
        session: &SessionKey,
        lines: &RangeInclusive<u64>,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<Stretch>, Unusable> {
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

    /// What the person said in a session, in order and without the commands they ran: the first `most` stretches.
    pub(super) fn prompts(&self, session: &SessionKey, most: usize) -> Result<Vec<Stretch>, Unusable> {
        self.guarded(|opened| {
            let mut found: Vec<(Numbers, DocAddress)> = Vec::new();
            opened.each_stretch(session, |numbers, address| {
                let speaker = Speaker::ALL.get(numbers.speaker as usize);
                if speaker == Some(&Speaker::Person) && kind_name(numbers.kind) == "user_prompt" {
                    found.push((numbers, address));
                }
            })?;
            found.sort_unstable_by_key(|(numbers, _)| (numbers.place, numbers.piece));
            found.truncate(most);
            found.into_iter().map(|(numbers, address)| opened.stretch(&numbers, address)).collect()
        })
    }

    /// How much a session holds.
    pub(super) fn counts(&self, session: &SessionKey) -> tantivy::Result<Counts> {
        let mut counts = Counts::default();
        self.each_stretch(session, |numbers, _| {
            counts.bytes += numbers.bytes;
            if numbers.piece == 0 {
                *counts.events.entry(kind_name(numbers.kind)).or_default() += 1;
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

    /// The stretch of a document.
    pub(super) fn stretch(&self, numbers: &Numbers, address: DocAddress) -> tantivy::Result<Stretch> {
        let Stored(text) = self.searcher.doc(address)?;
        Ok(Stretch {
            at: numbers.at.map(Instant::from_unix),
            line: line_of(numbers.place),
            part: part_of(numbers.place),
            piece: numbers.piece,
            kind: kind_name(numbers.kind),
            speaker: Speaker::ALL.get(numbers.speaker as usize).copied(),
            text,
        })
    }
}

fn kind_name(kind: u64) -> &'static str {
    KINDS.get(kind as usize).copied().unwrap_or("unknown")
}
