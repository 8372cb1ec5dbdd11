//! Splits a text into words: lower-case and without accents, with punctuation and Chinese
//! characters as separate words.
//!
//! Each piece between blanks is processed separately, because most pieces are ASCII and need no
//! tables.

use unicode_normalization::UnicodeNormalization;

use super::class::{Class, class};

/// Passes each word of a text to `take` until that returns `false`. Returns whether all words were
/// taken.
pub fn each(text: &str, mut take: impl FnMut(&str) -> bool) -> bool {
    let mut words = Words { word: String::with_capacity(32), take: &mut take };
    // What an ASCII blank parts is parted for good: no accent reaches over it.
    let mut pieces = text.split([' ', '\t', '\n', '\r']).filter(|piece| !piece.is_empty());
    pieces.all(|piece| {
        let wants_more = if piece.is_ascii() { words.ascii(piece) } else { words.unicode(piece) };
        wants_more && words.end()
    })
}

/// The current word and the callback for complete words.
struct Words<'a, Take> {
    word: String,
    take: &'a mut Take,
}

impl<Take: FnMut(&str) -> bool> Words<'_, Take> {
    fn ascii(&mut self, piece: &str) -> bool {
        piece.bytes().all(|byte| {
            if byte.is_ascii_punctuation() {
                return self.alone(char::from(byte));
            }
            if !byte.is_ascii_control() {
                self.word.push(char::from(byte.to_ascii_lowercase()));
            }
            true
        })
    }

    fn unicode(&mut self, piece: &str) -> bool {
        let clean = piece
            .chars()
            .filter(|character| *character != '\u{FFFD}' && class(*character) != Class::Other)
            .map(|character| if character.is_whitespace() { ' ' } else { character });
        let spaced = clean.flat_map(|character| {
            let around = is_chinese(character).then_some(' ');
            around.into_iter().chain([character]).chain(around)
        });
        let bare = spaced.nfd().filter(|character| character.is_ascii() || class(*character) != Class::Mark);
        let mut lower = bare.flat_map(char::to_lowercase);
        lower.all(|character| self.character(character))
    }

    fn character(&mut self, character: char) -> bool {
        if character.is_whitespace() {
            return self.end();
        }
        if class(character) == Class::Punctuation {
            return self.alone(character);
        }
        self.word.push(character);
        true
    }

    /// Emits a character as a separate word.
    fn alone(&mut self, character: char) -> bool {
        self.end() && {
            self.word.push(character);
            self.end()
        }
    }

    fn end(&mut self) -> bool {
        let wants_more = self.word.is_empty() || (self.take)(&self.word);
        self.word.clear();
        wants_more
    }
}

/// Whether the reference tokenizer treats the character as Chinese.
fn is_chinese(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x2_0000..=0x2_A6DF
            | 0x2_A700..=0x2_B73F
            | 0x2_B740..=0x2_B81F
            | 0x2_B920..=0x2_CEAF
            | 0xF900..=0xFAFF
            | 0x2_F800..=0x2_FA1F
    )
}
