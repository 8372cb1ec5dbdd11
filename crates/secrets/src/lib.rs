//! Detects secrets in text, and redacts them before the text reaches a file, a model or an index.
//!
//! The built-in rules detect tokens by their format, and values by their context. Text that only
//! looks random is reported but not redacted. No service is contacted to verify a secret.

mod assignment;
mod command_line;
mod credential_files;
mod decoded_text;
mod gitleaks;
mod header;
mod jwt;
mod kubernetes;
mod literal;
mod login;
mod mnemonic;
mod name_strength;
mod placeholder;
mod private_key;
mod published;
mod randomness;
mod rules;
mod scan;
mod sentence;
mod signature;
mod suspect;
mod token;
mod token_kinds;
mod url;
mod value;

use std::fmt;
use std::ops::Range;

use data_encoding::HEXLOWER;
use serde::Serialize;

pub use gitleaks::RuleError;
pub use rules::{PatternError, RedactionRules};
pub use suspect::{Suspect, suspects};

/// Redacted text. Only [`redact`] creates it, so functions that take it never receive raw text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct Redacted(String);

impl Redacted {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text as an ordinary string.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl AsRef<str> for Redacted {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A secret that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RedactedSecret {
    /// Rule that matched; the placeholder is `[redacted: RULE]`.
    pub rule: String,
    /// Byte range in the original text.
    pub range: Range<usize>,
    /// Line in the original text, from 1.
    pub line: usize,
}

/// Redacts the secrets of a text, and returns them. Redacting twice changes nothing.
#[must_use]
pub fn redact(text: &str, rules: &RedactionRules) -> (Redacted, Vec<RedactedSecret>) {
    let removed = find(text, rules);
    if removed.is_empty() {
        return (Redacted(text.to_owned()), removed);
    }
    (Redacted(without(text, removed.iter().map(|secret| (&secret.range, secret.rule.as_str())))), removed)
}

/// Replaces byte ranges of the text by placeholders. The ranges must be in ascending order and
/// must not overlap.
fn without<'a>(text: &str, secrets: impl Iterator<Item = (&'a Range<usize>, &'a str)>) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut at = 0;
    for (range, rule) in secrets {
        redacted.push_str(&text[at..range.start]);
        redacted.push_str(&placeholder::of(rule));
        at = range.end;
    }
    redacted.push_str(&text[at..]);
    redacted
}

/// Returns the secrets that [`redact`] would remove, in order.
#[must_use]
pub fn find(text: &str, rules: &RedactionRules) -> Vec<RedactedSecret> {
    let mut found = scanned(text, rules);
    for _ in 0..MAX_RESCANS {
        // A secret that is gone can uncover one beside it, so that what is left is looked at once more.
        let more = match found.is_empty() {
            true => Vec::new(),
            false => scanned(&without(text, found.iter().map(|(range, rule)| (range, rule.as_str()))), rules),
        };
        if more.is_empty() {
            break;
        }
        let more = before_removal(&found, more);
        found.extend(more);
        found.sort_by_key(|(range, _)| range.start);
    }
    let (mut line, mut at) = (1, 0);
    let place = |(range, rule): (Range<usize>, String)| {
        line += text[at..range.start].bytes().filter(|byte| *byte == b'\n').count();
        at = range.start;
        RedactedSecret { rule, range, line }
    };
    found.into_iter().map(place).collect()
}

/// Identifies a secret without revealing it: 16 hexadecimal digits, the same in every vault.
#[must_use]
pub fn fingerprint(secret: &str) -> String {
    let hash =
        blake3::derive_key("cm 2026-11 fingerprint of a text that looks like a secret", secret.as_bytes());
    HEXLOWER.encode(&hash[..8])
}

/// Maximum number of additional scans after removing secrets.
const MAX_RESCANS: usize = 4;

fn scanned(text: &str, rules: &RedactionRules) -> Vec<(Range<usize>, String)> {
    // Enough for each reading of the text and some readings of those.
    let mut budget = text.len().saturating_mul(4).saturating_add(1 << 16);
    let candidates = candidates(text, rules, false, decoded_text::MAX_ENCODING_DEPTH, &mut budget);
    let merged = scan::merged(text, candidates).into_iter();
    let found = merged.map(|found| (found.range, found.label.to_owned()));
    found.filter(|(range, _)| !published::is_published(&text[range.clone()])).collect()
}

/// Returns the candidates of a text and of its decoded readings, with byte ranges in the text.
fn candidates<'r>(
    text: &str,
    rules: &'r RedactionRules,
    is_joined: bool,
    depth: usize,
    budget: &mut usize,
) -> Vec<scan::SecretCandidate<'r>> {
    let mut found = if rules.built_in() { scan::candidates(text, is_joined) } else { Vec::new() };
    found.extend(rules.extra(text).into_iter().map(|(range, label)| scan::custom_candidate(range, label)));
    if depth == 0 {
        return found;
    }
    for reading in decoded_text::readings(text, budget) {
        let hidden = candidates(&reading.text, rules, is_joined || reading.is_joined, depth - 1, budget);
        found.extend(hidden.into_iter().filter_map(|candidate| {
            let range = reading.in_text(&candidate.range)?;
            Some(candidate.at(range))
        }));
    }
    found
}

/// Converts byte ranges in the text without the found secrets to ranges in the original text. Both
/// lists are sorted.
fn before_removal(
    found: &[(Range<usize>, String)],
    more: Vec<(Range<usize>, String)>,
) -> Vec<(Range<usize>, String)> {
    let mut earlier = found.iter().peekable();
    // How many bytes the placeholders so far have taken away; they may have added some instead.
    let (mut taken, mut added) = (0, 0);
    let place = |(range, rule): (Range<usize>, String)| {
        while let Some((secret, label)) =
            earlier.next_if(|(secret, _)| secret.start <= range.start + taken - added)
        {
            taken += secret.len();
            added += placeholder::of(label).len();
        }
        let start = range.start + taken - added;
        (start..start + range.len(), rule)
    };
    more.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests;
