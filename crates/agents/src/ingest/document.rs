//! Streams JSON documents that are too large for memory, one member or list entry at a time.
//!
//! For a truncated document, all complete entries are returned.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};

use super::error::Error;
use super::lines::{PIECE, unchanged};
use super::out::Out;
use super::position::{Cursor, Stamp};
use super::reading::{Limits, Progress, Reading};
use super::sink::Sink;
use super::source::Source;

/// A part of a document's top-level value.
#[derive(Debug, PartialEq, Eq)]
pub enum Part<'a> {
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
pub enum End {
    /// The top-level value is complete.
    Whole,
    /// The document is truncated.
    Torn,
    /// The document is not valid JSON.
    Bad,
}

enum Stop {
    Io(io::Error),
    End(End),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Parses a document. Members named in `into` with a list as value are passed on entry by entry.
pub fn walk<R: BufRead + ?Sized>(
    input: &mut R,
    into: &[&str],
    limits: Limits,
    each: &mut dyn FnMut(Part<'_>),
) -> io::Result<End> {
    let mut walk = Walk { input, limit: limits.record, held: Vec::new(), over: false };
    match walk.outermost(into, each) {
        Ok(()) => Ok(End::Whole),
        Err(Stop::End(end)) => Ok(end),
        Err(Stop::Io(error)) => Err(error),
    }
}

struct Walk<'i, R: ?Sized> {
    input: &'i mut R,
    limit: usize,
    /// Bytes of the current value, up to the limit.
    held: Vec<u8>,
    over: bool,
}

impl<R: BufRead + ?Sized> Walk<'_, R> {
    fn outermost(&mut self, into: &[&str], each: &mut dyn FnMut(Part<'_>)) -> Result<(), Stop> {
        while matches!(self.peek()?, 0xef | 0xbb | 0xbf) {
            self.input.consume(1);
        }
        match self.peek_token()? {
            b'[' => self.list("", each),
            b'{' => self.object(into, each),
            _ => Err(Stop::End(End::Bad)),
        }
    }

    fn object(&mut self, into: &[&str], each: &mut dyn FnMut(Part<'_>)) -> Result<(), Stop> {
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
                _ => return Err(Stop::End(End::Bad)),
            }
            self.value()?;
            let name: String = serde_json::from_slice(&self.held).unwrap_or_default();
            if self.peek_token()? != b':' {
                return Err(Stop::End(End::Bad));
            }
            self.input.consume(1);
            if into.contains(&name.as_str()) && self.peek_token()? == b'[' {
                self.list(&name, each)?;
                continue;
            }
            ordinal += 1;
            self.value()?;
            each(if self.over { Part::Oversized(&name, ordinal) } else { Part::Member(&name, &self.held) });
        }
    }

    fn list(&mut self, name: &str, each: &mut dyn FnMut(Part<'_>)) -> Result<(), Stop> {
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
            each(if self.over {
                Part::Oversized(name, ordinal)
            } else {
                Part::Entry(name, ordinal, &self.held)
            });
        }
    }

    /// Reads the next value of any kind into `held`.
    fn value(&mut self) -> Result<(), Stop> {
        self.held.clear();
        self.over = false;
        let first = self.peek_token()?;
        if matches!(first, b',' | b':' | b']' | b'}') {
            return Err(Stop::End(End::Bad));
        }
        let mut state = Within { depth: 0, text: false, escaped: false };
        let scalar = !matches!(first, b'{' | b'[' | b'"');
        loop {
            let piece = self.input.fill_buf()?;
            if piece.is_empty() {
                return Err(Stop::End(End::Torn));
            }
            let end =
                piece.iter().position(|byte| if scalar { ends_scalar(*byte) } else { state.ends(*byte) });
            let used = match end {
                Some(end) if scalar => end,
                Some(end) => end + 1,
                None => piece.len(),
            };
            if self.held.len() + used > self.limit {
                self.over = true;
            } else if !self.over {
                self.held.extend_from_slice(&piece[..used]);
            }
            self.input.consume(used);
            if end.is_some() {
                return Ok(());
            }
        }
    }

