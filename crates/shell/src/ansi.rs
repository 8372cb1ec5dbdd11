//! Escape sequences of `$'…'`, `printf` and `echo -e`.

use super::scan::{after, split};

/// Returns the unescaped text before the closing apostrophe, and the number of bytes read,
/// including the apostrophe.
pub fn unescaped(text: &str) -> (String, usize) {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' => return (plain(split(text, at).0), at + 1),
            _ => {}
        }
    }
    (plain(text), text.len())
}

/// Replaces the escape sequences of a text. Bytes that are not UTF-8 become the replacement
/// character.
pub fn plain(text: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = split(rest, at);
        bytes.extend_from_slice(plain.as_bytes());
        rest = after(escape, 1);
        let Some(first) = rest.chars().next() else {
            bytes.push(b'\\');
            break;
        };
        let tail = after(rest, first.len_utf8());
        rest = match first {
            'n' => simple(&mut bytes, b'\n', tail),
            't' => simple(&mut bytes, b'\t', tail),
            'r' => simple(&mut bytes, b'\r', tail),
            'a' | 'b' | 'f' | 'v' | 'c' => tail,
            'e' | 'E' => simple(&mut bytes, 27, tail),
            'x' => coded(&mut bytes, tail, 16, 2),
            'u' | 'U' => coded(&mut bytes, tail, 16, if first == 'u' { 4 } else { 8 }),
            '0'..='7' => coded(&mut bytes, rest, 8, if first == '0' { 4 } else { 3 }),
            '\\' | '\'' | '"' | '?' => simple(&mut bytes, first as u8, tail),
            _ => {
                bytes.push(b'\\');
                rest
            }
        };
        if rest.len() > tail.len() && !first.is_ascii_digit() {
            bytes.extend_from_slice(first.encode_utf8(&mut [0; 4]).as_bytes());
            rest = tail;
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn simple<'t>(bytes: &mut Vec<u8>, byte: u8, tail: &'t str) -> &'t str {
    bytes.push(byte);
    tail
}

/// Appends the character with the number (in the given base, at most `most` digits) that begins the
/// text; returns the text after the number.
fn coded<'t>(bytes: &mut Vec<u8>, text: &'t str, base: u32, most: usize) -> &'t str {
    let length = text.chars().take(most).take_while(|digit| digit.is_digit(base)).count();
    let (digits, rest) = split(text, length);
    let Ok(number) = u32::from_str_radix(digits, base) else { return text };
    match u8::try_from(number) {
        Ok(byte) => bytes.push(byte),
        Err(_) => {
            let character = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    rest
}
