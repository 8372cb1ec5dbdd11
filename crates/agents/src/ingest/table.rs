//! Finds and reads the logs of all agents.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use super::document;
use super::emitter::Emitter;
use super::error::IngestError;
use super::locations::LogLocations;
use super::log_cursor::LogCursor;
use super::read_result::{IngestLimits, ReadResult};
use super::sink::EventSink;
use super::source::{FoundLogs, LogFormat, LogSource};
use super::tally::RecordCounts;
use super::uploaded::UploadParser;
use crate::agents::connector::LogReader;
use crate::agents::support;
use cm_session::Agent;

/// Returns the logs of these agents without duplicates, ordered by path.
pub fn find(agents: &[Agent], places: &LogLocations) -> FoundLogs {
    let mut found = FoundLogs::default();
    for agent in agents {
        support(*agent).logs.find(places, &mut found);
    }
    // A pipe would be waited for, and a device never ends.
    found.sources.retain(|source| is_log(&source.path));
    found.sources.sort_by(|a, b| a.path.cmp(&b.path).then(a.agent.cmp(&b.agent)));
    found.sources.dedup_by(|a, b| a.path == b.path && a.agent == b.agent);
    found
}

/// Returns whether a path can be a log: a regular file, or a missing file that stands for several
/// others.
fn is_log(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |stat| stat.is_file())
}

fn reader_of(source: &LogSource) -> LogReader {
    match source.format {
        // In our own form, whichever agent's session it is.
        LogFormat::SentLines => LogReader::lines::<UploadParser>(),
        format => support(source.agent).logs.reader(format),
    }
}

/// Emits the events of a log since `cursor`.
///
/// # Errors
/// Returns an error if the log cannot be read at all, or is not a regular file. Problems within it
/// are counted instead.
pub fn read(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> Result<ReadResult, IngestError> {
    if !is_log(&source.path) {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
        return Err(IngestError::io(&source.path)(error));
    }
    match reader_of(source) {
        LogReader::Document(emit) => document::read_file(source, cursor, limits, sink, emit),
        LogReader::Own { read, .. } => read(source, cursor, limits, sink),
    }
}

/// Emits the events in the last `most` bytes of a log of lines, after its first line, which may
/// describe the session. Other files are read whole if they are not longer; databases are left out.
/// Line numbers are those of the part that was read.
///
/// # Errors
/// Returns an error if the log cannot be read, or is not a regular file.
pub fn read_recent(source: &LogSource, most: u64, sink: &mut dyn EventSink) -> Result<(), IngestError> {
    let is_stream = matches!(reader_of(source), LogReader::Own { emit: Some(_), .. });
    let bytes = recent_bytes(&source.path, most, is_stream).map_err(IngestError::io(&source.path))?;
    read_bytes(source, &bytes, IngestLimits::default(), sink);
    Ok(())
}

/// Returns the first line and the last complete lines within `most` bytes; nothing of a longer file
/// that is no stream of lines.
fn recent_bytes(path: &Path, most: u64, is_stream: bool) -> io::Result<Vec<u8>> {
    if !is_log(path) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if length > most {
        if !is_stream {
            return Ok(bytes);
        }
        BufReader::new((&file).take(most)).read_until(b'\n', &mut bytes)?;
        file.seek(SeekFrom::Start(length - most))?;
        let mut rest = BufReader::new((&file).take(most));
        // The first of the last lines is usually cut.
        rest.read_until(b'\n', &mut Vec::new())?;
        rest.read_to_end(&mut bytes)?;
    } else {
        file.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Emits the events of a log that is held in memory. Does nothing for databases, archives, and
/// sessions that are stored in several files.
pub fn read_bytes(
    source: &LogSource,
    bytes: &[u8],
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> RecordCounts {
    let mut out = Emitter::new(sink);
    let emitted = match reader_of(source) {
        LogReader::Document(emit) => emit(source, &mut io::Cursor::new(bytes), limits, &mut out),
        LogReader::Own { emit: Some(emit), .. } => emit(source, bytes, limits, &mut out),
        LogReader::Own { emit: None, .. } => Ok(()),
    };
    if emitted.is_err() {
        // Bytes in memory refuse nothing; a compressed stream may.
        out.mark_truncated();
    }
    out.finish().0
}
