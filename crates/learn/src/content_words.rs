//! The words of a text by which statements are compared: all, or those with content, without stop
//! words and fillers.

use std::collections::BTreeSet;

use cm_text::language::is_ideograph;
use cm_text::stop_words::is_stop_word;

/// Splits a text into lower-case words, without punctuation. Chinese, which has no spaces, becomes
/// overlapping pairs of characters.
pub(crate) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let mut words = Vec::new();
    for word in lower.split(|c: char| !c.is_alphanumeric() && c != '_') {
        let characters: Vec<char> = word.chars().collect();
        for run in characters.chunk_by(|a, b| is_ideograph(*a) == is_ideograph(*b)) {
            match run {
                [first, _, _, ..] if is_ideograph(*first) => {
                    words.extend(run.windows(2).map(String::from_iter))
                }
                _ => words.push(String::from_iter(run)),
            }
        }
    }
    words
}

/// Words that are ignored when statements are compared, besides stop words.
const FILLERS: [&str; 30] = [
    "let", "lets", "ll", "ve", "d", "re", "dont", "don", "yes", "ok", "okay", "now", "go", "use", "keep",
    "make", "want", "option", "approach", "one", "two", "first", "second", "third", "way", "thing", "stuff",
    "your", "actually", "instead",
];

/// Returns the distinct content words of a text.
pub(crate) fn content_words(text: &str) -> BTreeSet<String> {
    let has_content =
        |word: &String| word.chars().any(char::is_alphabetic) && word.chars().count() > 1 && !is_filler(word);
    words(text).into_iter().filter(has_content).collect()
}

fn is_filler(word: &str) -> bool {
    is_stop_word(word) || FILLERS.contains(&word)
}

/// Counts the distinct content words of a text; of Chinese, two characters are a word.
pub(crate) fn content_word_count(text: &str) -> usize {
    let spaced = content_words(text).iter().filter(|word| !word.contains(is_ideograph)).count();
    spaced + text.chars().filter(|c| is_ideograph(*c)).count() / 2
}
