//! Logs of lines: reads one line at a time, starting where the last run ended.
//!
//! A line over the limit is counted and skipped without being loaded. A last line without a line
//! break is used only if it is a complete JSON object, because nothing written later can belong to
//! it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::error::Error;
use super::mend::mended;
use super::object;
use super::out::Out;
use super::position::{Cursor, Position, Seal, Stamp};
use super::reading::{Limits, Progress, Reading};
use super::sink::Sink;
use super::source::Source;
use cm_session::Meta;

/// Read buffer size in bytes.
pub const PIECE: usize = 256 << 10;

/// Capacity in bytes above which the line buffer is freed.
const ROOMY: usize = 4 << 20;

/// A format in which every line produces its events immediately. The value is the parser state,
/// which is stored between runs.
pub trait Lines: Default + Serialize + DeserializeOwned {
    /// Starts the session with the metadata from the log's path and surrounding files.
    fn begin(source: &Source, out: &mut Out<'_>);

    /// Emits the events of a line. An error means that the line is not a record; no event was
    /// emitted then.
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> serde_json::Result<()>;
}

/// Result of reading from a [`Feed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fed {
    /// A line; [`Feed::bytes`] returns it without surrounding whitespace.
    Line {
        /// Line number, from 1.
        line: u64,
        /// Byte offset of the line.
        start: u64,
    },
    /// The rest of a line whose beginning was used as a complete line before.
    Rest(u64),
    /// Number of a line that exceeds the limit.
    Oversized(u64),
    /// Bytes after the last line break, available in [`Feed::bytes`]; the position is still before
    /// them.
    Unended,
    /// End of the stream.
    End,
}

/// Reads lines from a stream.
pub struct Feed<'i, R: ?Sized> {
    input: &'i mut R,
    pub position: Position,
    limit: usize,
    buffer: Vec<u8>,
}

