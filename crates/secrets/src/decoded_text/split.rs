//! Removes characters that split a visible word: invisible characters, emphasis, tags, Markdown
//! escapes, string concatenation. Normalizes letters in other shapes.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::super::randomness::{self, ALNUM, UNDERSCORE};
use super::{DecodedText, DecodedTextBuilder};

/// Maximum length of a tag, in bytes.
const MAX_TAG_BYTES: usize = 80;
/// Maximum gap between two concatenated strings, in bytes.
const MAX_GAP_BYTES: usize = 24;

/// Returns the reading; `None` if nothing splits a word.
pub fn reading(text: &str, budget: &mut usize) -> Option<DecodedText> {
    let bytes = text.as_bytes();
    let mut builder = DecodedTextBuilder::of(text);
    let mut at = 0;
    while at < bytes.len() {
        let (length, replacement) = match bytes[at] {
            b'*' | b'`' | b'~' | b'<' | b'\\' | b'"' | b'\'' => (parted(bytes, at), None),
            byte if byte < 0x80 => (0, None),
            _ => match text[at..].chars().next() {
                Some(c) => (c.len_utf8(), shape_of(c)),
                None => (0, None),
            },
        };
        let is_invisible = bytes[at] < 0x80 || text[at..].chars().next().is_some_and(is_invisible);
        match replacement {
            Some(replacement) => builder.replace(at..at + length, replacement.encode_utf8(&mut [0; 4])),
            None if length > 0 && is_invisible => builder.replace(at..at + length, ""),
            None => {}
        }
        at += length.max(1);
    }
    builder.finish(budget, true)
}

/// Length of the separator between two halves of a word here, or 0.
fn parted(bytes: &[u8], at: usize) -> usize {
    let length = match &bytes[at..] {
        [b'*', b'*', ..] | [b'~', b'~', ..] => 2,
        [b'*' | b'`', ..] => 1,
        [b'<', next, ..] if randomness::is(*next, randomness::LETTER) || matches!(next, b'/' | b'!') => {
            tag(&bytes[at..])
        }
        [b'\\', b'\n', ..] => 2 + blanks(&bytes[at + 2..]),
        [b'\\', b'_' | b'*' | b'-' | b'.' | b'~' | b'+' | b'=' | b'`', ..] => 1,
        [quote @ (b'"' | b'\''), rest @ ..] => joint(*quote, rest),
        _ => 0,
    };
    let part =
        ALNUM | UNDERSCORE | randomness::DASH | randomness::DOT | randomness::PLUS_SLASH | randomness::EQUALS;
    // Only between two halves; elsewhere it parts nothing.
    let after = bytes
        .get(at + length)
        .is_some_and(|byte| randomness::is(*byte, part) || *byte >= 0x80 || b"*<`\\".contains(byte));
    if after { length } else { 0 }
}

/// Length of a tag or comment, or 0.
fn tag(bytes: &[u8]) -> usize {
    let end = bytes.iter().take(MAX_TAG_BYTES).skip(1).position(|byte| matches!(byte, b'>' | b'<' | b'\n'));
    end.filter(|end| bytes.get(end + 1) == Some(&b'>')).map_or(0, |end| end + 2)
}

/// Length of `" + "` and the like after a quote, up to the end of the next such quote, or 0.
fn joint(quote: u8, rest: &[u8]) -> usize {
    let before = blanks(rest);
    let sign =
        rest[before..].iter().take(2).take_while(|byte| matches!(byte, b'+' | b'.' | b'&' | b'\\')).count();
    let gap = before + sign + blanks(&rest[before + sign..]);
    let joins = gap > 0 && gap <= MAX_GAP_BYTES && rest.get(gap) == Some(&quote);
    if joins { gap + 2 } else { 0 }
}

fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take(MAX_GAP_BYTES).take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Whether the character is invisible.
fn is_invisible(c: char) -> bool {
    const RANGES: [Range<u32>; 8] = [
        0xAD..0xAE,
        0x34F..0x350,
        0x180B..0x180F,
        0x200B..0x2010,
        0x202A..0x202F,
        0x2060..0x2070,
        0xFE00..0xFE10,
        0xFEFF..0xFF00,
    ];
    RANGES.iter().any(|range| range.contains(&u32::from(c))) || ('\u{E0000}'..='\u{E01EF}').contains(&c)
}

/// Returns the ASCII character with the same meaning as a full-width or mathematical one.
fn shape_of(c: char) -> Option<char> {
    if !('\u{FF01}'..='\u{FF5E}').contains(&c) && !('\u{1D400}'..='\u{1D7FF}').contains(&c) {
        return None;
    }
    let mut plain = std::iter::once(c).nfkc();
    let first = plain.next().filter(char::is_ascii_graphic)?;
    plain.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parts_a_word_is_left_out() {
        for text in [
            "x ab\u{200b}cd",
            "x ab**cd",
            "x ab<wbr>cd",
            "x ab<!-- y -->cd",
            "x ab\" + \"cd",
            "x ab' \n  'cd",
            "x ab\\\n  cd",
            "x ａｂcd",
        ] {
            let reading = reading(text, &mut 1000).unwrap();
            assert_eq!(reading.text, "x abcd", "{text}");
            assert!(reading.in_text(&(0..1)).is_none());
            assert_eq!(reading.in_text(&(2..6)).map(|range| &text[range]), Some(&text[2..]));
        }
        for text in ["plain words", "a, \"b\", \"c\"", "größer"] {
            assert!(reading(text, &mut 1000).is_none(), "{text}");
        }
    }
}
