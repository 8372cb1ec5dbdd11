//! Decoded readings of a text that may reveal secrets: encoded text (base64, hexadecimal, URL
//! encoding, escapes), and words split by markup, quotes or invisible characters.
//!
//! A reading maps its bytes to those of the text. Depth and size are limited.

mod encoded;
mod escaped;
mod split;

use std::ops::Range;

pub(crate) use encoded::of_base64;

/// Maximum nesting of encodings, such as base64 in base64 in URL encoding.
pub const MAX_ENCODING_DEPTH: usize = 3;

/// A decoded text with its origin.
pub struct DecodedText {
    pub text: String,
    origin: ByteOrigin,
    /// Whether only tokens with a recognizable format count, because names and values may be
    /// adjacent by chance.
    pub is_joined: bool,
}

/// Origin of the bytes of a reading.
enum ByteOrigin {
    /// All bytes come from this range; it is a secret as a whole if the reading contains one.
    Whole(Range<usize>),
    /// Bytes mapped piece by piece, in order.
    Pieces(Vec<OriginPiece>),
}

/// A piece of a reading: copied bytes of the text, or the replacement of a range.
struct OriginPiece {
    /// Offset in the reading.
    at: usize,
    /// Byte range in the text.
    from: Range<usize>,
    is_copy: bool,
}

impl DecodedText {
    /// Maps a range of the reading to the text. For a joined reading, returns `None` if the range
    /// is an unchanged copy.
    pub(crate) fn in_text(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let pieces = match &self.origin {
            ByteOrigin::Whole(whole) => return Some(whole.clone()),
            ByteOrigin::Pieces(pieces) => pieces,
        };
        let first = pieces.partition_point(|piece| piece.at <= range.start).checked_sub(1)?;
        let last = pieces.partition_point(|piece| piece.at < range.end).checked_sub(1)?;
        let (head, tail) = (pieces.get(first)?, pieces.get(last)?);
        if self.is_joined && first == last && head.is_copy {
            return None;
        }
        let start = head.from.start + if head.is_copy { range.start - head.at } else { 0 };
        let end = if tail.is_copy { tail.from.start + (range.end - tail.at) } else { tail.from.end };
        (start < end).then_some(start..end)
    }
}

/// Returns the readings of a text. Deducts the decoded bytes from `budget`.
pub fn readings(text: &str, budget: &mut usize) -> Vec<DecodedText> {
    let mut readings = encoded::readings(text, budget);
    readings.extend(escaped::reading(text, budget));
    readings.extend(split::reading(text, budget));
    readings
}

/// Builds a reading piece by piece.
struct DecodedTextBuilder<'t> {
    text: &'t str,
    decoded: String,
    pieces: Vec<OriginPiece>,
    /// Offset in the text up to which the reading is complete.
    until: usize,
}

impl<'t> DecodedTextBuilder<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, decoded: String::new(), pieces: Vec::new(), until: 0 }
    }

    /// Copies the text up to `range`, and appends the replacement for it, which may be empty.
    fn replace(&mut self, range: Range<usize>, replacement: &str) {
        self.copy_to(range.start);
        if !replacement.is_empty() {
            self.pieces.push(OriginPiece { at: self.decoded.len(), from: range.clone(), is_copy: false });
            self.decoded.push_str(replacement);
        }
        self.until = range.end;
    }

    fn copy_to(&mut self, end: usize) {
        if self.until < end {
            self.pieces.push(OriginPiece { at: self.decoded.len(), from: self.until..end, is_copy: true });
            self.decoded.push_str(&self.text[self.until..end]);
        }
    }

    /// Returns the reading; `None` if nothing was replaced or the text exceeds the budget.
    fn finish(mut self, budget: &mut usize, is_joined: bool) -> Option<DecodedText> {
        if self.until == 0 || self.text.len() > *budget {
            return None;
        }
        self.copy_to(self.text.len());
        *budget -= self.text.len();
        Some(DecodedText { text: self.decoded, origin: ByteOrigin::Pieces(self.pieces), is_joined })
    }
}
