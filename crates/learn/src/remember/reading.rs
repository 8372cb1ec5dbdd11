//! Sources as a reader such as a model receives them, and the reader's answer as claims.
//!
//! Every memory of an answer quotes a line of a source. The quoted line decides the source and
//! whether a person stated it; a text that says more than its quote waits for a person.

use std::collections::HashMap;

use super::episodes::word;
use super::source::{Claim, MemorySource, SourceKind};
use crate::diary::StatementAuthor;
use crate::diary::read::item;
use crate::prose::cut;
use crate::reflect::answer::{StatedKind, StatedMemory};
use crate::reflect::grounding::missing_parts;
use crate::reflect::verify::{QuotableSession, Rejection, stated};
use cm_note::bullet::content::fold_whitespace;

/// Reason why a person must review a memory whose text has names or numbers that its quote lacks.
const UNFOUNDED: &str = "it says more than its quote";
/// Maximum length of one source in a package, in characters.
const MAX_SOURCE_CHARS: usize = 10_000;

/// Sources for one request, with their lines numbered across all of them.
#[derive(Debug, Clone)]
pub struct SourcePackage {
    /// Name of each source: its key and content hash.
    pub names: Vec<String>,
    /// Text of each source; every line starts with its number, as in `L12 …`.
    pub texts: Vec<String>,
    quotable: QuotableSession,
    /// Number of the first line after each source.
    ends: Vec<u64>,
}

/// What a reader found in one source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceReading {
    pub facts: Vec<Claim>,
    pub preferences: Vec<Claim>,
    pub fixes: Vec<Claim>,
    /// Summary of the event that the source describes.
    pub summary: Option<String>,
}

/// Returns the name of a source in packages: its key and content hash.
pub fn name(source: &MemorySource) -> String {
    word(source)
}

impl SourcePackage {
    /// Packs the first sources whose texts together have at most `most` characters, at least one if
    /// there is any.
    pub fn of(sources: &[&MemorySource], most: usize) -> Self {
        let (mut line, mut size) = (0, 0);
        let mut package = Self {
            names: Vec::new(),
            texts: Vec::new(),
            quotable: QuotableSession::of_lines([]),
            ends: Vec::new(),
        };
        let mut quotable = Vec::new();
        for source in sources {
            let lines = numbered(source, line + 1);
            let text: String = lines.iter().map(|(number, _, text)| format!("L{number} {text}\n")).collect();
            size += text.chars().count();
            if size > most && !package.names.is_empty() {
                break;
            }
            line += lines.len() as u64;
            package.names.push(name(source));
            package.texts.push(text);
            package.ends.push(line + 1);
            quotable.extend(lines);
        }
        package.quotable = QuotableSession::of_lines(quotable);
        package
    }

    /// Sorts the memories of an answer by source and checks their quotes. Returns the reading of
    /// every source, and the rejected memories by their number in the answer, from 1.
    pub fn read(
        &self,
        memories: &[StatedMemory],
    ) -> (HashMap<String, SourceReading>, Vec<(usize, Rejection)>) {
        let mut readings: Vec<SourceReading> = vec![SourceReading::default(); self.names.len()];
        let mut refused = Vec::new();
        for (number, memory) in (1..).zip(memories) {
            match stated(memory, &self.quotable) {
                Ok((line, author)) => {
                    let at = self.ends.iter().take_while(|end| **end <= line).count();
                    readings.get_mut(at).into_iter().for_each(|reading| reading.take(memory, author));
                }
                Err(why) => refused.push((number, why)),
            }
        }
        (self.names.iter().cloned().zip(readings).collect(), refused)
    }
}

impl SourceReading {
    fn take(&mut self, memory: &StatedMemory, author: StatementAuthor) {
        let text = fold_whitespace(&memory.text);
        let text = text.trim_end_matches('.').to_owned();
        let draft = (!missing_parts(&text, &[&memory.quote], &[]).is_empty()).then_some(UNFOUNDED);
        let claims = match memory.kind {
            StatedKind::Fact => &mut self.facts,
            StatedKind::Preference => &mut self.preferences,
            StatedKind::Fix => &mut self.fixes,
            StatedKind::Episode => {
                self.summary = Some(text).filter(|_| draft.is_none()).or_else(|| self.summary.take());
                return;
            }
        };
        claims.push(Claim {
            text,
            line: 0,
            is_persons: author == StatementAuthor::Person,
            is_explicit: true,
            evidence: vec![cut(&fold_whitespace(&memory.quote), 300)],
            is_readers: true,
            draft,
        });
    }

