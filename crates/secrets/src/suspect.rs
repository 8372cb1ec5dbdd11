//! Guesses: values that look as if a generator had made them, without anything around that says what they are.
//!
//! They are reported and never removed. What looks like a digest, a UUID or a path is no guess.

use std::ops::Range;

use serde::Serialize;

use super::shape::{self, ALNUM, URL_SAFE};
use super::{Removed, Rules, find, placeholder};

/// A place worth a person's look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suspect {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
    /// How evenly its characters are spread, in bits each, 0 to 8, in tenths.
    pub entropy: u32,
}

/// The least length of a guess, in characters.
const LEAST: usize = 24;
/// The least entropy of a guess, in tenths of a bit a character.
const EVEN: u32 = 38;

/// The places of a text that look like secrets and would not be removed, in order.
#[must_use]
pub fn suspects(text: &str, rules: &Rules) -> Vec<Suspect> {
    let removed = find(text, rules);
    let mut found = Vec::new();
    let mut start = 0;
    for (number, line) in text.split('\n').enumerate() {
        if !speaks_of_digests(line) {
            found.extend(of_line(line, start, number + 1, &removed));
        }
        start += line.len() + 1;
    }
    found
}

fn of_line(line: &str, start: usize, number: usize, removed: &[Removed]) -> Vec<Suspect> {
    let mut found = Vec::new();
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = shape::run(&bytes[at..], URL_SAFE, usize::MAX).max(1);
        let range = start + at..start + at + length;
        let run = &line.as_bytes()[at..at + length];
        if length >= LEAST && is_guess(run) && is_left(&range, removed) {
            found.push(Suspect { range, line: number, entropy: entropy(run) });
        }
        at += length;
    }
    found
}

/// Whether nothing of the range is removed anyway.
fn is_left(range: &Range<usize>, removed: &[Removed]) -> bool {
    let next = removed.partition_point(|secret| secret.range.end <= range.start);
    removed.get(next).is_none_or(|secret| secret.range.start >= range.end)
}

fn is_guess(run: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(run) else { return false };
    let hex = run.iter().all(|byte| shape::is(*byte, shape::ANY_HEX | shape::DASH));
    let digits = run.iter().filter(|byte| shape::is(**byte, shape::DIGIT)).count();
    let both = run.iter().any(|byte| shape::is(*byte, shape::UPPER))
        && run.iter().any(|byte| shape::is(*byte, shape::LOWER));
    !hex && digits >= 2
        && both
        && run.iter().filter(|byte| shape::is(**byte, ALNUM)).count() * 10 >= run.len() * 9
        && !shape::is_uuid(text)
        && !placeholder::is_one(text)
        && shape::looks_random(text)
        && entropy(run) >= EVEN
}

/// Whether the line gives digests: those of lock files are as random as keys.
fn speaks_of_digests(line: &str) -> bool {
    ["sha512-", "sha384-", "sha256-", "sha1-", " h1:", "integrity", "checksum", "sha256:", "base64,"]
        .iter()
        .any(|word| line.contains(word))
}

/// Shannon's entropy of the bytes, in tenths of a bit.
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
        assert_eq!(find(text, &Rules::default()), []);
        let found = suspects(text, &Rules::default());
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
            assert_eq!(suspects(text, &Rules::default()), [], "{text}");
        }
    }
}
