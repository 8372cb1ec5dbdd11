//! Finds the bounds of literal values: between quotes with any escaping, or bare.

use super::randomness::{self, NAME};

/// Maximum length of a value, in bytes.
const MAX_VALUE_BYTES: usize = 32 * 1024;

/// Length of a string prefix before a quote: `@"`, `b'`, `f"`.
pub(crate) fn string_prefix(bytes: &[u8]) -> usize {
    let letters = bytes
        .iter()
        .take(2)
        .take_while(|byte| {
            matches!(byte, b'@' | b'b' | b'f' | b'r' | b'u' | b'B' | b'F' | b'R' | b'L' | b'$')
        })
        .count();
    if letters > 0 && matches!(bytes.get(letters), Some(b'"' | b'\'' | b'`')) { letters } else { 0 }
}

/// Length of the quote here with its escapes, or 0.
pub fn quotation(bytes: &[u8]) -> usize {
    let slashes = bytes.iter().take(8).take_while(|byte| **byte == b'\\').count();
    if let Some(b'"' | b'\'' | b'`') = bytes.get(slashes) {
        let tripled = slashes == 0 && bytes.len() > 2 && bytes[1] == bytes[0] && bytes[2] == bytes[0];
        return if tripled { 3 } else { slashes + 1 };
    }
    const WRITTEN: [&str; 6] = ["&quot;", "&#34;", "&#39;", "\\u0022", "%22", "%27"];
    WRITTEN.iter().find(|mark| bytes.starts_with(mark.as_bytes())).map_or(0, |mark| mark.len())
}

/// Returns the offset of the quote that closes `open`, or of the end of the line.
pub fn closing(bytes: &[u8], open: &[u8]) -> Option<usize> {
    let quote = open[open.len() - 1];
    let slashes = open.iter().take_while(|byte| **byte == b'\\').count();
    let plain = matches!(quote, b'"' | b'\'' | b'`');
    let mut at = 0;
    while at < bytes.len() && at < MAX_VALUE_BYTES {
        let byte = bytes[at];
        if byte == b'\n' {
            return Some(at);
        }
        if !plain && bytes[at..].starts_with(open) {
            return Some(at);
        }
        if plain && byte == quote {
            let escapes =
                bytes[..at].iter().rev().take(slashes.max(1) + 1).take_while(|byte| **byte == b'\\').count();
            if escapes <= slashes && (slashes > 0 || escapes == 0 || quote == b'`') {
                return Some(at - escapes);
            }
        }
        at += 1;
    }
    Some(at)
}

/// Length of a bare value: up to white space, a quote, an escape sequence, or a separator.
pub fn bare(bytes: &[u8], stop: u8) -> usize {
    let mut at = 0;
    while at < bytes.len() && at < MAX_VALUE_BYTES {
        let byte = bytes[at];
        let rest = &bytes[at + 1..];
        let ends = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'`' | 0x1b => true,
            b'\'' => rest.first().is_none_or(|next| !randomness::is(*next, randomness::ALNUM)),
            b'\\' => matches!(rest.first(), Some(b'n' | b'r' | b't' | b'"' | b'\\' | b'u')),
            b')' => rest.starts_with(b"]("),
            b'<' => rest.first() == Some(&b'/') || stop == b'<',
            b',' | b';' => parts(rest),
            b'&' => stop == b'&' || rest.starts_with(b"quot;") || parts(rest),
            b'%' => rest.starts_with(b"26") || rest.starts_with(b"22"),
            other => other == stop && stop != 0,
        };
        if ends {
            break;
        }
        at += 1;
    }
    while at > 0 && matches!(bytes[at - 1], b',' | b';' | b'.' | b':') {
        at -= 1;
    }
    trim_unopened(bytes, at)
}

/// Whether a comma or semicolon before this text is a separator: a name or nothing follows it.
fn parts(rest: &[u8]) -> bool {
    let word = randomness::run(rest, NAME | randomness::DASH | randomness::DOT, 40);
    match rest.get(word) {
        None => word == 0,
        Some(b'=' | b':') => word > 0,
        Some(byte) => word == 0 && (byte.is_ascii_whitespace() || *byte == b'\\' || *byte == b'"'),
    }
}

/// Excludes closing brackets at the end without an opening bracket in the value.
fn trim_unopened(bytes: &[u8], mut end: usize) -> usize {
    for (open, close) in [(b'(', b')'), (b'[', b']'), (b'{', b'}')] {
        let opened = bytes[..end].contains(&open);
        while end > 0 && bytes[end - 1] == close && !opened {
            end -= 1;
        }
    }
    end
}