impl<'i, R: BufRead + ?Sized> Feed<'i, R> {
    /// Reads from `input`, which must be at `position`.
    pub fn new(input: &'i mut R, position: Position, limits: Limits) -> Self {
        Self { input, position, limit: limits.record, buffer: Vec::new() }
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
    pub fn next(&mut self) -> io::Result<Fed> {
        loop {
            let fed = self.next_raw()?;
            if matches!(fed, Fed::Line { .. }) && self.bytes().is_empty() {
                continue;
            }
            return Ok(fed);
        }
    }

    /// Reads the next line, blank or not.
    pub fn next_raw(&mut self) -> io::Result<Fed> {
        loop {
            if self.buffer.capacity() > ROOMY {
                self.buffer = Vec::new();
            }
            self.buffer.clear();
            let most = self.limit as u64 + 1;
            let read = (&mut *self.input).take(most).read_until(b'\n', &mut self.buffer)? as u64;
            if read == 0 {
                return Ok(Fed::End);
            }
            let ended = self.buffer.last() == Some(&b'\n');
            if !ended && read == most {
                return self.pass_over(read);
            }
            if !ended {
                return Ok(Fed::Unended);
            }
            let start = self.position.offset;
            self.position.offset += read;
            if std::mem::take(&mut self.position.unended) {
                if self.buffer.trim_ascii().is_empty() {
                    continue;
                }
                return Ok(Fed::Rest(self.position.line));
            }
            self.position.line += 1;
            return Ok(Fed::Line { line: self.position.line, start });
        }
    }

    /// Skips to the end of a line over the limit. If its line break is missing, the position stays
    /// before the line.
    fn pass_over(&mut self, mut length: u64) -> io::Result<Fed> {
        loop {
            let piece = self.input.fill_buf()?;
            if piece.is_empty() {
                self.buffer.clear();
                return Ok(Fed::Unended);
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
                return Ok(Fed::Oversized(self.position.line));
            }
        }
    }

    /// Like [`Feed::take_unended`], and also returns the byte offset of the line.
    pub fn take_unended_at(&mut self) -> Option<(u64, u64)> {
        let start = self.position.offset;
        self.take_unended().map(|line| (line, start))
    }

    /// Accepts the unended line if it is a complete JSON object, and returns its number.
    pub fn take_unended(&mut self) -> Option<u64> {
        if self.position.unended || !self.bytes().starts_with(b"{") || !self.bytes().ends_with(b"}") {
            return None;
        }
        let mended = mended(self.bytes());
        serde_json::from_slice::<IgnoredAny>(mended.as_deref().unwrap_or(self.bytes())).ok()?;
        self.position.offset += self.buffer.len() as u64;
        self.position.line += 1;
        self.position.unended = true;
        Some(self.position.line)
    }
}

/// Emits the events of a stream from `position` on, and returns the position after the last line.
pub fn tell<F: Lines, R: BufRead + ?Sized>(
    input: &mut R,
    position: Position,
    format: &mut F,
    limits: Limits,
    out: &mut Out<'_>,
) -> io::Result<Position> {
    let mut feed = Feed::new(input, position, limits);
    loop {
        match feed.next()? {
            Fed::Line { line, .. } => tell_one(line, feed.bytes(), format, out),
            Fed::Rest(line) => {
                out.record(line);
                out.bad();
            }
            Fed::Oversized(line) => {
                out.record(line);
                out.oversized();
            }
            Fed::Unended => {
                match feed.take_unended() {
                    Some(line) => tell_one(line, feed.bytes(), format, out),
                    None => out.torn(),
                }
                return Ok(feed.position);
            }
            Fed::End => return Ok(feed.position),
        }
    }
}

fn tell_one<F: Lines>(line: u64, bytes: &[u8], format: &mut F, out: &mut Out<'_>) {
    out.record(line);
    object::tell(bytes, out, |bytes, out| format.line(bytes, out));
}

/// Reads a file of lines, continuing at `cursor` if the file still begins with the same content.
pub fn read_file<F: Lines>(
    source: &Source,
    cursor: Option<&Cursor>,
    limits: Limits,
    sink: &mut dyn Sink,
) -> Result<Reading, Error> {
    let mut file = File::open(&source.path).map_err(Error::io(&source.path))?;
    read_opened::<F>(&mut file, source, cursor, limits, sink).map_err(Error::io(&source.path))
}

fn read_opened<F: Lines>(
    file: &mut File,
    source: &Source,
    cursor: Option<&Cursor>,
    limits: Limits,
    sink: &mut dyn Sink,
) -> io::Result<Reading> {
    let stamp = Stamp::of(&file.metadata()?);
    if let Some(reading) = unchanged(cursor, stamp, &[]) {
        return Ok(reading);
    }
    let mut out = Out::new(sink);
    let kept = cursor.and_then(|cursor| resumable::<F>(file, stamp, cursor));
    let (position, mut format, progress) = match kept {
        Some((cursor, format)) => {
            if let Some(session) = &cursor.session {
                out.resume(session.clone());
            }
            (cursor.position, format, Progress::Continued)
        }
        None => {
            F::begin(source, &mut out);
            (Position::default(), F::default(), Progress::FromStart)
        }
    };
    file.seek(SeekFrom::Start(position.offset))?;
    let position =
        tell(&mut BufReader::with_capacity(PIECE, &mut *file), position, &mut format, limits, &mut out)?;
    let (tally, session) = out.finish();
    let seal = Some(Seal::of(file, position.offset)?);
    let state = serde_json::to_string(&format).map_err(io::Error::other)?;
    let cursor = Cursor { stamp, beside: Vec::new(), position, seal, state, session };
    Ok(Reading { cursor, tally, progress })
}

/// Returns the cursor and the parser state if the file still begins with the content that was read.
fn resumable<'c, F: DeserializeOwned>(
    file: &mut File,
    stamp: Stamp,
    cursor: &'c Cursor,
) -> Option<(&'c Cursor, F)> {
    let offset = cursor.position.offset;
    let same = stamp.size() >= offset && Seal::of(file, offset).ok() == cursor.seal;
    let format = serde_json::from_str(&cursor.state).ok().filter(|_| same)?;
    cursor.session.as_ref().map(|_| (cursor, format))
}

/// Returns the result for a log that is unchanged since `cursor`, else `None`.
pub fn unchanged(cursor: Option<&Cursor>, stamp: Stamp, beside: &[Stamp]) -> Option<Reading> {
    let cursor = cursor.filter(|cursor| cursor.stamp == stamp && cursor.beside == beside)?;
    Some(Reading { cursor: cursor.clone(), tally: Default::default(), progress: Progress::Unchanged })
}

/// Creates metadata from the source, with an id derived from the log's path until the log provides
/// its own.
pub fn meta_of(source: &Source) -> Meta {
    let path = source.path.to_string_lossy();
    let id = format!("path-{}", &blake3::hash(path.as_bytes()).to_hex()[..16]);
    let mut meta = Meta::new(source.agent, id.into());
    meta.workspace.clone_from(&source.workspace);
    meta.subagent = source.parent.is_some();
    meta.parent.clone_from(&source.parent);
    meta.title = source.title.as_deref().and_then(cm_session::title::of_line);
    meta
}
