//! The active rules: built-in rules, or none, and the patterns of a vault.

use std::ops::Range;

use regex::{Regex, RegexBuilder};
use thiserror::Error;

use super::gitleaks::{GitleaksRules, RuleError};
use super::placeholder;

/// Rules for redaction. The built-in rules are compiled on first use.
#[derive(Debug, Clone)]
pub struct RedactionRules {
    built_in: bool,
    extra: Vec<CustomPattern>,
    foreign: Vec<GitleaksRules>,
}

/// A custom pattern of the vault.
#[derive(Debug, Clone)]
struct CustomPattern {
    label: String,
    regex: Regex,
}

/// Reason why a custom pattern is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PatternError {
    /// The pattern is not a valid regular expression.
    #[error(
        "redaction.extra[{index}] is not a valid regular expression at character {at}: {reason}; correct `{pattern}` or remove it"
    )]
    Syntax {
        /// Index in the list, from 0.
        index: usize,
        pattern: String,
        /// Position of the error in the pattern, in characters from 1.
        at: usize,
        /// Description of the problem.
        reason: String,
    },
    /// The compiled pattern exceeds the size limit.
    #[error("redaction.extra[{index}] is too large: `{pattern}`; use smaller repetitions")]
    TooLarge {
        /// Index in the list, from 0.
        index: usize,
        pattern: String,
    },
    /// The pattern matches the empty text, and so everywhere.
    #[error("redaction.extra[{index}] matches empty text: `{pattern}`; make it match at least one character")]
    Empty {
        /// Index in the list, from 0.
        index: usize,
        pattern: String,
    },
}

impl Default for RedactionRules {
    fn default() -> Self {
        Self { built_in: true, extra: Vec::new(), foreign: Vec::new() }
    }
}

impl RedactionRules {
    /// No rules, for `redaction.enabled = false`: text is not changed.
    #[must_use]
    pub fn none() -> Self {
        Self { built_in: false, extra: Vec::new(), foreign: Vec::new() }
    }

    /// Adds the patterns of `redaction.extra`. A pattern can have the form `label = regex`, with
    /// lower-case letters, digits and dashes in the label; otherwise the label is `extra-1`,
    /// `extra-2`, …. If a pattern has capture groups, the first one that participates in a match is
    /// removed, else the whole match.
    ///
    /// # Errors
    /// Returns [`PatternError`] if a pattern is not a regular expression, matches the empty text,
    /// or is too large.
    pub fn with_extra(mut self, patterns: &[String]) -> Result<Self, PatternError> {
        for (index, pattern) in patterns.iter().enumerate() {
            self.extra.push(CustomPattern::read(index, pattern)?);
        }
        Ok(self)
    }

    /// Adds the rules of a file in the gitleaks format, for `redaction.rules`.
    ///
    /// # Errors
    /// Returns [`RuleError`] if the file is not a rule file, or a pattern in it is invalid.
    pub fn with_file(mut self, text: &str) -> Result<Self, RuleError> {
        self.foreign.push(GitleaksRules::parse(text)?);
        Ok(self)
    }

    /// Number of custom patterns and rules.
    #[must_use]
    pub fn custom_count(&self) -> usize {
        self.extra.len() + self.foreign.iter().map(GitleaksRules::len).sum::<usize>()
    }

    #[must_use]
    pub fn built_in(&self) -> bool {
        self.built_in
    }

    /// Returns the byte ranges that the custom patterns match, with their labels.
    pub(super) fn extra<'r>(&'r self, text: &str) -> Vec<(Range<usize>, &'r str)> {
        let mut found = Vec::new();
        for pattern in &self.extra {
            found.extend(pattern.found(text).map(|range| (range, pattern.label.as_str())));
        }
        found.extend(self.foreign.iter().flat_map(|file| file.found(text)));
        found
    }
}

impl CustomPattern {
    fn read(index: usize, pattern: &str) -> Result<Self, PatternError> {
        let (label, source) = labelled(pattern).unwrap_or_else(|| (format!("extra-{}", index + 1), pattern));
        let regex = RegexBuilder::new(source).size_limit(1 << 20).build().map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => PatternError::TooLarge { index, pattern: pattern.to_owned() },
            error => {
                let (at, reason) = place(&error.to_string());
                PatternError::Syntax { index, pattern: pattern.to_owned(), at, reason }
            }
        })?;
        if regex.is_match("") {
            return Err(PatternError::Empty { index, pattern: pattern.to_owned() });
        }
        Ok(Self { label, regex })
    }

    fn found<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        self.regex.captures_iter(text).filter_map(|captures| {
            let group = captures.iter().skip(1).flatten().next().or_else(|| captures.get(0))?;
            (!group.is_empty()).then(|| group.range())
        })
    }
}

/// Splits `label = regex` into its two parts.
fn labelled(pattern: &str) -> Option<(String, &str)> {
    let (label, regex) = pattern.split_once(" = ")?;
    let good = !label.is_empty()
        && label.bytes().all(|byte| placeholder::is_label_byte(byte) && !byte.is_ascii_uppercase());
    good.then(|| (label.to_owned(), regex))
}

/// Extracts position (from 1) and reason from the parser's message, which marks the position with
/// `^`.
pub(super) fn place(message: &str) -> (usize, String) {
    let at = message.lines().find_map(|line| line.find('^').filter(|_| line.trim_start().starts_with('^')));
    let reason =
        message.lines().rev().find_map(|line| line.strip_prefix("error: ")).unwrap_or("it cannot be read");
    (at.map_or(1, |column| column.saturating_sub(3)), reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_pattern_is_refused_with_its_place() {
        let error =
            RedactionRules::default().with_extra(&["ok-\\d+".to_owned(), "ab(c".to_owned()]).unwrap_err();
        let PatternError::Syntax { index, at, .. } = &error else { panic!("{error:?}") };
        assert_eq!((*index, *at), (1, 3), "{error}");
        assert!(matches!(
            RedactionRules::default().with_extra(&["a*".to_owned()]),
            Err(PatternError::Empty { index: 0, .. })
        ));
        let large = "(a{1000}){1000}".to_owned();
        assert!(matches!(RedactionRules::default().with_extra(&[large]), Err(PatternError::TooLarge { .. })));
    }
}
