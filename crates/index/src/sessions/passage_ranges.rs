//! Splits stretches into the passages that are embedded, and says which stretches are.

use std::ops::Range;

use super::redacted_event::{Speaker, event_name};
use cm_note::passage::PassageKey;
use cm_session::event::EventName;

/// Maximum number of words of a passage; longer texts are split into even parts.
const MAX_PASSAGE_WORDS: usize = 160;
/// Number of stretches of an event that have passages. What follows is mostly pasted.
const STRETCHES_OF_PERSON: u64 = 4;
const STRETCHES_OF_AGENT: u64 = 1;
/// Number of stretches of an agent's summary of the session that have passages.
const STRETCHES_OF_SUMMARY: u64 = 4;

/// Returns the byte ranges of a stretch's passages; empty if such stretches are not embedded.
/// `piece` is the number of the stretch within its event.
pub(super) fn ranges_of(kind: u64, speaker: Speaker, piece: u64, text: &str) -> Vec<Range<usize>> {
    let is_embedded = match (speaker, event_name(kind)) {
        (Speaker::Person, Some(EventName::UserPrompt)) => piece < STRETCHES_OF_PERSON,
        (Speaker::Agent, Some(EventName::AssistantText)) => piece < STRETCHES_OF_AGENT,
        (Speaker::Agent, Some(EventName::Compaction)) => piece < STRETCHES_OF_SUMMARY,
        _ => false,
    };
    if is_embedded { split(text) } else { Vec::new() }
}

/// Splits a text into even parts of at most [`MAX_PASSAGE_WORDS`] words.
fn split(text: &str) -> Vec<Range<usize>> {
    let start = text.as_ptr() as usize;
    let words: Vec<Range<usize>> = text
        .split_whitespace()
        .map(|word| {
            let from = word.as_ptr() as usize - start;
            from..from + word.len()
        })
        .collect();
    let parts = words.len().div_ceil(MAX_PASSAGE_WORDS).max(1);
    let size = words.len().div_ceil(parts).max(1);
    words.chunks(size).map(|part| part[0].start..part[part.len() - 1].end).collect()
}

/// Returns the byte range of the passage with this key in its stretch.
pub(super) fn part_with(stretch: &str, key: PassageKey) -> Option<Range<usize>> {
    split(stretch).into_iter().find(|range| PassageKey::of(&stretch[range.clone()]) == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_passage_and_a_long_one_is_split_evenly() {
        assert_eq!(split("  fix the build\n").pop(), Some(2..15));
        assert!(split(" \n").is_empty());
        let long = "word ".repeat(MAX_PASSAGE_WORDS + 1);
        let parts = split(&long);
        assert_eq!(parts.len(), 2);
        assert!(parts.iter().all(|part| long[part.clone()].split(' ').count() <= MAX_PASSAGE_WORDS / 2 + 1));
    }
}
