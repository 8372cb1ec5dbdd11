//! Tokenizer of the multilingual model: the SentencePiece unigram tokenizer of XLM-RoBERTa.
//!
//! A word is split into the pieces whose scores have the highest sum. All text is treated as words;
//! special tokens such as `</s>` in a text are not recognized.

mod normalize;
mod pieces;

pub use pieces::{BEGIN, END, Pieces};

use self::normalize::characters;
use self::pieces::{MAX_PIECE_BYTES, UNKNOWN};
use super::Token;

/// Mark before each word, which is part of the pieces at the start of words.
const MARK: &str = "▁";

/// Returns the first `most` tokens of a text.
pub fn tokens(pieces: &Pieces, text: &str, most: usize) -> Vec<Token> {
    let mut tokens = Vec::with_capacity((text.len() / 4).min(most));
    let mut word = String::from(MARK);
    for character in characters(text) {
        if tokens.len() >= most {
            break;
        }
        if !character.is_whitespace() {
            word.push(character);
        }
        // Text without blanks is one word. No more of it is needed than has `most` tokens.
        if character.is_whitespace() || word.len() > most.saturating_mul(MAX_PIECE_BYTES) {
            flush(pieces, &mut word, &mut tokens);
        }
    }
    flush(pieces, &mut word, &mut tokens);
    tokens.truncate(most);
    tokens
}

/// Appends the tokens of a word, unless it is empty, and begins the next one.
fn flush(pieces: &Pieces, word: &mut String, tokens: &mut Vec<Token>) {
    if word.len() > MARK.len() {
        split(pieces, word, tokens);
        word.truncate(MARK.len());
    }
}

/// The best way to split the start of a word.
#[derive(Clone, Copy)]
struct Split {
    /// Sum of the scores.
    score: f64,
    /// Start of the last piece, in bytes.
    start: usize,
    token: Token,
}

/// Appends the pieces of a word that have the highest sum of scores. Consecutive unknown characters
/// become one unknown token.
fn split(pieces: &Pieces, word: &str, tokens: &mut Vec<Token>) {
    let none = Split { score: f64::NEG_INFINITY, start: 0, token: UNKNOWN };
    let mut best = vec![none; word.len() + 1];
    best[0].score = 0.0;
    for (start, character) in word.char_indices() {
        let before = best[start].score;
        let mut offer = |length: usize, token: Token, score: f32| {
            let offered = Split { score: before + f64::from(score), start, token };
            if offered.score > best[start + length].score {
                best[start + length] = offered;
            }
        };
        pieces.each_prefix(&word.as_bytes()[start..], &mut offer);
        offer(character.len_utf8(), UNKNOWN, pieces.unknown_score());
    }
    let first = tokens.len();
    let mut end = word.len();
    while end > 0 {
        let Split { start, token, .. } = best[end];
        if token != UNKNOWN || tokens[first..].last() != Some(&UNKNOWN) {
            tokens.push(token);
        }
        end = start;
    }
    tokens[first..].reverse();
}

#[cfg(test)]
mod tests;
