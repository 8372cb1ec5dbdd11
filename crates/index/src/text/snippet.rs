//! Excerpts of notes: whole sentences around the searched words.

use std::collections::BTreeSet;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use cm_note::query::{Query, TextCondition};
use cm_text::shorten::fold_whitespace;
use cm_text::stop_words::is_stop_word;
use cm_text::tokens::{TokenRole, Tokenizer, fold};

/// Approximate length of a snippet, in bytes. A longer sentence is cut.
const SNIPPET_BYTES: usize = 200;
/// Maximum number of bytes before the first searched word in a sentence that is cut.
const MAX_LEAD_BYTES: usize = 50;
/// Number of bytes of a text that are searched for a snippet.
const MAX_SEARCHED_BYTES: usize = 200_000;

/// Extracts snippets for one query from many texts.
///
/// ```
/// use cm_note::{instant::Instant, query::Query};
/// let query = Query::parse("keepalive", Instant::from_unix(0));
/// let text = format!("{}Set socket_keepalive before connecting.", "Words before. ".repeat(30));
/// let snippet = cm_index::Snippets::of(&query).best(&text, &[]).unwrap();
/// assert!(snippet.starts_with("Words before. ") && snippet.ends_with(" before connecting."));
/// ```
#[derive(Debug)]
pub struct Snippets {
    wanted: SnippetTerms,
    tokenizer: Tokenizer,
}

impl Snippets {
    /// Prepares the extraction for a query.
    pub fn of(query: &Query) -> Self {
        let mut tokenizer = Tokenizer::default();
        let wanted = SnippetTerms::of(query, &mut tokenizer);
        if let Some(initials) = wanted.initials() {
            tokenizer.skip_words_except(initials.into_iter());
        }
        Self { wanted, tokenizer }
    }

    /// Returns the sentences of `text` with the most searched words, on one line. Returns `None` if
    /// it contains none outside the byte ranges `left_out`, such as headings, which are sorted.
    pub fn best(&mut self, text: &str, left_out: &[Range<usize>]) -> Option<String> {
        let text = &text[..text.floor_char_boundary(MAX_SEARCHED_BYTES)];
        let found = self.found(text, left_out);
        let sentences = sentences_with(text, &found);
        let chosen = best_run(&sentences)?;
        match &sentences[chosen.clone()] {
            [long] if long.range.len() > SNIPPET_BYTES + MAX_LEAD_BYTES => Some(cut_around(text, long)),
            some => Some(joined(text, some)),
        }
    }

    /// Returns the byte ranges of the searched words in a text, in order.
    pub fn matches(&mut self, text: &str) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for Hit { range, .. } in self.found(text, &[]) {
            match ranges.last_mut() {
                Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
                _ => ranges.push(range),
            }
        }
        ranges
    }

    fn found(&mut self, text: &str, left_out: &[Range<usize>]) -> Vec<Hit> {
        let mut found = Vec::new();
        self.tokenizer.each(text, |token| {
            if let Some(term) = self.wanted.place(token.text)
                && !left_out.iter().any(|range| range.contains(&token.from))
            {
                found.push(Hit { range: token.from..token.to, term });
            }
        });
        found.sort_by_key(|hit| hit.range.start);
        found
    }
}

/// Returns the first sentences of a text on one line, up to the length of a snippet, without the
/// byte ranges `left_out`.
pub fn beginning(text: &str, left_out: &[Range<usize>]) -> String {
    let text = &text[..text.floor_char_boundary(4 * SNIPPET_BYTES)];
    let mut sentences = Vec::new();
    let mut length = 0;
    for line in lines(text).filter(|line| !left_out.iter().any(|range| range.contains(&line.start))) {
        for range in sentences_of(text, line) {
            length += range.len() + 1;
            if length > SNIPPET_BYTES && !sentences.is_empty() {
                return joined(text, &sentences);
            }
            sentences.push(Sentence { range, hits: Vec::new() });
        }
    }
    match sentences.as_slice() {
        [long] if long.range.len() > SNIPPET_BYTES + MAX_LEAD_BYTES => cut_around(text, long),
        some => joined(text, some),
    }
}

/// A searched word in a text.
#[derive(Debug, Clone)]
struct Hit {
    range: Range<usize>,
    /// Number of the searched term.
    term: usize,
}

/// A sentence, or a line without one, and the searched words in it.
#[derive(Debug)]
struct Sentence {
    range: Range<usize>,
    hits: Vec<Hit>,
}

/// The byte ranges of the lines of a text, each a block of the note.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..at
    })
}

