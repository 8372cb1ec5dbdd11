//! Tokenizer of the built-in models: the uncased WordPiece tokenizer of BERT.
//!
//! All text is treated as words; special tokens such as `[SEP]` in a text are not recognized.

mod class;
mod vocabulary;
mod words;

use super::Token;
pub use vocabulary::{BEGIN, END, UNKNOWN, size};

/// Maximum number of characters of a word. Longer words become the unknown token.
const MAX_WORD_CHARS: usize = 100;

/// Returns the first `most` tokens of a text.
pub fn tokens(text: &str, most: usize) -> Vec<Token> {
    let mut tokens = Vec::with_capacity((text.len() / 4).min(most));
    let cut = words::each(text, |word| {
        cut(word, &mut tokens);
        tokens.len() < most
    });
    debug_assert!(cut || tokens.len() >= most);
    tokens.truncate(most);
    tokens
}

/// Minimum length in bytes of a meaningful word.
const MIN_WORD_BYTES: usize = 3;

/// Whether the vocabulary contains any word of a text as a whole. Other texts, such as new names,
/// numbers, other languages or nonsense, consist only of fragments.
pub fn knows_a_word(text: &str) -> bool {
    !words::each(text, |word| {
        let whole = vocabulary::longest(word, false).is_some_and(|(_, length)| length == word.len());
        !(whole && word.len() >= MIN_WORD_BYTES && word.chars().any(char::is_alphabetic))
    })
}

/// Appends the tokens of a word, each the longest match, or the unknown token if a part does not
/// match.
fn cut(word: &str, tokens: &mut Vec<Token>) {
    let before = tokens.len();
    let is_short = word.len() <= MAX_WORD_CHARS || word.chars().nth(MAX_WORD_CHARS).is_none();
    let mut rest = if is_short { word } else { "" };
    while let Some((token, length)) = vocabulary::longest(rest, rest.len() < word.len()) {
        tokens.push(token);
        rest = &rest[length..];
    }
    if !is_short || !rest.is_empty() {
        tokens.truncate(before);
        tokens.push(UNKNOWN);
    }
}

#[cfg(test)]
mod tests;
