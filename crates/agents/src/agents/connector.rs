//! The trait with which an agent's logs are found and read.

use std::io;

use crate::ingest::document::DocumentEmitter;
use crate::ingest::emitter::Emitter;
use crate::ingest::error::IngestError;
use crate::ingest::line_reader::{self, LineFormat};
use crate::ingest::locations::LogLocations;
use crate::ingest::log_cursor::LogCursor;
use crate::ingest::read_result::{IngestLimits, ReadResult};
use crate::ingest::sink::EventSink;
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};

/// Finds an agent's logs and provides their readers.
pub trait Connector: Sync {
    /// Adds the agent's logs in these places.
    fn find(&self, places: &LogLocations, found: &mut FoundLogs);

    /// Returns the reader of a format of this agent.
    fn reader(&self, format: LogFormat) -> LogReader;
}

/// Reads a log from its file or database.
pub type LogFileReader =
    fn(&LogSource, Option<&LogCursor>, IngestLimits, &mut dyn EventSink) -> Result<ReadResult, IngestError>;

/// Emits the events of a log that is held in memory.
pub type BytesEmitter = fn(&LogSource, &[u8], IngestLimits, &mut Emitter<'_>) -> io::Result<()>;

pub enum LogReader {
    /// The log is one stream that is always read completely.
    Document(DocumentEmitter),
    /// The format has its own way to read. `emit` is `None` if the log is not a single stream.
    Own { read: LogFileReader, emit: Option<BytesEmitter> },
}

impl LogReader {
    /// Creates the reader of an append-only file of lines.
    pub fn lines<F: LineFormat>() -> Self {
        Self::Own { read: line_reader::read_file::<F>, emit: Some(line_reader::emit_bytes::<F>) }
    }
}
