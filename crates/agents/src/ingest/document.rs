//! Streams JSON documents that are too large for memory, one member or list entry at a time.
//!
//! For a truncated document, all complete entries are returned.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};

use super::emitter::Emitter;
use super::error::IngestError;
use super::line_reader::{BUFFER_BYTES, unchanged};
use super::log_cursor::{LogCursor, LogStamp};
use super::read_result::{IngestLimits, ReadResult};
use super::sink::EventSink;
use super::source::LogSource;

/// A part of a document's top-level value.
#[derive(Debug, PartialEq, Eq)]
pub enum DocumentPart<'a> {
    /// Name and value of an object member.
    Member(&'a str, &'a [u8]),
    /// An entry of a list, with the list's name and the position from 1. The name is empty if the
    /// document itself is a list.
    Entry(&'a str, u64, &'a [u8]),
    /// A member or entry that exceeds the size limit.
    Oversized(&'a str, u64),
}

/// How parsing a document ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentEnd {
    /// The top-level value is complete.
    Complete,
    Truncated,
    /// The document is not valid JSON.
    Invalid,
}

enum ParseStop {
    Io(io::Error),
    End(DocumentEnd),
}

impl From<io::Error> for ParseStop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Parses a document. Members named in `into` with a list as value are passed on entry by entry.
pub fn walk<R: BufRead + ?Sized>(
    input: &mut R,
    into: &[&str],
    limits: IngestLimits,
    each: &mut dyn FnMut(DocumentPart<'_>),
) -> io::Result<DocumentEnd> {
    let mut walk =
        DocumentParser { input, limit: limits.max_record_bytes, value: Vec::new(), is_oversized: false };
    match walk.outermost(into, each) {
        Ok(()) => Ok(DocumentEnd::Complete),
        Err(ParseStop::End(end)) => Ok(end),
        Err(ParseStop::Io(error)) => Err(error),
    }
}

struct DocumentParser<'i, R: ?Sized> {
    input: &'i mut R,
    limit: usize,
    /// Bytes of the current value, up to the limit.
    value: Vec<u8>,
    is_oversized: bool,
}

