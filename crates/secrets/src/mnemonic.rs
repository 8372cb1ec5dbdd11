//! Wallet recovery phrases: twelve or more consecutive words of the English BIP-39 list, on one
//! line or numbered.

use std::ops::Range;

use bip39::Language;

/// Minimum number of words of a phrase.
const MIN_PHRASE_WORDS: usize = 12;
/// Maximum gap between two words of a phrase in bytes, for numbering, quotes and line breaks.
const MAX_GAP_BYTES: usize = 12;

/// Consecutive words that may form a phrase.
#[derive(Default)]
struct WordRun {
    words: Vec<Range<usize>>,
}

/// Returns the byte ranges of the phrases in a text, in order.
pub fn phrases(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut stretch = WordRun::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic() {
            if !parts_words(bytes[at]) {
                stretch.close(text, &mut found);
            }
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let near = stretch.words.last().is_none_or(|last| at - last.end <= MAX_GAP_BYTES);
        let alone = (3..=8).contains(&length) && stands_alone(bytes, at, at + length);
        if !near || !alone {
            stretch.close(text, &mut found);
        }
        if alone {
            stretch.words.push(at..at + length);
        }
        at += length;
    }
    stretch.close(text, &mut found);
    found
}

/// Whether the byte may occur between two words of a phrase.
fn parts_words(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte.is_ascii_digit() || b",.;:)\"'`|*-\\[]".contains(&byte)
}

/// Whether a word is not part of a longer identifier.
fn stands_alone(bytes: &[u8], start: usize, end: usize) -> bool {
    let free = |byte: Option<&u8>| byte.is_none_or(|byte| parts_words(*byte) && !byte.is_ascii_digit());
    free(start.checked_sub(1).and_then(|before| bytes.get(before))) && free(bytes.get(end))
}

impl WordRun {
    /// Appends the phrases among the collected words to `found`, and clears the words.
    fn close(&mut self, text: &str, found: &mut Vec<Range<usize>>) {
        if self.words.len() >= MIN_PHRASE_WORDS {
            let is_listed = |word: &&Range<usize>| {
                Language::English.find_word(&text[(*word).clone()].to_ascii_lowercase()).is_some()
            };
            let marked: Vec<bool> = self.words.iter().map(|word| is_listed(&word)).collect();
            for run in self.words.iter().zip(marked).collect::<Vec<_>>().split(|(_, listed)| !listed) {
                let words: Vec<&Range<usize>> = run.iter().map(|(word, _)| *word).collect();
                if let (Some(first), Some(last)) = (words.first(), words.last())
                    && words.len() >= MIN_PHRASE_WORDS
                    && !is_published(text, &words)
                {
                    found.push(first.start..last.end);
                }
            }
        }
        self.words.clear();
    }
}

/// Whether words repeat as in the published phrases of specifications and test networks, which are
/// not secret.
fn is_published(text: &str, words: &[&Range<usize>]) -> bool {
    let mut distinct: Vec<&str> = words.iter().map(|word| &text[(*word).clone()]).collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() * 4 <= words.len() * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHRASE: &str = "orbit velvet canyon prize hungry walnut tunnel brave echo lemon margin fabric";

    #[test]
    fn a_phrase_is_found_however_it_is_listed() {
        let numbered: String =
            PHRASE.split(' ').zip(1..).map(|(word, number)| format!("{number}. {word}\n")).collect();
        let json = format!("[\"{}\"]", PHRASE.replace(' ', "\", \""));
        for text in [PHRASE, &format!("seed: \"{PHRASE}\"."), &numbered, &json, &PHRASE.to_uppercase()] {
            assert_eq!(phrases(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn sentences_lists_and_published_phrases_stay() {
        for text in [
            "we will run the test of the system and then check the result with the team",
            "red orange yellow green blue indigo violet black white grey pink brown purple",
            "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
            "test test test test test test test test test test test junk",
            "orbit velvet canyon prize hungry walnut tunnel brave echo lemon margin",
        ] {
            assert_eq!(phrases(text), Vec::<Range<usize>>::new(), "{text}");
        }
    }
}
