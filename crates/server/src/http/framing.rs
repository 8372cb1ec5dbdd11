//! Detects requests with ambiguous body length in the bytes of a connection, to prevent request
//! smuggling.
//!
//! The HTTP library merges repeated `Content-Length` headers and drops one of two framings before
//! handlers see the request, while a proxy may have used the other. Other malformed input is left
//! to the library.

/// Maximum length of an inspected line, in bytes; the library's limit is lower.
const MAX_LINE_BYTES: usize = 64 << 10;

/// State of the parser for one connection.
#[derive(Debug)]
pub struct Framing {
    state: FramingState,
    line: Vec<u8>,
    head: LengthHeaders,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FramingState {
    Head,
    /// Remaining bytes of a body or chunk.
    Body(u64),
    Chunk(u64),
    /// The line with the size of a chunk.
    Size,
    /// The line break after a chunk.
    ChunkEnd,
    Trailers,
    /// Inspection has stopped.
    Opaque,
}

/// Body length headers of the current request.
#[derive(Debug, Default)]
struct LengthHeaders {
    lines: usize,
    lengths: usize,
    codings: usize,
    length: u64,
}

impl Default for Framing {
    fn default() -> Self {
        Self { state: FramingState::Head, line: Vec::new(), head: LengthHeaders::default() }
    }
}

impl Framing {
    /// Inspects the next bytes; returns the index of the byte that ends an ambiguous header
    /// section, if there is one.
    pub fn follow(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            match self.state {
                FramingState::Opaque => return None,
                FramingState::Body(left) | FramingState::Chunk(left) => {
                    let taken = left.min((bytes.len() - at) as u64);
                    at += taken as usize;
                    self.state = match (self.state, left - taken) {
                        (FramingState::Body(_), 0) => FramingState::Head,
                        (FramingState::Body(_), left) => FramingState::Body(left),
                        (_, 0) => FramingState::ChunkEnd,
                        (_, left) => FramingState::Chunk(left),
                    };
                }
                _ => {
                    let byte = bytes[at];
                    if byte == b'\n' && !self.end_of_line() {
                        self.state = FramingState::Opaque;
                        return Some(at);
                    }
                    if byte != b'\n' {
                        self.line.push(byte);
                    }
                    if self.line.len() > MAX_LINE_BYTES {
                        self.state = FramingState::Opaque;
                    }
                    at += 1;
                }
            }
        }
        None
    }

    /// Processes a line; returns `false` at the end of an ambiguous header section.
    fn end_of_line(&mut self) -> bool {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_ascii();
        match self.state {
            FramingState::Head if line.is_empty() && self.head.lines > 0 => {
                let head = std::mem::take(&mut self.head);
                if head.lengths + head.codings > 1 {
                    return false;
                }
                self.state = match (head.codings, head.length) {
                    (1, _) => FramingState::Size,
                    (_, 0) => FramingState::Head,
                    (_, length) => FramingState::Body(length),
                };
            }
            FramingState::Head if line.is_empty() => {}
            FramingState::Head => self.head.take(line),
            FramingState::Size => {
                let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
                let size =
                    std::str::from_utf8(digits).ok().and_then(|text| u64::from_str_radix(text, 16).ok());
                self.state = match size {
                    Some(0) => FramingState::Trailers,
                    Some(size) => FramingState::Chunk(size),
                    None => FramingState::Opaque,
                };
            }
            FramingState::ChunkEnd => self.state = FramingState::Size,
            FramingState::Trailers if line.is_empty() => self.state = FramingState::Head,
            _ => {}
        }
        true
    }
}

impl LengthHeaders {
    fn take(&mut self, line: &[u8]) {
        self.lines += 1;
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return };
        let (name, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.codings += 1;
        }
        if name.eq_ignore_ascii_case(b"content-length") {
            // A list of lengths is one length more than once.
            self.lengths += value.split(|byte| *byte == b',').count();
            self.length = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_ambiguous(bytes: &[u8], piece: usize) -> bool {
        let mut framing = Framing::default();
        bytes.chunks(piece).any(|bytes| framing.follow(bytes).is_some())
    }

    #[test]
    fn a_length_in_more_than_one_way_is_found_wherever_it_stands() {
        let begin = "POST / HTTP/1.1\r\nHost: a\r\n";
        for (head, ambiguous) in [
            ("Content-Length: 2\r\n\r\n{}", false),
            ("Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", false),
            ("\r\n", false),
            ("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", true),
            ("transfer-encoding: chunked\r\nCONTENT-LENGTH: 2\r\n\r\n", true),
            ("Content-Length: 2\r\nContent-Length: 2\r\n\r\n", true),
            ("Content-Length: 2, 2\r\n\r\n", true),
            ("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", true),
            ("X-Note: Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", false),
        ] {
            let one = format!("{begin}{head}");
            for piece in [1, 7, 4096] {
                assert_eq!(is_ambiguous(one.as_bytes(), piece), ambiguous, "{head:?}");
                // The same behind a request with a body that looks like a head.
                let body = "Content-Length: 1\r\nContent-Length: 2\r\n\r\n";
                let first = format!("{begin}Content-Length: {}\r\n\r\n{body}", body.len());
                let chunked = format!(
                    "{begin}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\nTrailer: x\r\n\r\n",
                    body.len()
                );
                for before in [first, chunked] {
                    let both = format!("{before}{one}");
                    assert_eq!(is_ambiguous(both.as_bytes(), piece), ambiguous, "{both:?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_followed(bytes in prop::collection::vec(any::<u8>(), 0..300), piece in 1_usize..50) {
            is_ambiguous(&bytes, piece);
        }
    }
}