impl<R: BufRead + ?Sized> DocumentParser<'_, R> {
    fn outermost(&mut self, into: &[&str], each: &mut dyn FnMut(DocumentPart<'_>)) -> Result<(), ParseStop> {
        while matches!(self.peek()?, 0xef | 0xbb | 0xbf) {
            self.input.consume(1);
        }
        match self.peek_token()? {
            b'[' => self.list("", each),
            b'{' => self.object(into, each),
            _ => Err(ParseStop::End(DocumentEnd::Invalid)),
        }
    }

    fn object(&mut self, into: &[&str], each: &mut dyn FnMut(DocumentPart<'_>)) -> Result<(), ParseStop> {
        self.input.consume(1);
        let mut ordinal = 0;
        loop {
            match self.peek_token()? {
                b'}' => {
                    self.input.consume(1);
                    return Ok(());
                }
                b',' => {
                    self.input.consume(1);
                    continue;
                }
                b'"' => {}
                _ => return Err(ParseStop::End(DocumentEnd::Invalid)),
            }
            self.value()?;
            let name: String = serde_json::from_slice(&self.value).unwrap_or_default();
            if self.peek_token()? != b':' {
                return Err(ParseStop::End(DocumentEnd::Invalid));
            }
            self.input.consume(1);
            if into.contains(&name.as_str()) && self.peek_token()? == b'[' {
                self.list(&name, each)?;
                continue;
            }
            ordinal += 1;
            self.value()?;
            each(if self.is_oversized {
                DocumentPart::Oversized(&name, ordinal)
            } else {
                DocumentPart::Member(&name, &self.value)
            });
        }
    }

    fn list(&mut self, name: &str, each: &mut dyn FnMut(DocumentPart<'_>)) -> Result<(), ParseStop> {
        self.input.consume(1);
        let mut ordinal = 0;
        loop {
            match self.peek_token()? {
                b']' => {
                    self.input.consume(1);
                    return Ok(());
                }
                b',' => {
                    self.input.consume(1);
                    continue;
                }
                _ => {}
            }
            ordinal += 1;
            self.value()?;
            each(if self.is_oversized {
                DocumentPart::Oversized(name, ordinal)
            } else {
                DocumentPart::Entry(name, ordinal, &self.value)
            });
        }
    }

    /// Reads the next value of any kind into `value`.
    fn value(&mut self) -> Result<(), ParseStop> {
        self.value.clear();
        self.is_oversized = false;
        let first = self.peek_token()?;
        if matches!(first, b',' | b':' | b']' | b'}') {
            return Err(ParseStop::End(DocumentEnd::Invalid));
        }
        let mut state = ValueState { depth: 0, text: false, escaped: false };
        let scalar = !matches!(first, b'{' | b'[' | b'"');
        loop {
            let piece = self.input.fill_buf()?;
            if piece.is_empty() {
                return Err(ParseStop::End(DocumentEnd::Truncated));
            }
            let end =
                piece.iter().position(|byte| if scalar { ends_scalar(*byte) } else { state.ends(*byte) });
            let used = match end {
                Some(end) if scalar => end,
                Some(end) => end + 1,
                None => piece.len(),
            };
            if self.value.len() + used > self.limit {
                self.is_oversized = true;
            } else if !self.is_oversized {
                self.value.extend(piece.iter().take(used));
            }
            self.input.consume(used);
            if end.is_some() {
                return Ok(());
            }
        }
    }

    fn peek(&mut self) -> Result<u8, ParseStop> {
        self.input.fill_buf()?.first().copied().ok_or(ParseStop::End(DocumentEnd::Truncated))
    }

    /// Skips whitespace and returns the next byte without consuming it.
    fn peek_token(&mut self) -> Result<u8, ParseStop> {
        loop {
            let byte = self.peek()?;
            if !byte.is_ascii_whitespace() {
                return Ok(byte);
            }
            self.input.consume(1);
        }
    }
}

fn ends_scalar(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}' | b':')
}

/// Parser state within a value.
struct ValueState {
    depth: usize,
    text: bool,
    escaped: bool,
}

impl ValueState {
    /// Returns whether this byte ends the value.
    fn ends(&mut self, byte: u8) -> bool {
        if self.text {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => {
                    self.text = false;
                    return self.depth == 0;
                }
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.text = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

/// A stream that can be parsed twice.
pub trait SeekableInput: BufRead + Seek {}

impl<T: BufRead + Seek> SeekableInput for T {}

/// Function that emits the events of a document in one format.
pub type DocumentEmitter =
    fn(&LogSource, &mut dyn SeekableInput, IngestLimits, &mut Emitter<'_>) -> io::Result<()>;

/// Reads a document, unless it is unchanged since `cursor`.
pub fn read_file(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
    emit: DocumentEmitter,
) -> Result<ReadResult, IngestError> {
    let path = &source.path;
    let file = File::open(path).map_err(IngestError::io(path))?;
    let stamp = LogStamp::of(&file.metadata().map_err(IngestError::io(path))?);
    if let Some(reading) = unchanged(cursor, stamp, &[]) {
        return Ok(reading);
    }
    let mut out = Emitter::new(sink);
    emit(source, &mut BufReader::with_capacity(BUFFER_BYTES, file), limits, &mut out)
        .map_err(IngestError::io(path))?;
    Ok(ReadResult::of_whole(out, stamp, Vec::new()))
}

/// Parses a document twice: first its members, then the entries of its lists, so that the metadata
/// is complete before the first event, wherever it is in the file.
pub fn members_then_entries(
    input: &mut dyn SeekableInput,
    list: &[&str],
    limits: IngestLimits,
    out: &mut Emitter<'_>,
    member: &mut dyn FnMut(&mut Emitter<'_>, &str, &[u8]),
    entry: &mut dyn FnMut(&mut Emitter<'_>, &str, &[u8]),
) -> io::Result<()> {
    walk(input, list, limits, &mut |part| {
        if let DocumentPart::Member(name, bytes) = part {
            member(out, name, bytes);
        }
    })?;
    input.seek(SeekFrom::Start(0))?;
    let end = walk(input, list, limits, &mut |part| match part {
        DocumentPart::Entry(name, ordinal, bytes) => {
            out.record(ordinal);
            entry(out, name, bytes);
        }
        DocumentPart::Oversized(_, ordinal) => {
            out.record(ordinal);
            out.count_oversized();
        }
        DocumentPart::Member(..) => {}
    })?;
    count_end(end, out);
    Ok(())
}

/// Records how a document ended in the tally.
pub fn count_end(end: DocumentEnd, out: &mut Emitter<'_>) {
    match end {
        DocumentEnd::Complete => {}
        DocumentEnd::Truncated => out.mark_truncated(),
        DocumentEnd::Invalid => {
            out.record(0);
            out.count_invalid();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(document: &[u8], piece: usize, limit: usize) -> (Vec<String>, DocumentEnd) {
        let mut parts = Vec::new();
        let mut input = BufReader::with_capacity(piece, document);
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let end = walk(&mut input, &["m"], IngestLimits { max_record_bytes: limit }, &mut |part| {
            parts.push(match part {
                DocumentPart::Member(name, bytes) => format!("{name}={}", show(bytes)),
                DocumentPart::Entry(name, ordinal, bytes) => format!("{name}[{ordinal}]={}", show(bytes)),
                DocumentPart::Oversized(name, ordinal) => format!("{name}[{ordinal}] too long"),
            });
        });
        (parts, end.unwrap())
    }

    #[test]
    fn members_and_entries_come_one_by_one() {
        let document = br#" {"a" : 1,"m":[{"x":"]}\""},"two", 3.5 ,null], "b":{"m":[1]}} "#;
        let expected =
            ["a=1", "m[1]={\"x\":\"]}\\\"\"}", "m[2]=\"two\"", "m[3]=3.5", "m[4]=null", "b={\"m\":[1]}"];
        for piece in [1, 2, 7, 1000] {
            assert_eq!(
                parts(document, piece, 1000),
                (expected.map(str::to_owned).to_vec(), DocumentEnd::Complete)
            );
        }
        assert_eq!(parts(br#"{"m":["long one",2]}"#, 3, 4).0, ["m[1] too long", "m[2]=2"]);
    }

    #[test]
    fn invalid_and_truncated_documents_are_distinguished() {
        for (document, end) in [
            ("", DocumentEnd::Truncated),
            ("hello", DocumentEnd::Invalid),
            ("[1,2", DocumentEnd::Truncated),
            ("[1,:", DocumentEnd::Invalid),
            ("{1:2}", DocumentEnd::Invalid),
            ("{\"a\" 1}", DocumentEnd::Invalid),
            ("[]", DocumentEnd::Complete),
            ("\u{feff}{}", DocumentEnd::Complete),
        ] {
            assert_eq!(parts(document.as_bytes(), 10, 100).1, end, "{document}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_walked_without_a_panic(bytes in prop::collection::vec(
            prop::sample::select(b"{}[]\",:\\ m1x\xef\n".to_vec()), 0..60)) {
            parts(&bytes, 5, 20);
        }
    }
}
