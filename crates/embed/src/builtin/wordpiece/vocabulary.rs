//! The tokens that the built-in models know, and the longest of them that a word begins with.
//!
//! The table is made when the program is built; nothing is read or filled at run time.

use cm_weights::slots::{EMPTY, Hash, SLOTS};
use cm_weights::{OFFSETS, TABLE, VOCABULARY};

/// A token's number: its line in the vocabulary, from 0.
pub type Token = u16;

/// The longest token has so many bytes, a test says.
const LONGEST: usize = 18;

/// What stands before a token that goes on within a word.
const INSIDE: &[u8] = b"##";

/// A word of which some part is no token.
pub const UNKNOWN: Token = 1;
/// What the transformer reads before each text.
pub const BEGIN: Token = 2;
/// What the transformer reads after each text.
pub const END: Token = 3;

/// How many tokens there are.
pub const fn size() -> usize {
    OFFSETS.len() / 4 - 1
}

/// The longest token that a word begins with, and how many bytes of the word it is; `inside` where the word is the rest
/// of one.
pub fn longest(word: &str, inside: bool) -> Option<(Token, usize)> {
    let prefix = if inside { INSIDE } else { b"" };
    let most = word.len().min(LONGEST - prefix.len());
    let bytes = &word.as_bytes()[..most];
    let mut hashes = [Hash::START; LONGEST];
    let mut hash = const { Hash::of(INSIDE) };
    if !inside {
        hash = Hash::START;
    }
    for (kept, byte) in hashes.iter_mut().zip(bytes) {
        hash = hash.then(*byte);
        *kept = hash;
    }
    // What ends within a character is no token, since tokens are UTF-8.
    (1..=most).rev().find_map(|end| Some((find(hashes[end - 1], prefix, &bytes[..end])?, end)))
}

/// The token that consists of a prefix and a rest, whose hash is given.
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

/// The text of a token.
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
        assert_eq!(VOCABULARY.lines().map(str::len).max(), Some(LONGEST));
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
