//! Which rules hold: the built-in ones, none, and the patterns that a vault adds.

use std::ops::Range;

use regex::{Regex, RegexBuilder};
use thiserror::Error;

use super::foreign::{Foreign, RuleError};
use super::placeholder;

/// What is looked for. The built-in rules cost nothing until a text is redacted for the first time.
#[derive(Debug, Clone)]
pub struct Rules {
    built_in: bool,
    extra: Vec<Pattern>,
    foreign: Vec<Foreign>,
}

/// A pattern of the vault's own.
#[derive(Debug, Clone)]
struct Pattern {
    label: String,
    regex: Regex,
}

/// Why a pattern of a vault cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PatternError {
    /// It is no regular expression.
    #[error(
        "redaction.extra[{index}] is no regular expression at character {at}: {reason}; \
         correct `{pattern}` or remove it"
    )]
    Syntax {
        /// Which of the list, from 0.
        index: usize,
        /// The pattern as it was given.
        pattern: String,
        /// Where in the pattern, in characters from 1.
        at: usize,
        /// What is wrong there.
        reason: String,
    },
    /// It grows beyond what may be spent on one pattern.
    #[error("redaction.extra[{index}] is too large: `{pattern}`; use smaller repetitions")]
    TooLarge {
        /// Which of the list, from 0.
        index: usize,
        /// The pattern as it was given.
        pattern: String,
    },
    /// It matches the empty text, and so everywhere.
    #[error(
        "redaction.extra[{index}] matches the empty text: `{pattern}`; let it need at least one character"
    )]
    Empty {
        /// Which of the list, from 0.
        index: usize,
        /// The pattern as it was given.
        pattern: String,
    },
}

impl Default for Rules {
    fn default() -> Self {
        Self { built_in: true, extra: Vec::new(), foreign: Vec::new() }
    }
}

impl Rules {
    /// No rules: `redaction.enabled = false`. A text passes as it is.
    #[must_use]
    pub fn none() -> Self {
        Self { built_in: false, extra: Vec::new(), foreign: Vec::new() }
    }

    /// Adds the patterns of `redaction.extra`. A pattern may have the form `label = regex` with a label of small
    /// letters, digits and dashes; otherwise its placeholder says `extra-1`, `extra-2`, …. Where a pattern has a group,
    /// the first one that takes part is removed, else the whole match.
    ///
    /// # Errors
    /// A pattern is no regular expression, matches the empty text, or grows too large.
    pub fn with_extra(mut self, patterns: &[String]) -> Result<Self, PatternError> {
        for (index, pattern) in patterns.iter().enumerate() {
            self.extra.push(Pattern::read(index, pattern)?);
        }
        Ok(self)
    }

    /// Adds the rules of a file as gitleaks reads it: `redaction.rules`.
    ///
    /// # Errors
    /// It is no such file, or a pattern in it cannot be used.
    pub fn with_file(mut self, text: &str) -> Result<Self, RuleError> {
        self.foreign.push(Foreign::parse(text)?);
        Ok(self)
    }

    /// How many patterns and rules of one's own hold.
    #[must_use]
    pub fn own(&self) -> usize {
        self.extra.len() + self.foreign.iter().map(Foreign::len).sum::<usize>()
    }

    /// Whether the built-in rules hold.
    #[must_use]
    pub fn built_in(&self) -> bool {
        self.built_in
    }

    /// What the vault's own patterns find, with their labels.
    pub(super) fn extra<'r>(&'r self, text: &str) -> Vec<(Range<usize>, &'r str)> {
        let mut found = Vec::new();
        for pattern in &self.extra {
            found.extend(pattern.found(text).map(|range| (range, pattern.label.as_str())));
        }
        found.extend(self.foreign.iter().flat_map(|file| file.found(text)));
        found
    }
}

impl Pattern {
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

/// `label = regex` in its two parts.
fn labelled(pattern: &str) -> Option<(String, &str)> {
    let (label, regex) = pattern.split_once(" = ")?;
    let good = !label.is_empty()
        && label.bytes().all(|byte| placeholder::is_label_byte(byte) && !byte.is_ascii_uppercase());
    good.then(|| (label.to_owned(), regex))
}

/// The place (from 1) and the reason in the words of the parser, which underlines the place with `^`.
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
        let error = Rules::default().with_extra(&["ok-\\d+".to_owned(), "ab(c".to_owned()]).unwrap_err();
        let PatternError::Syntax { index, at, .. } = &error else { panic!("{error:?}") };
        assert_eq!((*index, *at), (1, 3), "{error}");
        assert!(matches!(
            Rules::default().with_extra(&["a*".to_owned()]),
            Err(PatternError::Empty { index: 0, .. })
        ));
        let large = "(a{1000}){1000}".to_owned();
        assert!(matches!(Rules::default().with_extra(&[large]), Err(PatternError::TooLarge { .. })));
    }
}
