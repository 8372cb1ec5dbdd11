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
        let more: Vec<_> =
            more.into_iter().map(|(range, rule)| (before_removal(&found, range), rule)).collect();
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

/// How often what is left of a text is looked at again.
const AGAIN: usize = 4;

fn scanned(text: &str, rules: &Rules) -> Vec<(Range<usize>, String)> {
    // Enough for each reading of the text and some readings of those.
    let mut budget = text.len().saturating_mul(4).saturating_add(1 << 16);
    let candidates = candidates(text, rules, false, reading::DEPTH, &mut budget);
    scan::merged(text, candidates).into_iter().map(|found| (found.range, found.label.to_owned())).collect()
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

/// Where a range of the text without the found secrets, which holds no placeholder, was in the whole text.
fn before_removal(found: &[(Range<usize>, String)], range: Range<usize>) -> Range<usize> {
    let mut start = range.start;
    for (secret, rule) in found {
        // `start` is in the text where the secrets so far are whole and the others are not.
        if secret.start > start {
            break;
        }
        start = start + secret.len() - placeholder::of(rule).len();
    }
    start..start + range.len()
}

#[cfg(test)]
mod tests;
