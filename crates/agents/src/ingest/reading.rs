//! Limits and results of reading a log.

use super::position::Cursor;
use super::tally::Tally;

/// Limits for foreign data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of a record in bytes: a line, an entry of a document, or a value of a table.
    /// Longer ones are skipped.
    pub record: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { record: 16 << 20 }
    }
}

/// Where a reading started, relative to the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The log has not changed; only its metadata was read.
    Unchanged,
    /// The reading continued at the previous position.
    Continued,
    /// The log was read from its beginning: for the first time, or because its content was
    /// replaced.
    FromStart,
}

/// Result of reading a log.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Start of the next reading; store it after the events.
    pub cursor: Cursor,
    /// Counts of recognized and unrecognized records.
    pub tally: Tally,
    pub progress: Progress,
}