/// The sentences of a line, without white space around them.
fn sentences_of(text: &str, line: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let start = line.start;
    text[line].split_sentence_bound_indices().filter_map(move |(at, sentence)| {
        let words = sentence.trim();
        let begin = start + at + (sentence.len() - sentence.trim_start().len());
        (!words.is_empty()).then(|| begin..begin + words.len())
    })
}

/// All sentences of the lines that contain searched words.
fn sentences_with(text: &str, found: &[Hit]) -> Vec<Sentence> {
    let mut rest = found;
    let mut sentences = Vec::new();
    for line in lines(text) {
        let count = rest.iter().take_while(|hit| hit.range.start < line.end).count();
        if count == 0 {
            continue;
        }
        let (mut hits, later) = rest.split_at(count);
        rest = later;
        for range in sentences_of(text, line) {
            let within = hits.iter().take_while(|hit| hit.range.start < range.end).count();
            let (own, others) = hits.split_at(within);
            hits = others;
            sentences.push(Sentence { range, hits: own.to_vec() });
        }
    }
    sentences
}

/// Returns the run of sentences, together not longer than a snippet, with the most different
/// searched words, then with the most words, filled up with the sentences around it.
fn best_run(sentences: &[Sentence]) -> Option<Range<usize>> {
    let (mut best, mut chosen) = ((0, 0), None);
    for (first, sentence) in sentences.iter().enumerate() {
        if sentence.hits.is_empty() {
            continue;
        }
        let (mut terms, mut count, mut length) = (BTreeSet::new(), 0, 0);
        for (index, sentence) in sentences.iter().enumerate().skip(first) {
            length += sentence.range.len() + 1;
            if index > first && length > SNIPPET_BYTES {
                break;
            }
            terms.extend(sentence.hits.iter().map(|hit| hit.term));
            count += sentence.hits.len().min(64);
            if (terms.len(), count) > best {
                best = (terms.len(), count);
                chosen = Some(first..index + 1);
            }
        }
    }
    let mut run = chosen?;
    let mut length: usize = sentences[run.clone()].iter().map(|sentence| sentence.range.len() + 1).sum();
    while let Some(next) = sentences.get(run.end).filter(|next| length + next.range.len() < SNIPPET_BYTES) {
        length += next.range.len() + 1;
        run.end += 1;
    }
    while let Some(previous) = run.start.checked_sub(1).and_then(|index| sentences.get(index))
        && length + previous.range.len() < SNIPPET_BYTES
    {
        length += previous.range.len() + 1;
        run.start -= 1;
    }
    Some(run)
}

/// The sentences on one line, separated as in the text; `…` stands between those of different lines.
fn joined(text: &str, sentences: &[Sentence]) -> String {
    let mut line = String::new();
    let mut before: Option<&Sentence> = None;
    for sentence in sentences {
        if let Some(before) = before {
            let between = &text[before.range.end..sentence.range.start];
            // A sentence also ends inside of `._SYSTEMD_UNIT`.
            line.push_str(match between {
                "" => "",
                between if between.contains('\n') => " … ",
                _ => " ",
            });
        }
        line.push_str(&fold_whitespace(&text[sentence.range.clone()]));
        before = Some(sentence);
    }
    line
}

/// A part of a long sentence with its first searched word, cut at words.
fn cut_around(text: &str, sentence: &Sentence) -> String {
    let Range { start: begin, end: last } = sentence.range;
    let first = sentence.hits.first().map_or(begin, |hit| hit.range.start);
    let earliest = first.saturating_sub(MAX_LEAD_BYTES).max(begin);
    let from = if earliest == begin { begin } else { word_start(text, earliest).min(first) };
    let end = text.floor_char_boundary((from + SNIPPET_BYTES).min(last)).max(from);
    let cut = text[from..end].rfind(char::is_whitespace).filter(|length| *length > SNIPPET_BYTES / 2);
    let end = if end < last { cut.map_or(end, |length| from + length) } else { last };
    let line = fold_whitespace(&text[from..end]);
    format!("{}{line}{}", if from > begin { "…" } else { "" }, if end < last { "…" } else { "" })
}

/// Returns the start of the next word at or after `at`, or `at` itself within a long word.
fn word_start(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    if at == 0 || text[..at].ends_with(char::is_whitespace) {
        return at;
    }
    let blank = text[at..].find(char::is_whitespace).filter(|length| *length < MAX_LEAD_BYTES / 2);
    blank.map_or(at, |length| at + length)
}

/// Terms and prefixes that a query searches for.
#[derive(Debug)]
struct SnippetTerms {
    terms: Vec<String>,
    prefixes: Vec<String>,
}

