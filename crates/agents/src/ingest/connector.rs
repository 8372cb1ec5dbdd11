//! The trait that supports one agent.

use super::error::IngestError;
use super::locations::LogLocations;
use super::log_cursor::LogCursor;
use super::read_result::{IngestLimits, ReadResult};
use super::sink::EventSink;
use super::source::{FoundLogs, LogSource};

/// Support for one agent: finds its logs and parses them.
pub trait Connector: Sync {
    /// Adds the agent's logs in these places.
    fn find(&self, places: &LogLocations, found: &mut FoundLogs);

    /// Emits the events of a log since `cursor`.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read at all. Problems within it are counted instead.
    fn read(
        &self,
        source: &LogSource,
        cursor: Option<&LogCursor>,
        limits: IngestLimits,
        sink: &mut dyn EventSink,
    ) -> Result<ReadResult, IngestError>;
}
