//! Excerpts of notes around the searched words.

use std::collections::BTreeSet;

use cm_note::query::{Query, TextCondition};
use cm_text::stop_words::is_stop_word;
use cm_text::tokens::{TokenRole, Tokenizer, fold};

/// Approximate length of a snippet, in bytes.
const LENGTH: usize = 200;
/// Maximum number of bytes before the first searched word.
const BEFORE: usize = 50;
/// Number of bytes of a text that are searched for a snippet.
const READ: usize = 200_000;

/// Extracts snippets for one query from many texts.
///
/// ```
/// use cm_note::{instant::Instant, query::Query};
/// let query = Query::parse("keepalive", Instant::from_unix(0));
/// let text = format!("{} Set socket_keepalive\n before connecting.", "Words before. ".repeat(30));
/// let snippet = cm_index::Snippets::of(&query).best(&text).unwrap();
/// assert!(snippet.starts_with('…') && snippet.ends_with("Set socket_keepalive before connecting."));
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
        Self { wanted: SnippetTerms::of(query, &mut tokenizer), tokenizer }
    }

    /// Returns the part of `text` with the most searched words, on one line. Returns `None` if it
    /// contains none.
    pub fn best(&mut self, text: &str) -> Option<String> {
        let text = &text[..text.floor_char_boundary(READ)];
        let mut found = Vec::new();
        self.tokenizer.each(text, |token| {
            if let Some(which) = self.wanted.place(token.text) {
                found.push((token.from, token.to, which));
            }
        });
        let start = best_start(&found)?;
        let end = text.floor_char_boundary(start.saturating_sub(BEFORE) + LENGTH);
        let from = if end == text.len() { end.saturating_sub(LENGTH) } else { start.saturating_sub(BEFORE) };
        Some(one_line(text, word_start(text, from.min(start)), end))
    }
}

/// Returns the start of a text on one line, cut to the length of a snippet.
pub fn beginning(text: &str) -> String {
    one_line(text, 0, text.floor_char_boundary(LENGTH))
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

    fn place(&self, term: &str) -> Option<usize> {
        let place = self.terms.iter().position(|wanted| wanted == term);
        place.or_else(|| {
            let prefix = self.prefixes.iter().position(|prefix| term.starts_with(prefix.as_str()))?;
            Some(self.terms.len() + prefix)
        })
    }
}

/// Returns the start of the window with the most distinct words, then with the most words.
fn best_start(found: &[(usize, usize, usize)]) -> Option<usize> {
    let (mut best, mut best_start) = ((0, 0), None);
    let mut past = 0;
    for (index, (start, _, _)) in found.iter().enumerate() {
        past = past.max(index);
        while found.get(past).is_some_and(|(_, end, _)| *end <= start + LENGTH - BEFORE) {
            past += 1;
        }
        // A window of one line holds few words; a long run of one word is cut.
        let window = &found[index..past.min(index + 64).max(index + 1)];
        let different: BTreeSet<usize> = window.iter().map(|(_, _, which)| *which).collect();
        let count = (different.len(), window.len());
        if count > best {
            (best, best_start) = (count, Some(*start));
        }
    }
    best_start
}

/// Returns the start of the next word at or after `at`, or `at` itself within a long word.
fn word_start(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    if at == 0 || text[..at].ends_with(char::is_whitespace) {
        return at;
    }
    let blank = text[at..].find(char::is_whitespace).filter(|length| *length < BEFORE / 2);
    blank.map_or(at, |length| at + length)
}

fn one_line(text: &str, from: usize, end: usize) -> String {
    let mut end = end.max(from);
    if end < text.len() {
        let cut = text[from..end].rfind(char::is_whitespace).filter(|length| *length > LENGTH / 2);
        end = cut.map_or(end, |length| from + length);
    }
    let words: Vec<&str> = text[from..end].split_whitespace().collect();
    let mut line = words.join(" ");
    if !text[..from].trim().is_empty() {
        line.insert(0, '…');
    }
    if !text[end..].trim().is_empty() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use cm_note::instant::Instant;

    fn of(text: &str, query: &str) -> String {
        let query = Query::parse(query, Instant::from_unix(0));
        Snippets::of(&query).best(text).unwrap_or_else(|| beginning(text))
    }

    #[test]
    fn the_window_shows_the_most_of_what_was_looked_for() {
        let filler = "Nothing of interest stands in this sentence. ".repeat(10);
        let text = format!("A socket once. {filler}\nThe socket\ttimed out on reset. {filler}");
        let snippet = of(&text, "the socket reset");
        assert!(snippet.contains("The socket timed out on reset."), "{snippet}");
        assert!(snippet.starts_with('…') && snippet.ends_with('…') && snippet.len() < LENGTH + 20);
        assert!(of(&text, "unheard").starts_with("A socket once."));
        assert_eq!(of("short text", "text"), "short text");
        assert_eq!(of("", "text"), "");
    }

    proptest! {
        #[test]
        fn any_text_gives_one_short_line(text in "(\\PC|[a-z \n]{0,9}){0,80}", query in "[a-z* ]{0,12}") {
            let snippet = of(&text, &query);
            prop_assert!(!snippet.contains('\n') && snippet.len() <= LENGTH * 2 + 20);
        }
    }
}
