//! Cuts a text into the tokens that the built-in models know, as the models' makers did: the uncased tokenizer of BERT.
//!
//! Every text is taken as words: what spells a mark of the model, such as `[SEP]`, is not taken for it.

mod class;
mod vocabulary;
mod words;

pub use vocabulary::{BEGIN, END, Token, UNKNOWN, size};

/// A word of more characters than this is not cut; it is unknown.
const LONGEST_WORD: usize = 100;

/// The tokens of a text, the first `most` of them.
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

/// The shortest word that says something by itself, in bytes.
const SHORTEST_KNOWN: usize = 3;

/// Whether the vocabulary has any word of a text as a whole. Of other texts the models know fragments only: names they
/// never met, numbers, other languages, nonsense.
pub fn knows_a_word(text: &str) -> bool {
    !words::each(text, |word| {
        let whole = vocabulary::longest(word, false).is_some_and(|(_, length)| length == word.len());
        !(whole && word.len() >= SHORTEST_KNOWN && word.chars().any(char::is_alphabetic))
    })
}

/// Adds the tokens of a word: each the longest that fits, or one that says that the word is unknown.
fn cut(word: &str, tokens: &mut Vec<Token>) {
    let before = tokens.len();
    let known = word.len() <= LONGEST_WORD || word.chars().nth(LONGEST_WORD).is_none();
    let mut rest = if known { word } else { "" };
    while let Some((token, length)) = vocabulary::longest(rest, rest.len() < word.len()) {
        tokens.push(token);
        rest = &rest[length..];
    }
    if !known || !rest.is_empty() {
        tokens.truncate(before);
        tokens.push(UNKNOWN);
    }
}

#[cfg(test)]
mod tests;
