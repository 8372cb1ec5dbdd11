//! What of a log was understood, counted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The most line numbers that are kept of a kind of damage; the count goes on.
const MOST_LINES: usize = 100;

/// The most names of unknown kinds that are kept; the others are counted together.
const MOST_NAMES: usize = 50;

/// The longest name of an unknown kind, in characters.
const LONGEST_NAME: usize = 60;

/// What of a log was understood. Counts are of one reading, not of the whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Records that were looked at: lines that are not blank, or entries of a document or table.
    pub records: u64,
    /// Events that were told.
    pub events: u64,
    /// Understood records, or parts of them, that tell no event, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Records, or parts of them, of a kind that is not known, by its name.
    pub unknown: BTreeMap<String, u64>,
    /// Records that are no JSON, or not of the shape that a record has.
    pub bad: Damage,
    /// Records that are longer than the limit.
    pub oversized: Damage,
    /// Whether the last line was not whole and waits for the next run, or a document ended before its end.
    pub torn: bool,
}

/// Damaged records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// How many.
    pub count: u64,
    /// Where the first hundred are.
    pub lines: Vec<u64>,
}

impl Damage {
    pub(super) fn at(&mut self, line: u64) {
        self.count += 1;
        if self.lines.len() < MOST_LINES {
            self.lines.push(line);
        }
    }
}

impl Tally {
    /// How many records, or parts of them, were not understood.
    pub fn not_understood(&self) -> u64 {
        self.unknown.values().sum::<u64>() + self.bad.count + self.oversized.count
    }

    /// Whether so little was understood that the reading is no success: more than half of the records were not.
    pub fn is_mostly_unknown(&self) -> bool {
        self.not_understood().saturating_mul(2) > self.records.max(1)
    }

    pub(super) fn unknown(&mut self, kind: &str) {
        let mut name: String =
            kind.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_NAME).collect();
        if name.trim().is_empty() {
            "(no kind)".clone_into(&mut name);
        }
        if self.unknown.len() >= MOST_NAMES && !self.unknown.contains_key(&name) {
            "(others)".clone_into(&mut name);
        }
        *self.unknown.entry(name).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_which_more_than_half_is_not_understood_is_mostly_unknown() {
        let mut tally = Tally { records: 4, ..Tally::default() };
        assert!(!tally.is_mostly_unknown());
        tally.unknown("new");
        tally.bad.at(2);
        assert!(!tally.is_mostly_unknown());
        tally.oversized.at(3);
        assert!(tally.is_mostly_unknown());
    }

    #[test]
    fn names_and_lines_are_bounded_and_counts_are_not() {
        let mut tally = Tally::default();
        for n in 0..1000 {
            tally.unknown(&format!("{n}{}", "x".repeat(1000)));
            tally.bad.at(n);
        }
        assert_eq!(tally.unknown.len(), MOST_NAMES + 1);
        assert_eq!(tally.unknown.values().sum::<u64>(), 1000);
        assert!(tally.unknown.keys().all(|name| name.len() <= LONGEST_NAME));
        assert_eq!((tally.bad.count, tally.bad.lines.len()), (1000, MOST_LINES));
    }
}
