//! Matches tokens with a recognizable format: by prefix, by a marker in their middle, or by the
//! structure of their parts.

use std::ops::Range;

use super::placeholder;
use super::randomness::{self, ALNUM, DIGIT, DOT, LOWER, PLUS_SLASH, UPPER, URL_SAFE};
use super::token_kinds::{MarkedToken, PrefixRarity, PrefixedToken};

/// Returns the end of the token of this kind with a prefix at `at`; `None` if there is none.
pub fn end(token: &PrefixedToken, text: &[u8], at: usize) -> Option<usize> {
    if !text[at..].starts_with(token.prefix.as_bytes()) || !randomness::begins_here(text, at) {
        return None;
    }
    let from = at + token.prefix.len();
    let mut length = randomness::run(&text[from..], token.alphabet, token.most + 1);
    if length > token.most {
        return None;
    }
    while length > token.least && matches!(text[from + length - 1], b'.' | b'-') {
        length -= 1;
    }
    if length < token.least || is_part(text, at, from + length) {
        return None;
    }
    if text[from + length..].starts_with(b"####") || text[from + length..].starts_with(b"****") {
        return None;
    }
    let body = std::str::from_utf8(&text[from..from + length]).ok()?;
    let real = match token.care {
        PrefixRarity::Rare => true,
        PrefixRarity::Mixed => is_mixed(body),
        PrefixRarity::Random => {
            randomness::looks_random(body) && most_common(body.as_bytes()) * 3 <= body.len()
        }
    } && !placeholder::is_example(body);
    // Nothing else begins as the keys of Artifactory do, so that a masked one counts.
    let masked = token.label == "artifactory-key" && randomness::distinct(body.as_bytes()) == 1;
    let real = real || masked;
    real.then_some(from + length)
}

/// Whether the text has upper-case letters, lower-case letters, and a digit or random characters.
fn is_mixed(body: &str) -> bool {
    let has = |alphabet| body.bytes().any(|byte| randomness::is(byte, alphabet));
    has(UPPER) && has(LOWER) && (has(DIGIT) || randomness::looks_random(body))
}

/// Whether the match is part of a longer run of base64, and so matches by chance.
fn is_part(text: &[u8], start: usize, end: usize) -> bool {
    let before = &text[..start];
    before.ends_with(b"+")
        || before.ends_with(b"/") && randomness::run_back(before, ALNUM | PLUS_SLASH, 32) == 32
        || randomness::run(&text[end..], ALNUM | PLUS_SLASH, 24) == 24
}

/// Number of occurrences of the most frequent byte.
fn most_common(bytes: &[u8]) -> usize {
    let mut counts = [0usize; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    counts.into_iter().max().unwrap_or(0)
}

/// Returns the byte range of the token around the marker at `at`.
pub fn around(kind: &MarkedToken, text: &[u8], at: usize) -> Option<Range<usize>> {
    if !text[at..].starts_with(kind.mark.as_bytes()) {
        return None;
    }
    let (alphabet, least, most) = kind.before;
    let before = randomness::run_back(&text[..at], alphabet, most + 1);
    let (behind, shortest, longest) = kind.after;
    let from = at + kind.mark.len();
    let mut after = randomness::run(&text[from..], behind, longest + 1);
    while after > 0 && matches!(text[from + after - 1], b'.') {
        after -= 1;
    }
    let starts = at - before;
    let fits = (least..=most).contains(&before) && (shortest..=longest).contains(&after);
    let begins = randomness::begins_here(text, starts) || text[..starts].ends_with(b"bot");
    let free = begins && !text.get(from + after).is_some_and(|byte| randomness::is(*byte, ALNUM));
    let body = std::str::from_utf8(&text[starts..from + after]).ok()?;
    (fits && free && !placeholder::is_example(body)).then_some(starts..from + after)
}

/// Returns the byte range of a Discord bot token: three parts separated by dots, the first a number
/// in base64. `at` is the offset of the first dot.
pub(crate) fn discord(text: &[u8], at: usize) -> Option<Range<usize>> {
    if text.get(at + 1).is_none_or(|byte| !randomness::is(*byte, URL_SAFE)) {
        return None;
    }
    let middle = randomness::run(&text[at + 1..], URL_SAFE, 8);
    if !(6..=7).contains(&middle) || text.get(at + 1 + middle) != Some(&b'.') {
        return None;
    }
    let before = randomness::run_back(&text[..at], URL_SAFE, 31);
    let from = at - before;
    let last = randomness::run(&text[at + 2 + middle..], URL_SAFE, 64);
    let numbered = matches!(text.get(from), Some(b'M' | b'N' | b'O'));
    let fits = numbered && (23..=28).contains(&before) && (27..=40).contains(&last);
    let end = at + 2 + middle + last;
    (fits && randomness::begins_here(text, from)).then_some(from..end)
}

/// Returns the byte range of a long token of several parts separated by dots, such as a signed or
/// encrypted token. `at` is the offset of a dot.
///
/// # Errors
/// Returns the offset up to which there is no such token.
pub(crate) fn in_parts(text: &[u8], at: usize) -> Result<Range<usize>, usize> {
    const MIN_PART_BYTES: usize = 30;
    const MAX_TOKEN_BYTES: usize = 8 * 1024;
    let long = randomness::run(&text[at + 1..], URL_SAFE, MIN_PART_BYTES) == MIN_PART_BYTES
        && randomness::run_back(&text[..at], URL_SAFE, MIN_PART_BYTES) == MIN_PART_BYTES;
    if !long {
        return Err(at);
    }
    let from = at - randomness::run_back(&text[..at], URL_SAFE | DOT, MAX_TOKEN_BYTES);
    let end = at + randomness::run(&text[at..], URL_SAFE | DOT, MAX_TOKEN_BYTES);
    let token = &text[from..end];
    let dots = token.iter().filter(|byte| **byte == b'.').count();
    let has =
        |alphabet| token.iter().filter(|byte| randomness::is(**byte, alphabet)).count() * 20 >= token.len();
    let mixed = has(UPPER) && has(LOWER) && has(DIGIT);
    let random = std::str::from_utf8(token).is_ok_and(randomness::looks_random);
    if dots >= 2 && token.len() >= 150 && mixed && random && randomness::begins_here(text, from) {
        Ok(from..end)
    } else {
        Err(end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::token_kinds::tokens;
    use super::*;

    fn found(text: &str) -> Option<&'static str> {
        let bytes = text.as_bytes();
        tokens()
            .find(|token| text.match_indices(token.prefix).any(|(at, _)| end(token, bytes, at).is_some()))
            .map(|token| token.label)
    }

    #[test]
    fn a_prefix_with_as_many_characters_as_the_kind_has_is_a_token() {
        let body = "k3vq8wz1x5rt7bn2mc9pf4jd6hg0ls8yq2we";
        assert_eq!(found(&format!("x = gh{}_{body}.", "p")), Some("github-token"));
        assert_eq!(found(&format!("x = gh{}_{}", "p", &body[..20])), None);
        assert_eq!(found(&format!("xgh{}_{body}", "p")), None);
        assert_eq!(found(&format!("gh{}_{}", "p", "x".repeat(36))), None);
    }

    #[test]
    fn no_two_rows_have_one_prefix() {
        let mut prefixes: Vec<_> = tokens().map(|token| token.prefix).collect();
        prefixes.sort_unstable();
        let all = prefixes.len();
        prefixes.dedup();
        assert_eq!(prefixes.len(), all);
    }
}
