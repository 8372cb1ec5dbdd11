//! The vocabulary of the unigram tokenizer: pieces of words with scores.
//!
//! The pieces are sorted, so that they are found in the program file without building a table.

use std::ops::Range;

use super::super::Token;
use super::super::bytes::{WeightReader, floats};
use crate::Error;

/// Length of the longest piece in bytes; checked by a test.
pub const MAX_PIECE_BYTES: usize = 48;

/// Token of characters that no piece contains.
pub const UNKNOWN: Token = 0;
/// Token at the start of each text.
pub const BEGIN: Token = 1;
/// Token at the end of each text.
pub const END: Token = 2;
/// Number of the first token that is a piece.
pub const FIRST_PIECE: usize = 3;

/// Distance of an unknown character's score from the lowest score of a piece.
const UNKNOWN_PENALTY: f32 = 10.0;

/// The pieces of a vocabulary.
#[derive(Debug)]
pub struct Pieces {
    /// Concatenated pieces, sorted by their bytes after the three special tokens.
    bytes: &'static [u8],
    /// Position of each piece in `bytes`, and the total length.
    starts: Vec<u32>,
    /// Logarithm of each piece's probability.
    scores: Vec<f32>,
    unknown_score: f32,
}

impl Pieces {
    /// Reads a vocabulary: `CMP1`, the number of pieces, their lengths with 8 bits each, their
    /// scores as 32-bit floats, and their bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the file is too short or too long, or a score is not a number.
    pub fn read(mut file: WeightReader) -> Result<Self, Error> {
        if file.array()? != *b"CMP1" {
            return Err(file.damaged("its vocabulary does not start with CMP1".to_owned()));
        }
        let count = u32::from_le_bytes(file.array()?) as usize;
        if !(FIRST_PIECE..=usize::from(Token::MAX)).contains(&count) {
            return Err(file.damaged(format!("its vocabulary has {count} pieces")));
        }
        let lengths = file.take(count)?;
        let scores = floats(file.take(count * 4)?);
        if scores.iter().any(|score| !score.is_finite()) {
            return Err(file.damaged("a score is not a number".to_owned()));
        }
        let mut end = 0;
        let ends = lengths.iter().map(|length| {
            end += u32::from(*length);
            end
        });
        let starts: Vec<u32> = std::iter::once(0).chain(ends).collect();
        let bytes = file.take(end as usize)?;
        match file.rest().len() {
            0 => {}
            more => return Err(file.damaged(format!("{more} unexpected bytes after its vocabulary"))),
        }
        let lowest = scores.iter().copied().fold(f32::INFINITY, f32::min);
        Ok(Self { bytes, starts, scores, unknown_score: lowest - UNKNOWN_PENALTY })
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Returns the score of an unknown character.
    pub fn unknown_score(&self) -> f32 {
        self.unknown_score
    }

    /// Passes the length in bytes, the number and the score of each piece that `text` starts with to
    /// `take`, the shortest first.
    pub fn each_prefix(&self, text: &[u8], mut take: impl FnMut(usize, Token, f32)) {
        let mut range = FIRST_PIECE..self.len();
        for (at, byte) in text.iter().enumerate() {
            range = self.narrow(range, at, *byte);
            if range.is_empty() {
                return;
            }
            // The shortest of the pieces with the same start is the first.
            if self.piece(range.start).len() == at + 1 {
                take(at + 1, range.start as Token, self.scores[range.start]);
            }
        }
    }

    /// Returns those of some pieces with an equal start of `at` bytes that have `byte` next.
    fn narrow(&self, range: Range<usize>, at: usize, byte: u8) -> Range<usize> {
        let next = |piece: usize| self.piece(piece).get(at).copied();
        let first = partition(range.clone(), |piece| next(piece) < Some(byte));
        first..partition(first..range.end, |piece| next(piece) == Some(byte))
    }

    fn piece(&self, index: usize) -> &'static [u8] {
        &self.bytes[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Returns the text and the score of each token.
    #[cfg(test)]
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f32)> {
        (0..self.len()).map(|index| (std::str::from_utf8(self.piece(index)).unwrap(), self.scores[index]))
    }
}

/// Returns the first number of a range for which `before` is false; it must be true for all lower
/// ones and for no higher one.
fn partition(mut range: Range<usize>, before: impl Fn(usize) -> bool) -> usize {
    while !range.is_empty() {
        let middle = range.start + range.len() / 2;
        if before(middle) {
            range.start = middle + 1;
        } else {
            range.end = middle;
        }
    }
    range.start
}