impl SnippetTerms {
    fn of(query: &Query, tokenizer: &mut Tokenizer) -> Self {
        let (mut terms, mut prefixes) = (Vec::new(), Vec::new());
        for text in query.texts() {
            if let TextCondition::Prefix(prefix) = text {
                let mut folded = String::new();
                fold(prefix, &mut folded);
                prefixes.push(folded);
            }
            tokenizer.each(text.as_str(), |token| {
                if token.role != TokenRole::Tail {
                    terms.push(token.text.to_owned());
                }
            });
        }
        if terms.iter().any(|term| !is_stop_word(term)) {
            terms.retain(|term| !is_stop_word(term));
        }
        Self { terms, prefixes }
    }

    /// Returns the first bytes of the terms and prefixes; `None` if an empty one matches every word.
    fn initials(&self) -> Option<Vec<u8>> {
        self.terms.iter().chain(&self.prefixes).map(|term| term.bytes().next()).collect()
    }

    fn place(&self, term: &str) -> Option<usize> {
        let place = self.terms.iter().position(|own_term| own_term == term);
        place.or_else(|| {
            let prefix = self.prefixes.iter().position(|prefix| term.starts_with(prefix.as_str()))?;
            Some(self.terms.len() + prefix)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use cm_note::instant::Instant;

    fn of(text: &str, query: &str) -> String {
        let query = Query::parse(query, Instant::from_unix(0));
        Snippets::of(&query).best(text, &[]).unwrap_or_else(|| beginning(text, &[]))
    }

    #[test]
    fn the_sentences_with_the_most_of_what_was_looked_for_are_shown_whole() {
        let filler = "Nothing of interest stands in this sentence. ".repeat(10);
        let text = format!("A socket once. {filler}\nThe socket\ttimed out on reset. {filler}");
        let snippet = of(&text, "the socket reset");
        assert!(snippet.contains("The socket timed out on reset. Nothing"), "{snippet}");
        assert!(snippet.ends_with("sentence.") && snippet.len() <= SNIPPET_BYTES, "{snippet}");
        assert!(of(&text, "unheard").starts_with("A socket once."));
        assert_eq!(of("short text", "text"), "short text");
        assert_eq!(of("", "text"), "");
    }

    #[test]
    fn sentences_of_different_blocks_are_told_apart() {
        assert_eq!(
            of("Close the pool\nOther\nthe pool is full", "pool"),
            "Close the pool … the pool is full"
        );
    }

    #[test]
    fn commands_stay_as_they_are_written() {
        for text in ["journalctl ._SYSTEMD_UNIT=ssh + _PID=1", "[!note] Pool size", "a --b=!x.Y ?Z"] {
            assert_eq!(of(text, "pool unit a"), text);
            assert_eq!(beginning(text, &[]), text);
        }
    }

    #[test]
    fn a_long_sentence_is_cut_at_words_around_what_was_looked_for() {
        let text =
            format!("{}the needle is here {}", "many words without an end ".repeat(20), "and on ".repeat(60));
        let snippet = of(&text, "needle");
        assert!(snippet.starts_with('…') && snippet.ends_with('…') && snippet.contains("the needle is here"));
        assert!(snippet.len() < SNIPPET_BYTES + 20, "{snippet}");
    }

    #[test]
    fn what_is_left_out_is_neither_searched_nor_shown() {
        let query = Query::parse("pool", Instant::from_unix(0));
        let text = "The pool\nClose the pool early.\nNothing.";
        let heading = std::slice::from_ref(&(0..9));
        assert_eq!(Snippets::of(&query).best(text, heading).as_deref(), Some("Close the pool early."));
        assert_eq!(beginning(text, heading), "Close the pool early. … Nothing.");
        assert_eq!(Snippets::of(&query).best("The pool\nelsewhere", heading), None);
    }

    #[test]
    fn matches_are_the_words_as_written() {
        let query = Query::parse("pooling socket", Instant::from_unix(0));
        let text = "Pools and a `socket_timeout`";
        let matches: Vec<&str> =
            Snippets::of(&query).matches(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(matches, ["Pools", "socket"]);
    }

    proptest! {
        #[test]
        fn any_text_gives_one_short_line(text in "(\\PC|[a-z. \n]{0,9}){0,80}", query in "[a-z* ]{0,12}") {
            let snippet = of(&text, &query);
            prop_assert!(!snippet.contains('\n') && snippet.len() <= SNIPPET_BYTES * 2 + 20);
        }
    }
}
