//! Counts the recognized and unrecognized records of a log.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Maximum number of line numbers stored per kind of damage; counting continues beyond it.
const MAX_LINES_PER_KIND: usize = 100;

/// Maximum number of unknown kinds counted by name; further ones are counted together.
const MAX_UNKNOWN_KINDS: usize = 50;

/// Maximum length of an unknown kind's name, in characters.
const MAX_NAME_CHARS: usize = 60;

/// Record counts of one reading, not of the whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordCounts {
    /// Number of records: lines that are not blank, or entries of a document or table.
    pub records: u64,
    /// Number of events.
    pub events: u64,
    /// Number of recognized records without events, or parts of records, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Number of unknown records, or parts of records, by kind.
    pub unknown: BTreeMap<String, u64>,
    /// Records that are invalid JSON or have an unexpected structure.
    pub bad: DamagedRecords,
    /// Records that exceed the size limit.
    pub oversized: DamagedRecords,
    /// Whether the last line or the document is incomplete.
    pub torn: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DamagedRecords {
    pub count: u64,
    /// Line numbers of the first hundred damaged records.
    pub lines: Vec<u64>,
}

impl DamagedRecords {
    pub(crate) fn at(&mut self, line: u64) {
        self.count += 1;
        if self.lines.len() < MAX_LINES_PER_KIND {
            self.lines.push(line);
        }
    }
}

impl RecordCounts {
    /// Returns the number of records, or parts of records, that were not recognized.
    pub fn not_understood(&self) -> u64 {
        self.unknown.values().sum::<u64>() + self.bad.count + self.oversized.count
    }

    /// Returns whether more than half of the records were not recognized, so that the reading
    /// counts as failed.
    pub fn is_mostly_unknown(&self) -> bool {
        self.not_understood().saturating_mul(2) > self.records.max(1)
    }

    pub(crate) fn unknown(&mut self, kind: &str) {
        let mut name: String =
            kind.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_NAME_CHARS).collect();
        if name.trim().is_empty() {
            "(no kind)".clone_into(&mut name);
        }
        if self.unknown.len() >= MAX_UNKNOWN_KINDS && !self.unknown.contains_key(&name) {
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
        let mut tally = RecordCounts { records: 4, ..RecordCounts::default() };
        assert!(!tally.is_mostly_unknown());
        tally.unknown("new");
        tally.bad.at(2);
        assert!(!tally.is_mostly_unknown());
        tally.oversized.at(3);
        assert!(tally.is_mostly_unknown());
    }

    #[test]
    fn names_and_lines_are_bounded_and_counts_are_not() {
        let mut tally = RecordCounts::default();
        for n in 0..1000 {
            tally.unknown(&format!("{n}{}", "x".repeat(1000)));
            tally.bad.at(n);
        }
        assert_eq!(tally.unknown.len(), MAX_UNKNOWN_KINDS + 1);
        assert_eq!(tally.unknown.values().sum::<u64>(), 1000);
        assert!(tally.unknown.keys().all(|name| name.len() <= MAX_NAME_CHARS));
        assert_eq!((tally.bad.count, tally.bad.lines.len()), (1000, MAX_LINES_PER_KIND));
    }
}
