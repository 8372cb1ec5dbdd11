//! Passages of a note for embedding: a short note as a whole, a long one by sections, each with
//! title and heading as context.
//!
//! Short passages are found better, because a vector of few sentences says what each of them is about.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

use crate::markdown::Outline;
use crate::note::{Note, NoteKind};

/// Maximum number of words of a passage; longer sections are split.
const MAX_PASSAGE_WORDS: usize = 60;
/// Maximum number of passages of a note; the rest of the note is found by keyword search only.
const MAX_PASSAGES: usize = 1_000;
/// Maximum length in bytes of a title or heading put before each passage.
const MAX_CONTEXT_BYTES: usize = 200;

/// Key of a passage, a hash of its embedded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PassageKey(u64);

impl PassageKey {
    /// Computes the key of an embedded text.
    pub fn of(text: &str) -> Self {
        let hash = blake3::hash(text.as_bytes());
        Self(hash.as_bytes()[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    pub fn from_number(number: u64) -> Self {
        Self(number)
    }

    pub fn number(self) -> u64 {
        self.0
    }
}

pub type PassageMap<T> = HashMap<PassageKey, T, BuildHasherDefault<KeyHasher>>;
pub type PassageSet = HashSet<PassageKey, BuildHasherDefault<KeyHasher>>;

/// Identity hasher, because a key is already a hash.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

impl fmt::Display for PassageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A passage of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    pub key: PassageKey,
    /// Text to embed: title, heading, and the passage itself.
    pub text: String,
    /// Byte range of the passage in the note's plain text.
    pub range: std::ops::Range<usize>,
}

/// Returns the passages of a note, in order; empty for a note without text.
///
/// ```
/// use cm_note::note::{RelationTable, TypeTable, read};
/// use cm_note::{passage::passages, path::NotePath};
/// let path = NotePath::parse("retry.md")?;
/// let text = b"# Retry\n\nWait, then try again.\n";
/// let reading = read::read(&path, text, &TypeTable::default(), &RelationTable::default());
/// assert_eq!(passages(&reading.note, &reading.outline)[0].text, "Retry\nWait, then try again.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn passages(note: &Note, outline: &Outline) -> Vec<Passage> {
    let text = outline.text.as_str();
    let title = title(note);
    // What stands before no passage is taken from none: the title of a bullet is its rule.
    let begin = if title.is_empty() { 0 } else { body_begin(text, &note.title) };
    if text[begin..].trim().is_empty() {
        let has_title = !title.trim().is_empty() && note.kind != NoteKind::Edge;
        return has_title.then(|| passage(title.trim(), None, text, begin..begin)).into_iter().collect();
    }
    let mut passages: Vec<Passage> = Vec::new();
    for stretch in stretches(outline, begin) {
        if passages.len() == MAX_PASSAGES {
            break;
        }
        passages.push(passage(title.trim(), stretch.heading, text, stretch.range));
    }
    passages
}

/// Returns the title to put before each passage; empty for edges, whose title consists of ids, and
/// for bullets, whose title is the text itself.
fn title(note: &Note) -> &str {
    match note.kind {
        NoteKind::Edge | NoteKind::Bullet => "",
        _ => &note.title[..note.title.floor_char_boundary(MAX_CONTEXT_BYTES)],
    }
}

/// Returns the byte offset at which the text begins after a first heading that repeats the title.
fn body_begin(text: &str, title: &str) -> usize {
    match text.strip_prefix(title) {
        Some(rest) if rest.is_empty() || rest.starts_with('\n') => text.len() - rest.trim_start().len(),
        _ => 0,
    }
}

fn passage(title: &str, heading: Option<&str>, text: &str, range: std::ops::Range<usize>) -> Passage {
    let stretch = text[range.clone()].trim();
    let heading = heading.filter(|heading| !stretch.starts_with(heading) && *heading != title);
    let heading = heading.map(|heading| &heading[..heading.floor_char_boundary(MAX_CONTEXT_BYTES)]);
    let parts = [Some(title), heading, Some(stretch)];
    let text = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    Passage { key: PassageKey::of(&text), text, range }
}

/// A section of plain text with the heading above it.
struct PassageRange<'o> {
    heading: Option<&'o str>,
    range: std::ops::Range<usize>,
}

/// Groups consecutive sections up to the length limit, and splits longer sections.
fn stretches(outline: &Outline, begin: usize) -> Vec<PassageRange<'_>> {
    let text = outline.text.as_str();
    let mut bounds: Vec<(usize, Option<&str>)> = vec![(begin, None)];
    let headings = outline.headings.iter().filter(|heading| heading.at > begin && heading.at < text.len());
    bounds.extend(headings.map(|heading| (heading.at, Some(heading.text.as_str()))));
    let mut stretches: Vec<PassageRange<'_>> = Vec::new();
    let mut gathered = 0;
    for (at, (from, heading)) in bounds.iter().enumerate() {
        let until = bounds.get(at + 1).map_or(text.len(), |(next, _)| *next);
        let words = text[*from..until].split_whitespace().count();
        if words == 0 {
            continue;
        }
        match stretches.last_mut() {
            Some(last) if gathered + words <= MAX_PASSAGE_WORDS => {
                last.range.end = until;
                gathered += words;
            }
            _ => {
                let parts = parts_of(text, *from..until, words.div_ceil(MAX_PASSAGE_WORDS));
                gathered = if parts.len() == 1 { words } else { MAX_PASSAGE_WORDS };
                stretches.extend(parts.into_iter().map(|range| PassageRange { heading: *heading, range }));
            }
        }
    }
    stretches
}

