//! JSON Web Tokens: two or three base64 parts separated by dots, the first a JSON object.

use std::ops::Range;

use super::randomness::{self, EQUALS, URL_SAFE};

/// Maximum length of each part of a token, in bytes.
const MAX_PART_BYTES: usize = 16 * 1024;

/// Returns the token that begins with `eyJ` at this offset.
///
/// # Errors
/// Returns the offset up to which no token can begin.
pub fn token(text: &[u8], at: usize) -> Result<Range<usize>, usize> {
    if !randomness::begins_here(text, at) {
        return Err(at);
    }
    let first = randomness::run(&text[at..], URL_SAFE | EQUALS, MAX_PART_BYTES);
    let dot = at + first;
    if text.get(dot) != Some(&b'.') {
        return Err(dot);
    }
    let second = randomness::run(&text[dot + 1..], URL_SAFE | EQUALS, MAX_PART_BYTES);
    let mut end = dot + 1 + second;
    if first < 15 || second < 10 {
        return Err(end);
    }
    if text.get(end) == Some(&b'.') {
        end += 1 + randomness::run(&text[end + 1..], URL_SAFE | EQUALS, MAX_PART_BYTES);
    }
    Ok(at..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_parts_are_a_token_and_one_is_none() {
        let text = format!("eyJ{}.eyJ{}.abc, x", "hbGciOiJIUzI1NiJ9", "zdWIiOiIxMjM0NTYifQ");
        assert_eq!(token(text.as_bytes(), 0), Ok(0..text.len() - 3));
        assert!(token(b"eyJhbGciOiJIUzI1NiJ9", 0).is_err());
    }
}