    fn peek(&mut self) -> Result<u8, Stop> {
        self.input.fill_buf()?.first().copied().ok_or(Stop::End(End::Torn))
    }

    /// Skips whitespace and returns the next byte without consuming it.
    fn peek_token(&mut self) -> Result<u8, Stop> {
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
struct Within {
    depth: usize,
    text: bool,
    escaped: bool,
}

impl Within {
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
pub trait Input: BufRead + Seek {}

impl<T: BufRead + Seek> Input for T {}

/// Function that emits the events of a document in one format.
pub type Tell = fn(&Source, &mut dyn Input, Limits, &mut Out<'_>) -> io::Result<()>;

/// Reads a document, unless it is unchanged since `cursor`.
pub fn read_file(
    source: &Source,
    cursor: Option<&Cursor>,
    limits: Limits,
    sink: &mut dyn Sink,
    tell: Tell,
) -> Result<Reading, Error> {
    let path = &source.path;
    let file = File::open(path).map_err(Error::io(path))?;
    let stamp = Stamp::of(&file.metadata().map_err(Error::io(path))?);
    if let Some(reading) = unchanged(cursor, stamp, &[]) {
        return Ok(reading);
    }
    let mut out = Out::new(sink);
    tell(source, &mut BufReader::with_capacity(PIECE, file), limits, &mut out).map_err(Error::io(path))?;
    let (tally, _) = out.finish();
    let cursor = Cursor::of_whole(stamp, Vec::new(), String::new());
    Ok(Reading { cursor, tally, progress: Progress::FromStart })
}

/// Parses a document twice: first its members, then the entries of its lists, so that the metadata
/// is complete before the first event, wherever it is in the file.
pub fn members_then_entries(
    input: &mut dyn Input,
    list: &[&str],
    limits: Limits,
    out: &mut Out<'_>,
    member: &mut dyn FnMut(&mut Out<'_>, &str, &[u8]),
    entry: &mut dyn FnMut(&mut Out<'_>, &str, &[u8]),
) -> io::Result<()> {
    walk(input, list, limits, &mut |part| {
        if let Part::Member(name, bytes) = part {
            member(out, name, bytes);
        }
    })?;
    input.seek(SeekFrom::Start(0))?;
    let end = walk(input, list, limits, &mut |part| match part {
        Part::Entry(name, ordinal, bytes) => {
            out.record(ordinal);
            entry(out, name, bytes);
        }
        Part::Oversized(_, ordinal) => {
            out.record(ordinal);
            out.oversized();
        }
        Part::Member(..) => {}
    })?;
    ended(end, out);
    Ok(())
}

/// Records how a document ended in the tally.
pub fn ended(end: End, out: &mut Out<'_>) {
    match end {
        End::Whole => {}
        End::Torn => out.torn(),
        End::Bad => {
            out.record(0);
            out.bad();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(document: &[u8], piece: usize, limit: usize) -> (Vec<String>, End) {
        let mut parts = Vec::new();
        let mut input = BufReader::with_capacity(piece, document);
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let end = walk(&mut input, &["m"], Limits { record: limit }, &mut |part| {
            parts.push(match part {
                Part::Member(name, bytes) => format!("{name}={}", show(bytes)),
                Part::Entry(name, ordinal, bytes) => format!("{name}[{ordinal}]={}", show(bytes)),
                Part::Oversized(name, ordinal) => format!("{name}[{ordinal}] too long"),
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
            assert_eq!(parts(document, piece, 1000), (expected.map(str::to_owned).to_vec(), End::Whole));
        }
        assert_eq!(parts(br#"{"m":["long one",2]}"#, 3, 4).0, ["m[1] too long", "m[2]=2"]);
    }

    #[test]
    fn what_is_no_document_is_told_from_one_that_was_cut() {
        for (document, end) in [
            ("", End::Torn),
            ("hello", End::Bad),
            ("[1,2", End::Torn),
            ("[1,:", End::Bad),
            ("{1:2}", End::Bad),
            ("{\"a\" 1}", End::Bad),
            ("[]", End::Whole),
            ("\u{feff}{}", End::Whole),
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
