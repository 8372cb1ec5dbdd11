//! Vocabulary of the built-in models, with longest-prefix lookup.
//!
//! The table is generated at build time; nothing is loaded at run time.

use super::super::Token;
use cm_weights::slots::{EMPTY, Hash, SLOTS};
use cm_weights::{OFFSETS, TABLE, VOCABULARY};

/// Length of the longest token in bytes; checked by a test.
const MAX_TOKEN_BYTES: usize = 18;

/// Prefix of tokens that continue a word.
const INSIDE: &[u8] = b"##";

/// Token of words that cannot be split into known tokens.
pub const UNKNOWN: Token = 1;
/// Token at the start of each text for the transformer.
pub const BEGIN: Token = 2;
/// Token at the end of each text for the transformer.
pub const END: Token = 3;

/// Returns the number of tokens.
pub const fn size() -> usize {
    OFFSETS.len() / 4 - 1
}

/// Returns the longest token that `word` starts with, and its length in bytes. `inside` means that
/// `word` is the rest of a longer word.
pub fn longest(word: &str, inside: bool) -> Option<(Token, usize)> {
    let prefix = if inside { INSIDE } else { b"" };
    let most = word.len().min(MAX_TOKEN_BYTES - prefix.len());
    let bytes = &word.as_bytes()[..most];
    let mut hashes = [Hash::START; MAX_TOKEN_BYTES];
    let mut hash = const { Hash::of(INSIDE) };
    if !inside {
        hash = Hash::START;
    }
    for (prefix_hash, byte) in hashes.iter_mut().zip(bytes) {
        hash = hash.then(*byte);
        *prefix_hash = hash;
    }
    // What ends within a character is no token, since tokens are UTF-8.
    (1..=most).rev().find_map(|end| Some((find(hashes[end - 1], prefix, &bytes[..end])?, end)))
}

/// Returns the token `prefix` + `rest` with the given hash.
fn find(hash: Hash, prefix: &[u8], rest: &[u8]) -> Option<Token> {
    let mut at = hash.slot();
    loop {
        let entry = number(TABLE, at);
        if entry == EMPTY {
            return None;
        }
        if let Some(token) = hash.token(entry)
            && bytes(token).strip_prefix(prefix) == Some(rest)
        {
            return Some(token);
        }
        at = (at + 1) % SLOTS;
    }
}

fn bytes(token: Token) -> &'static [u8] {
    let at = usize::from(token);
    &VOCABULARY.as_bytes()[number(OFFSETS, at) as usize..number(OFFSETS, at + 1) as usize - 1]
}

fn number(table: &[u8], at: usize) -> u32 {
    let bytes = &table[at * 4..at * 4 + 4];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Returns the text of a token.
#[cfg(test)]
pub fn text(token: Token) -> &'static str {
    std::str::from_utf8(bytes(token)).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_of_the_vocabulary_is_found_and_is_its_line() {
        assert_eq!(size(), 29_528);
        assert_eq!(VOCABULARY.lines().map(str::len).max(), Some(MAX_TOKEN_BYTES));
        for (line, token) in VOCABULARY.lines().enumerate() {
            let (prefix, rest) = token.strip_prefix("##").map_or(("", token), |rest| ("##", rest));
            let hash = Hash::of(token.as_bytes());
            assert_eq!(find(hash, prefix.as_bytes(), rest.as_bytes()), Some(line as Token), "{token}");
            assert_eq!(text(line as Token), token);
        }
    }

    #[test]
    fn the_marks_have_the_numbers_that_they_are_known_by() {
        assert_eq!([UNKNOWN, BEGIN, END].map(text), ["[UNK]", "[CLS]", "[SEP]"]);
    }

    #[test]
    fn the_longest_token_is_taken_at_the_beginning_and_inside_of_a_word() {
        let (token, length) = longest("embeddings", false).unwrap();
        assert_eq!((text(token), length), ("em", 2));
        let (token, length) = longest("beddings", true).unwrap();
        assert_eq!((text(token), length), ("##bed", 3));
        assert_eq!(longest("\u{1F980}", false), None);
        assert_eq!(longest("", true), None);
    }
}
