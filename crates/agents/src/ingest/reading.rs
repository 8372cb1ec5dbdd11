//! What came of reading a log.

use super::position::Cursor;
use super::tally::Tally;

/// Bounds on what foreign data may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest record in bytes: a line, an entry of a document, a value of a table. A longer one costs itself only.
    pub record: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { record: 16 << 20 }
    }
}

/// How a reading stood to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nothing was new; the log was not opened further than its stat.
    Unchanged,
    /// It was read on from where it stood.
    Continued,
    /// It was read from its beginning: for the first time, or because it is no longer what it was.
    FromStart,
}

/// What came of reading a log.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Where the next reading begins; to be kept once the events are.
    pub cursor: Cursor,
    /// What was understood.
    pub tally: Tally,
    /// How it stood to the one before.
    pub progress: Progress,
}