/// Splits a range into parts of at most its words divided by `parts`, preferably at ends of lines or
/// sentences; a rest is one more part.
fn parts_of(text: &str, range: std::ops::Range<usize>, parts: usize) -> Vec<std::ops::Range<usize>> {
    let starts: Vec<usize> = word_starts(&text[range.clone()]).map(|at| range.start + at).collect();
    let size = starts.len().div_ceil(parts.max(1)).max(1);
    let mut cut = Vec::new();
    let mut from = 0;
    while from < starts.len() {
        let until = match from + size {
            until if until >= starts.len() => starts.len(),
            until => nearest_end(text, &starts, until - size / 4, until),
        };
        let end = starts.get(until).copied().unwrap_or(range.end);
        cut.push(starts[from]..end);
        from = until;
    }
    cut
}

/// Returns the index, in `least..=most`, of the last word that begins a line, else of the last one
/// that begins a sentence; `most` if there is none.
fn nearest_end(text: &str, starts: &[usize], least: usize, most: usize) -> usize {
    let after = |place: usize, ends: &[char]| {
        let before = &text[..starts[place]];
        before.trim_end_matches([' ', '\t']).ends_with(ends)
    };
    let places = || (least.max(1)..=most).rev();
    let line = places().find(|place| after(*place, &['\n']));
    line.or_else(|| places().find(|place| after(*place, &['.', '!', '?', ';', ':']))).unwrap_or(most)
}

fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut within = false;
    text.char_indices().filter_map(move |(at, c)| {
        let begins = !within && !c.is_whitespace();
        within = !c.is_whitespace();
        begins.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::note::{RelationTable, TypeTable, read};
    use crate::path::NotePath;

    fn of(text: &str) -> (Vec<Passage>, String) {
        let path = NotePath::parse("graph/solutions/a.md").unwrap();
        let reading = read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default());
        (passages(&reading.note, &reading.outline), reading.outline.text)
    }

    fn words(count: usize, word: &str) -> String {
        (0..count).map(|at| format!("{word}{at}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_short_note_is_one_passage_with_its_title_once() {
        let (found, _) = of("# Retry\n\nWait.\n\n## When\n\nOn a time-out.\n");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text, "Retry\nWait.\nWhen\nOn a time-out.");
    }

    #[test]
    fn a_long_note_is_cut_at_its_sections_and_each_tells_title_and_heading() {
        let text = format!(
            "---\ntitle: Retry\n---\n{}\n\n## When\n\n{}\n\n## Never\n\n{}\n",
            words(50, "a"),
            words(80, "b"),
            words(20, "c"),
        );
        let (found, _) = of(&text);
        assert_eq!(found.len(), 4);
        assert!(found[0].text.starts_with("Retry\na0 ") && found[0].text.ends_with(" a49"));
        assert!(found[1].text.starts_with("Retry\nWhen\nb0 "));
        assert!(found[2].text.starts_with("Retry\nWhen\nb") && found[2].text.ends_with("b79"));
        assert!(found[3].text.starts_with("Retry\nNever\nc0"));
    }

    #[test]
    fn a_cut_prefers_the_end_of_a_sentence() {
        let text = format!("{}. {}", words(40, "a"), words(50, "b"));
        let (found, _) = of(&text);
        let ends: Vec<&str> =
            found.iter().filter_map(|passage| passage.text.split(' ').next_back()).collect();
        assert_eq!(ends, ["a39.", "b44", "b49"]);
        let sentences = (0..40).map(|_| "One two three four five six seven.").collect::<Vec<_>>().join(" ");
        assert!(of(&sentences).0.iter().all(|passage| passage.text.ends_with("seven.")));
    }

    #[test]
    fn a_note_without_a_body_is_its_title_and_an_empty_one_says_nothing() {
        assert_eq!(of("---\ntitle: Only a title\n---\n").0[0].text, "Only a title");
        assert_eq!(of("# Heading\n").0[0].text.trim(), "Heading");
    }

    #[test]
    fn a_rule_is_its_own_passage_though_it_is_the_title_too() {
        let path = NotePath::parse("playbook/testing/a.md").unwrap();
        let text = b"---\nid: b-mt2ssunl-000001\n---\nRun the tests.\n";
        let reading = read::read(&path, text, &TypeTable::default(), &RelationTable::default());
        let found = passages(&reading.note, &reading.outline);
        assert_eq!(found.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>(), ["Run the tests."]);
    }

    proptest! {
        #[test]
        fn every_word_is_in_a_passage_and_none_is_much_too_long(
            sections in proptest::collection::vec((0usize..3, 0usize..400), 0..6),
        ) {
            let mut text = String::new();
            for (at, (level, count)) in sections.iter().enumerate() {
                if *level > 0 {
                    text.push_str(&format!("\n{} Heading {at}\n\n", "#".repeat(*level)));
                }
                text.push_str(&words(*count, &format!("w{at}x")));
                text.push('\n');
            }
            let (found, plain) = of(&text);
            let mut end = 0;
            for passage in &found {
                prop_assert!(passage.range.start >= end && plain.get(passage.range.clone()).is_some());
                prop_assert!(plain[end..passage.range.start].trim().is_empty() || end == 0);
                prop_assert!(passage.text.split_whitespace().count() <= MAX_PASSAGE_WORDS * 3 / 2 + 10);
                end = passage.range.end;
            }
            if sections.iter().any(|(_, count)| *count > 0) {
                prop_assert!(plain[end..].trim().is_empty());
            }
        }

        #[test]
        fn any_text_is_cut_without_a_panic(text in "(?s).{0,600}") {
            of(&text);
        }
    }
}
