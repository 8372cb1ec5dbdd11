//! Secrets in text: what they look like, and taking them out before text reaches a file, a model or an index.
//!
//! Rules of our own in two families: tokens that say what they are by their form, and values that the text around them
//! gives away. What only looks random is reported and stays. It never asks a service whether a secret lives.

mod assignment;
mod call;
mod foreign;
mod header;
mod jwt;
mod key;
mod kinds;
mod kubernetes;
mod literal;
mod login;
mod mnemonic;
mod placeholder;
mod private_key;
mod published;
mod reading;
mod rules;
mod scan;
mod shape;
mod signature;
mod suspect;
mod token;
mod url;
mod value;

use std::fmt;
use std::ops::Range;

use serde::Serialize;

pub use foreign::RuleError;
pub use rules::{PatternError, Rules};
pub use suspect::{Suspect, suspects};

/// Text that has been redacted. There is no other way to make one, so that what takes it cannot be given raw text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct Redacted(String);

impl Redacted {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text as a string, which from here on is a string like any other.
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

/// A secret that was taken out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// The rule that found it; its placeholder is `[redacted: RULE]`.
    pub rule: String,
    /// Its bytes in the text as it was given.
    pub range: Range<usize>,
    /// Its line there, from 1.
    pub line: usize,
}

/// Takes the secrets out of a whole text and says what was taken. A text that was redacted stays as it is.
#[must_use]
pub fn redact(text: &str, rules: &Rules) -> (Redacted, Vec<Removed>) {
    let removed = find(text, rules);
    if removed.is_empty() {
        return (Redacted(text.to_owned()), removed);
    }
    (Redacted(without(text, removed.iter().map(|secret| (&secret.range, secret.rule.as_str())))), removed)
}

/// The text with placeholders for these ranges, which are in order.
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

/// The secrets of a text in order, without taking them out: what `redact` would remove.
#[must_use]
pub fn find(text: &str, rules: &Rules) -> Vec<Removed> {
    let mut found = scanned(text, rules);
    for _ in 0..AGAIN {
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
        Removed { rule, range, line }
    };
    found.into_iter().map(place).collect()
}

/// A short name for a secret that does not tell it: 16 hexadecimal digits. It is the same in every vault.
#[must_use]
pub fn fingerprint(secret: &str) -> String {
    let hash =
        blake3::derive_key("cm 2026-11 fingerprint of a text that looks like a secret", secret.as_bytes());
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// How often what is left of a text is looked at again.
const AGAIN: usize = 4;

fn scanned(text: &str, rules: &Rules) -> Vec<(Range<usize>, String)> {
    // Enough for each reading of the text and some readings of those.
    let mut budget = text.len().saturating_mul(4).saturating_add(1 << 16);
    let candidates = candidates(text, rules, false, reading::DEPTH, &mut budget);
    let merged = scan::merged(text, candidates).into_iter();
    let found = merged.map(|found| (found.range, found.label.to_owned()));
    found.filter(|(range, _)| !published::is_one(&text[range.clone()])).collect()
}

/// The candidates of a text and of its other readings, with their places in the text.
fn candidates<'r>(
    text: &str,
    rules: &'r Rules,
    is_joined: bool,
    depth: usize,
    budget: &mut usize,
) -> Vec<scan::Candidate<'r>> {
    let mut found = if rules.built_in() { scan::candidates(text, is_joined) } else { Vec::new() };
    found.extend(rules.extra(text).into_iter().map(|(range, label)| scan::own(range, label)));
    if depth == 0 {
        return found;
    }
    for reading in reading::readings(text, budget) {
        let hidden = candidates(&reading.text, rules, is_joined || reading.is_joined, depth - 1, budget);
        found.extend(hidden.into_iter().filter_map(|candidate| {
            let range = reading.in_text(&candidate.range)?;
            Some(candidate.at(range))
        }));
    }
    found
}

/// Where ranges of the text without the found secrets, which hold no placeholder, were in the whole text. Both lists are in
/// order.
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
