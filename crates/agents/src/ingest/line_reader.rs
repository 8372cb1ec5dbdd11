//! Logs of lines: reads one line at a time, starting where the last run ended.
//!
//! A line over the limit is counted and skipped without being loaded. A last line without a line
//! break is used only if it is a complete JSON object, because nothing written later can belong to
//! it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::emitter::Emitter;
use super::error::IngestError;
use super::json_object;
use super::log_cursor::{ContentSeal, LinePosition, LogCursor, LogStamp};
use super::read_result::{IngestLimits, ReadResult, ReadStart};
use super::repair_json::repair;
use super::sink::EventSink;
use super::source::LogSource;

/// Read buffer size in bytes.
pub const BUFFER_BYTES: usize = 256 << 10;

/// Capacity in bytes above which the line buffer is freed.
const MAX_KEPT_CAPACITY: usize = 4 << 20;

/// A format in which every line produces its events immediately. The value is the parser state,
/// which is stored between runs.
pub trait LineFormat: Default + Serialize + DeserializeOwned {
    /// Starts the session with the metadata from the log's path and surrounding files.
    fn begin(source: &LogSource, out: &mut Emitter<'_>);

    /// Emits the events of a line. An error means that the line is not a record; no event was
    /// emitted then.
    fn line(&mut self, line: &[u8], out: &mut Emitter<'_>) -> serde_json::Result<()>;
}

/// Result of reading from a [`LineReader`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEvent {
    /// A line; [`LineReader::bytes`] returns it without surrounding whitespace.
    Line {
        /// Line number, from 1.
        line: u64,
        /// Byte offset of the line.
        start: u64,
    },
    /// Number of a line whose beginning was already read as a complete line; only its rest is new.
    LineRest(u64),
    /// Number of a line that exceeds the limit.
    Oversized(u64),
    /// Bytes after the last line break, available in [`LineReader::bytes`]; the position is still before
    /// them.
    Unterminated,
    End,
}

/// Reads lines from a stream.
pub struct LineReader<'i, R: ?Sized> {
    input: &'i mut R,
    pub position: LinePosition,
    limit: usize,
    buffer: Vec<u8>,
}

impl<'i, R: BufRead + ?Sized> LineReader<'i, R> {
    /// Reads from `input`, which must be at `position`.
    pub fn new(input: &'i mut R, position: LinePosition, limits: IngestLimits) -> Self {
        Self { input, position, limit: limits.max_record_bytes, buffer: Vec::new() }
    }

    /// Returns the current line without surrounding whitespace and byte order mark.
    pub fn bytes(&self) -> &[u8] {
        let bytes = self.buffer.trim_ascii();
        bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
    }

    /// Returns the bytes of the current line, including its line break.
    pub fn raw(&self) -> &[u8] {
        &self.buffer
    }

    /// Reads the next line that is not blank.
    pub fn next(&mut self) -> io::Result<LineEvent> {
        loop {
            let fed = self.next_raw()?;
            if matches!(fed, LineEvent::Line { .. }) && self.bytes().is_empty() {
                continue;
            }
            return Ok(fed);
        }
    }

    /// Reads the next line, blank or not.
    pub fn next_raw(&mut self) -> io::Result<LineEvent> {
        loop {
            if self.buffer.capacity() > MAX_KEPT_CAPACITY {
                self.buffer = Vec::new();
            }
            self.buffer.clear();
            let most = self.limit as u64 + 1;
            let read = (&mut *self.input).take(most).read_until(b'\n', &mut self.buffer)? as u64;
            if read == 0 {
                return Ok(LineEvent::End);
            }
            let ended = self.buffer.last() == Some(&b'\n');
            if !ended && read == most {
                return self.skip_line(read);
            }
            if !ended {
                return Ok(LineEvent::Unterminated);
            }
            let start = self.position.offset;
            self.position.offset += read;
            if std::mem::take(&mut self.position.unended) {
                if self.buffer.trim_ascii().is_empty() {
                    continue;
                }
                return Ok(LineEvent::LineRest(self.position.line));
            }
            self.position.line += 1;
            return Ok(LineEvent::Line { line: self.position.line, start });
        }
    }

