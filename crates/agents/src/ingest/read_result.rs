//! Limits and results of reading a log.

use super::emitter::Emitter;
use super::log_cursor::{LogCursor, LogStamp};
use super::tally::RecordCounts;

/// Limits for foreign data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IngestLimits {
    /// Maximum size of a record in bytes: a line, an entry of a document, or a value of a table.
    /// Longer ones are skipped.
    pub max_record_bytes: usize,
}

impl Default for IngestLimits {
    fn default() -> Self {
        Self { max_record_bytes: 16 << 20 }
    }
}

/// Where a reading started, relative to the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadStart {
    /// The log has not changed; only its metadata was read.
    Unchanged,
    /// The reading continued at the previous position.
    Continued,
    /// The log was read from its beginning: for the first time, or because its content was
    /// replaced.
    FromStart,
}

#[derive(Debug, Clone)]
pub struct ReadResult {
    /// Start of the next reading; store it after the events.
    pub cursor: LogCursor,
    /// Counts of recognized and unrecognized records.
    pub tally: RecordCounts,
    pub progress: ReadStart,
}

impl ReadResult {
    /// Ends the reading of a log that is always read completely. `companions` are the stamps of
    /// files that change with it.
    pub(crate) fn of_whole(out: Emitter<'_>, stamp: LogStamp, companions: Vec<LogStamp>) -> Self {
        let (tally, _) = out.finish();
        let cursor = LogCursor::of_whole(stamp, companions, String::new());
        Self { cursor, tally, progress: ReadStart::FromStart }
    }
}
