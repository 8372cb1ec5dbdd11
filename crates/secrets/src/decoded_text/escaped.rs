//! Decodes URL encoding, HTML character references, and the escapes `\u0041` and `\x41`.

use super::super::randomness::{self, ALNUM, ANY_HEX, DIGIT};
use super::{DecodedText, DecodedTextBuilder};

/// Returns the reading; `None` if the text has no escapes.
pub fn reading(text: &str, budget: &mut usize) -> Option<DecodedText> {
    let bytes = text.as_bytes();
    let mut builder = DecodedTextBuilder::of(text);
    let mut next = 0;
    for at in memchr::memchr3_iter(b'%', b'&', b'\\', bytes) {
        if at < next {
            continue;
        }
        if let Some((length, c)) = escape(&bytes[at..]) {
            let mut buffer = [0; 4];
            builder.replace(at..at + length, c.encode_utf8(&mut buffer));
            next = at + length;
        }
    }
    builder.finish(budget, false)
}

/// Returns the length of the escape at the start, and its ASCII character.
fn escape(bytes: &[u8]) -> Option<(usize, char)> {
    let hex = |from: usize, length: usize| {
        let digits = bytes
            .get(from..from + length)
            .filter(|digits| digits.iter().all(|b| randomness::is(*b, ANY_HEX)))?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let (length, code) = match bytes {
        [b'%', ..] => (3, hex(1, 2)?),
        [b'\\', b'u', ..] => (6, hex(2, 4)?),
        [b'\\', b'x', ..] => (4, hex(2, 2)?),
        [b'&', b'#', b'x' | b'X', ..] => {
            let digits = randomness::run(&bytes[3..], ANY_HEX, 5);
            (closed(bytes, 3 + digits)?, hex(3, digits)?)
        }
        [b'&', b'#', ..] => {
            let digits = randomness::run(&bytes[2..], DIGIT, 5);
            (closed(bytes, 2 + digits)?, std::str::from_utf8(bytes.get(2..2 + digits)?).ok()?.parse().ok()?)
        }
        [b'&', ..] => {
            let name = randomness::run(&bytes[1..], ALNUM, 8);
            (closed(bytes, 1 + name)?, u32::from(named_character(bytes.get(1..1 + name)?)?))
        }
        _ => return None,
    };
    let c = char::from_u32(code).filter(|c| matches!(c, ' '..='~' | '\n' | '\t'))?;
    Some((length, c))
}

/// Length of a character reference with its `;` at `end`; `None` if there is none.
fn closed(bytes: &[u8], end: usize) -> Option<usize> {
    (bytes.get(end) == Some(&b';')).then_some(end + 1)
}

fn named_character(name: &[u8]) -> Option<char> {
    Some(match name {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        b"colon" => ':',
        b"equals" => '=',
        b"lowbar" => '_',
        b"commat" => '@',
        b"sol" => '/',
        b"period" => '.',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_places_are_retained() {
        let text = "é a%3Ab &#95;&lowbar; \\u0041\\x42 %zz %E9";
        let reading = reading(text, &mut 1000).unwrap();
        assert_eq!(reading.text, "é a:b __ AB %zz %E9");
        let at = reading.text.find("a:b").unwrap();
        assert_eq!(reading.in_text(&(at..at + 3)).map(|range| &text[range]), Some("a%3Ab"));
        assert_eq!(reading.in_text(&(at + 2..at + 3)).map(|range| &text[range]), Some("b"));
        assert!(super::reading("nothing of it & all\\n", &mut 1000).is_none());
    }
}