    /// Replaces the claims of a source by those of the reader.
    pub fn apply(self, source: &mut MemorySource) {
        source.facts = self.facts;
        source.preferences = self.preferences;
        source.fixes = self.fixes;
        source.skipped = super::SkippedCounts::default();
        source.summary = self.summary.or_else(|| source.summary.take());
    }

    /// Every text of the reading, for example to redact it.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let claims = self.facts.iter_mut().chain(&mut self.preferences).chain(&mut self.fixes);
        claims.flat_map(|claim| claim.evidence.iter_mut().chain([&mut claim.text])).chain(&mut self.summary)
    }
}

/// Returns the lines of a source that are not blank, numbered from `first`, with their authors. Only
/// a diary shows whose words a line has.
fn numbered(source: &MemorySource, first: u64) -> Vec<(u64, StatementAuthor, String)> {
    let text = cut(&source.text, MAX_SOURCE_CHARS);
    let author = |line: &str| match (source.origin, line.strip_prefix("- ")) {
        (SourceKind::Diary, Some(entry)) => item(entry.trim()).voice,
        _ => StatementAuthor::Agent,
    };
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    (first..).zip(lines).map(|(number, line)| (number, author(line), line.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::instant::Instant;

    fn source(key: &str, origin: SourceKind, text: &str) -> MemorySource {
        let made = MemorySource::new(key.to_owned(), origin, Instant::from_unix(0));
        MemorySource { text: text.to_owned(), hash: "h".to_owned(), ..made }
    }

    fn memory(kind: StatedKind, text: &str, line: u64, quote: &str) -> StatedMemory {
        StatedMemory { kind, text: text.to_owned(), line, quote: quote.to_owned() }
    }

    #[test]
    fn the_quoted_line_decides_the_source_and_whose_words_they_are() {
        let stash = source("stash:a", SourceKind::Stash, "# Cache\n\nthe port is 8080 (person, line 1)");
        let diary = source(
            "diary:b",
            SourceKind::Diary,
            "- the port is 9090 now (person, line 4)\n- deploys use main (agent, line 5)",
        );
        let package = SourcePackage::of(&[&stash, &diary], 9_000);
        assert_eq!(package.texts[1].lines().next(), Some("L3 - the port is 9090 now (person, line 4)"));
        let (readings, refused) = package.read(&[
            memory(StatedKind::Fact, "The port is 8080.", 2, "the port is 8080"),
            memory(StatedKind::Fact, "The port is 9090.", 99, "port is 9090 now"),
            memory(StatedKind::Preference, "Deploys use main", 4, "deploys use main"),
            memory(StatedKind::Fact, "The port is 7070", 2, "the port is 7070"),
        ]);
        let (of_stash, of_diary) = (&readings["stash:a#h"], &readings["diary:b#h"]);
        assert_eq!(
            (of_stash.facts[0].text.as_str(), of_stash.facts[0].is_persons),
            ("The port is 8080", false)
        );
        assert!(of_diary.facts[0].is_persons && !of_diary.preferences[0].is_persons);
        assert_eq!(refused.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [4]);
    }

    #[test]
    fn a_text_that_says_more_than_its_quote_waits_for_a_person_and_makes_no_episode() {
        let stash = source("stash:a", SourceKind::Stash, "the cache moved to Redis last week");
        let package = SourcePackage::of(&[&stash], 9_000);
        let (readings, _) = package.read(&[
            memory(StatedKind::Fact, "The cache moved to Redis 8", 1, "cache moved to Redis"),
            memory(StatedKind::Episode, "Moved the cache to Kafka.", 1, "cache moved to Redis"),
        ]);
        let reading = &readings["stash:a#h"];
        assert_eq!((reading.facts[0].draft, &reading.summary), (Some(UNFOUNDED), &None));
    }

    #[test]
    fn a_package_is_bounded_and_never_empty() {
        let long = source("stash:a", SourceKind::Stash, &"word ".repeat(5_000));
        let package = SourcePackage::of(&[&long, &long], 1_000);
        assert_eq!(package.names, ["stash:a#h"]);
        assert!(package.texts[0].chars().count() <= MAX_SOURCE_CHARS + 10);
    }
}