    /// Skips to the end of a line over the limit. If its line break is missing, the position stays
    /// before the line.
    fn skip_line(&mut self, mut length: u64) -> io::Result<LineEvent> {
        loop {
            let piece = self.input.fill_buf()?;
            if piece.is_empty() {
                self.buffer.clear();
                return Ok(LineEvent::Unterminated);
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(piece.len(), |end| end + 1);
            self.input.consume(used);
            length += used as u64;
            if end.is_some() {
                self.position.offset += length;
                if !std::mem::take(&mut self.position.unended) {
                    self.position.line += 1;
                }
                return Ok(LineEvent::Oversized(self.position.line));
            }
        }
    }

    /// Like [`LineReader::take_unterminated`], and also returns the byte offset of the line.
    pub fn take_unended_at(&mut self) -> Option<(u64, u64)> {
        let start = self.position.offset;
        self.take_unterminated().map(|line| (line, start))
    }

    /// Accepts the unended line if it is a complete JSON object, and returns its number.
    pub fn take_unterminated(&mut self) -> Option<u64> {
        if self.position.unended || !self.bytes().starts_with(b"{") || !self.bytes().ends_with(b"}") {
            return None;
        }
        let mended = repair(self.bytes());
        serde_json::from_slice::<IgnoredAny>(mended.as_deref().unwrap_or(self.bytes())).ok()?;
        self.position.offset += self.buffer.len() as u64;
        self.position.line += 1;
        self.position.unended = true;
        Some(self.position.line)
    }
}

/// Emits the events of a stream from `position` on, and returns the position after the last line.
pub fn emit_lines<F: LineFormat, R: BufRead + ?Sized>(
    input: &mut R,
    position: LinePosition,
    format: &mut F,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<LinePosition> {
    let mut feed = LineReader::new(input, position, limits);
    loop {
        match feed.next()? {
            LineEvent::Line { line, .. } => emit_line(line, feed.bytes(), format, out),
            LineEvent::LineRest(line) => {
                out.record(line);
                out.count_invalid();
            }
            LineEvent::Oversized(line) => {
                out.record(line);
                out.count_oversized();
            }
            LineEvent::Unterminated => {
                match feed.take_unterminated() {
                    Some(line) => emit_line(line, feed.bytes(), format, out),
                    None => out.mark_truncated(),
                }
                return Ok(feed.position);
            }
            LineEvent::End => return Ok(feed.position),
        }
    }
}

/// Emits the events of a complete file of lines that is held in memory.
pub fn emit_bytes<F: LineFormat>(
    source: &LogSource,
    mut bytes: &[u8],
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    F::begin(source, out);
    emit_lines(&mut bytes, LinePosition::default(), &mut F::default(), limits, out).map(drop)
}

fn emit_line<F: LineFormat>(line: u64, bytes: &[u8], format: &mut F, out: &mut Emitter<'_>) {
    out.record(line);
    json_object::emit_object(bytes, out, |bytes, out| format.line(bytes, out));
}

/// Reads a file of lines, continuing at `cursor` if the file still begins with the same content.
pub fn read_file<F: LineFormat>(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> Result<ReadResult, IngestError> {
    let mut file = File::open(&source.path).map_err(IngestError::io(&source.path))?;
    read_opened::<F>(&mut file, source, cursor, limits, sink).map_err(IngestError::io(&source.path))
}

fn read_opened<F: LineFormat>(
    file: &mut File,
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> io::Result<ReadResult> {
    let stamp = LogStamp::of(&file.metadata()?);
    if let Some(reading) = unchanged(cursor, stamp, &[]) {
        return Ok(reading);
    }
    let mut out = Emitter::new(sink);
    let resumed = cursor.and_then(|cursor| resumable::<F>(file, stamp, cursor));
    let (position, mut format, progress) = match resumed {
        Some((cursor, format)) => {
            if let Some(session) = &cursor.session {
                out.resume(session.clone());
            }
            (cursor.position, format, ReadStart::Continued)
        }
        None => {
            F::begin(source, &mut out);
            (LinePosition::default(), F::default(), ReadStart::FromStart)
        }
    };
    file.seek(SeekFrom::Start(position.offset))?;
    let position = emit_lines(
        &mut BufReader::with_capacity(BUFFER_BYTES, &mut *file),
        position,
        &mut format,
        limits,
        &mut out,
    )?;
    let (tally, session) = out.finish();
    let seal = Some(ContentSeal::of(file, position.offset)?);
    let state = serde_json::to_string(&format).map_err(io::Error::other)?;
    let cursor = LogCursor { stamp, companions: Vec::new(), position, seal, state, session };
    Ok(ReadResult { cursor, tally, progress })
}

/// Returns the cursor and the parser state if the file still begins with the content that was read.
fn resumable<'c, F: DeserializeOwned>(
    file: &mut File,
    stamp: LogStamp,
    cursor: &'c LogCursor,
) -> Option<(&'c LogCursor, F)> {
    let offset = cursor.position.offset;
    let same = stamp.size() >= offset && ContentSeal::of(file, offset).ok() == cursor.seal;
    let format = serde_json::from_str(&cursor.state).ok().filter(|_| same)?;
    cursor.session.as_ref().map(|_| (cursor, format))
}

/// Returns the result for a log that is unchanged since `cursor`, else `None`.
pub fn unchanged(cursor: Option<&LogCursor>, stamp: LogStamp, companions: &[LogStamp]) -> Option<ReadResult> {
    let cursor = cursor.filter(|cursor| cursor.stamp == stamp && cursor.companions == companions)?;
    Some(ReadResult { cursor: cursor.clone(), tally: Default::default(), progress: ReadStart::Unchanged })
}
