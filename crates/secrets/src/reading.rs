//! Other readings of a text, in which a secret could hide: encoded (base64, hexadecimal digits, URL encoding, escapes),
//! or split by markup, quotation marks and characters that nobody sees.
//!
//! A reading knows which bytes of the text each of its own came from. The work is bounded in depth and size.

mod encoded;
mod escaped;
mod split;

use std::ops::Range;

pub use encoded::of_base64;

/// The greatest depth: base64 within base64 within URL encoding.
pub const DEPTH: usize = 3;

/// A text as it reads in another way.
pub struct Reading {
    /// What it says.
    pub text: String,
    origin: Origin,
    /// Whether only tokens that are told by their own form count: names beside values may have been joined by chance.
    pub is_joined: bool,
}

/// Where the bytes of a reading come from.
enum Origin {
    /// All of them from this place, which is a secret as a whole if the reading holds one.
    Whole(Range<usize>),
    /// Piece by piece, in order.
    Pieces(Vec<Piece>),
}

/// A stretch of a reading: bytes as they are in the text, or one character that was written in another way.
struct Piece {
    /// Where it begins in the reading.
    at: usize,
    /// The bytes of the text that it stands for.
    from: Range<usize>,
    is_copy: bool,
}

impl Reading {
    /// The bytes of the text that a range of the reading stands for. `None` where the text says the same there without a
    /// change, of a reading that joins what was split.
    pub fn in_text(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let pieces = match &self.origin {
            Origin::Whole(whole) => return Some(whole.clone()),
            Origin::Pieces(pieces) => pieces,
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

/// The other readings of a text. `budget` is how many bytes may still be decoded, and is used up.
pub fn readings(text: &str, budget: &mut usize) -> Vec<Reading> {
    let mut readings = encoded::readings(text, budget);
    readings.extend(escaped::reading(text, budget));
    readings.extend(split::reading(text, budget));
    readings
}

/// Builds a reading piece by piece.
struct Builder<'t> {
    text: &'t str,
    said: String,
    pieces: Vec<Piece>,
    /// Up to here the text was taken over.
    until: usize,
}

impl<'t> Builder<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, said: String::new(), pieces: Vec::new(), until: 0 }
    }

    /// Takes the bytes of the text in `range` as `said`, which may be empty, and those before it as they are.
    fn replace(&mut self, range: Range<usize>, said: &str) {
        self.copy_to(range.start);
        if !said.is_empty() {
            self.pieces.push(Piece { at: self.said.len(), from: range.clone(), is_copy: false });
            self.said.push_str(said);
        }
        self.until = range.end;
    }

    fn copy_to(&mut self, end: usize) {
        if self.until < end {
            self.pieces.push(Piece { at: self.said.len(), from: self.until..end, is_copy: true });
            self.said.push_str(&self.text[self.until..end]);
        }
    }

    /// The reading, unless nothing was replaced or it is larger than what may still be decoded.
    fn finish(mut self, budget: &mut usize, is_joined: bool) -> Option<Reading> {
        if self.until == 0 || self.text.len() > *budget {
            return None;
        }
        self.copy_to(self.text.len());
        *budget -= self.text.len();
        Some(Reading { text: self.said, origin: Origin::Pieces(self.pieces), is_joined })
    }
}
