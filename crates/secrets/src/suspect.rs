//! Suspects: values that look generated, without context that identifies them as a secret.
//!
//! They are reported but never redacted. Digests, UUIDs and paths are not suspects.

use std::ops::Range;

use serde::Serialize;

use super::randomness::{self, ALNUM, URL_SAFE};
use super::{RedactedSecret, RedactionRules, find, placeholder};

/// A value that a person should review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suspect {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// Line number, from 1.
    pub line: usize,
    /// Shannon entropy in tenths of a bit per byte, 0 to 80.
    pub entropy: u32,
}

/// Minimum length of a suspect, in characters.
const MIN_SUSPECT_CHARS: usize = 24;
/// Minimum entropy of a suspect, in tenths of a bit per byte.
const MIN_ENTROPY_TENTHS: u32 = 38;

/// Returns the suspects of a text that redaction would not remove, in order.
#[must_use]
pub fn suspects(text: &str, rules: &RedactionRules) -> Vec<Suspect> {
    let removed = find(text, rules);
    let mut found = Vec::new();
    let mut start = 0;
    for (number, line) in text.split('\n').enumerate() {
        if !contains_digest_keyword(line) {
            found.extend(of_line(line, start, number + 1, &removed));
        }
        start += line.len() + 1;
    }
    found
}

fn of_line(line: &str, start: usize, number: usize, removed: &[RedactedSecret]) -> Vec<Suspect> {
    let mut found = Vec::new();
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = randomness::run(&bytes[at..], URL_SAFE, usize::MAX).max(1);
        let range = start + at..start + at + length;
        let run = &line.as_bytes()[at..at + length];
        if length >= MIN_SUSPECT_CHARS && is_guess(run) && is_left(&range, removed) {
            found.push(Suspect { range, line: number, entropy: entropy(run) });
        }
        at += length;
    }
    found
}

/// Whether the range does not overlap a removed secret.
fn is_left(range: &Range<usize>, removed: &[RedactedSecret]) -> bool {
    let next = removed.partition_point(|secret| secret.range.end <= range.start);
    removed.get(next).is_none_or(|secret| secret.range.start >= range.end)
}

fn is_guess(run: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(run) else { return false };
    let hex = run.iter().all(|byte| randomness::is(*byte, randomness::ANY_HEX | randomness::DASH));
    let digits = run.iter().filter(|byte| randomness::is(**byte, randomness::DIGIT)).count();
    let both = run.iter().any(|byte| randomness::is(*byte, randomness::UPPER))
        && run.iter().any(|byte| randomness::is(*byte, randomness::LOWER));
    !hex && digits >= 2
        && both
        && run.iter().filter(|byte| randomness::is(**byte, ALNUM)).count() * 10 >= run.len() * 9
        && !randomness::is_uuid(text)
        && !placeholder::is_placeholder(text)
        && randomness::looks_random(text)
        && entropy(run) >= MIN_ENTROPY_TENTHS
}

/// Whether the line contains digests, which look as random as keys, for example in lock files.
fn contains_digest_keyword(line: &str) -> bool {
    ["sha512-", "sha384-", "sha256-", "sha1-", " h1:", "integrity", "checksum", "sha256:", "base64,"]
        .iter()
        .any(|word| line.contains(word))
}

/// Shannon entropy of the bytes, in tenths of a bit per byte.
fn entropy(bytes: &[u8]) -> u32 {
    let mut counts = [0u32; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let all = bytes.len() as f64;
    let bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / all)
        .map(|share| -share * share.log2())
        .sum();
    (bits * 10.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_value_without_a_name_is_reported_and_stays() {
        let text = "first\nid 7Hqtm3w8XZcNPv5Lr2GkSbYd9JfTxQa4RzKnMpVhBsW here";
        assert_eq!(find(text, &RedactionRules::default()), []);
        let found = suspects(text, &RedactionRules::default());
        assert_eq!(
            found.iter().map(|guess| (guess.line, &text[guess.range.clone()])).collect::<Vec<_>>(),
            [(2, &text[9..52])]
        );
    }

    #[test]
    fn digests_and_ids_are_no_guesses() {
        for text in [
            "3b9d1c46-52fa-4e07-9a8d-7c6e5f4d3b21",
            "3f7c1d9e5b8a2c4f6d0e9b7a5c3f1d8e6b4a2c0f",
            "integrity sha512-7Hqtm3w8XZcNPv5Lr2GkSbYd9JfTxQa4RzKnMpVhBsW/9Cnzj4p4WGeKLs1Pt8QuKUpR==",
        ] {
            assert_eq!(suspects(text, &RedactionRules::default()), [], "{text}");
        }
    }
}
