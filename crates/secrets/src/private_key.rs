//! PEM private keys: `-----BEGIN … PRIVATE KEY-----` and the text after it, complete or truncated,
//! in a file or a string literal.

use std::ops::Range;

use super::placeholder;
use super::randomness::{self, BASE64};

/// Minimum number of base64 bytes in a key's body.
const MIN_BODY_BYTES: usize = 16;
/// Maximum length of a PEM marker in bytes, including its dashes.
const MAX_MARKER_BYTES: usize = 80;

/// Returns the key block with a marker (`-----BEGIN` or `-----END`) at `at`; truncated blocks end
/// where the base64 ends.
pub fn block(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let rest = text.get(at..text.floor_char_boundary(at + MAX_MARKER_BYTES))?;
    let begins = rest.starts_with("-----BEGIN");
    let name_end = rest[5..].find("-----").map(|end| at + 5 + end + 5);
    let name = &text[at..name_end.unwrap_or(at + rest.len())];
    if !name.contains("PRIVATE KEY") {
        return None;
    }
    if !begins {
        let start = back(bytes, at);
        return (solid(&bytes[start..at]) >= MIN_BODY_BYTES).then_some(start..name_end.unwrap_or(at));
    }
    let from = name_end.unwrap_or(at + name.len());
    let body = body(&bytes[from..]);
    let end = from + body;
    if solid(&bytes[from..end]) < MIN_BODY_BYTES || placeholder::length(&bytes[from..]) > 0 {
        return None;
    }
    let closes = bytes[end..].starts_with(b"-----END");
    let after = if closes {
        text[end + 8..]
            .find("-----")
            .filter(|dashes| *dashes < MAX_MARKER_BYTES)
            .map(|dashes| end + 8 + dashes + 5)
    } else {
        None
    };
    Some(at..after.unwrap_or(end))
}

/// Returns the private lines of a PuTTY key file; `hit` is `Private-Lines:`, which is followed by
/// their number.
pub(crate) fn putty(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    let rest = text[hit.end..].trim_start_matches(' ');
    let digits = randomness::run(rest.as_bytes(), randomness::DIGIT, 3);
    let count: usize = rest[..digits].parse().ok()?;
    let start = text.len() - rest.len() + digits;
    let start = start + text[start..].bytes().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let lines = text[start..].split_inclusive('\n').take(count);
    let is_body = |line: &&str| {
        let line = line.trim_end();
        !line.is_empty() && line.len() <= 80 && line.bytes().all(|byte| randomness::is(byte, BASE64))
    };
    let length: usize = lines.take_while(is_body).map(str::len).sum();
    let body = text[start..start + length].trim_end().len();
    (body >= MIN_BODY_BYTES).then_some(start..start + body)
}

/// Length of the body: base64, line breaks (also escaped), quotes of concatenated strings, and
/// headers.
fn body(bytes: &[u8]) -> usize {
    // The next mark ends the body in any case, so that many marks cost no more than the text between them.
    let mark = memchr::memmem::find(bytes, b"-----");
    let bytes = &bytes[..mark.unwrap_or(bytes.len())];
    let mut at = 0;
    while at < bytes.len() {
        let line = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
        let keeps = bytes[at..line].iter().take_while(|byte| is_body(**byte)).count();
        let header = bytes[at..line].starts_with(b"Proc-Type:")
            || bytes[at..line].starts_with(b"DEK-Info:")
            || bytes[at..line].starts_with(b"Comment:")
            || bytes[at..line].starts_with(b"Version:");
        if header {
            at = line;
            continue;
        }
        // A line of words is no base64: the block was torn before it.
        let blank = bytes[at..at + keeps]
            .windows(2)
            .filter(|pair| pair[0] == b' ' && randomness::is(pair[1], randomness::ALNUM))
            .count();
        let words =
            blank >= 3 && bytes[at..at + keeps].split(|byte| *byte == b' ').all(|word| word.len() < 24);
        if words {
            break;
        }
        if at + keeps < line {
            at += keeps;
            break;
        }
        at = line;
    }
    let spare = bytes[..at]
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b',' | b'`'))
        .count();
    at - if mark == Some(at) { 0 } else { spare }
}

fn is_body(byte: u8) -> bool {
    randomness::is(byte, BASE64 | randomness::DASH)
        || matches!(
            byte,
            b'\\' | b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b',' | b'>' | b'|' | b'#' | b'*'
        )
}

/// Returns the start of the body that ends at `at`, for a block without its beginning.
fn back(bytes: &[u8], at: usize) -> usize {
    const MAX_BODY_BYTES: usize = 16 * 1024;
    let floor = at.saturating_sub(MAX_BODY_BYTES);
    let floor = memchr::memmem::rfind(&bytes[floor..at], b"-----").map_or(floor, |mark| floor + mark + 5);
    let mut start = at;
    while start > floor {
        let line = memchr::memrchr(b'\n', &bytes[floor..start - 1]).map_or(floor, |end| floor + end + 1);
        let text = bytes[line..start].trim_ascii();
        if !text.is_empty()
            && !(text.iter().all(|byte| randomness::is(*byte, BASE64) || matches!(byte, b'\\'))
                && (text.len() >= 40 || start == at || text.ends_with(b"=")))
        {
            break;
        }
        start = line;
    }
    if start == at {
        start -= randomness::run_back(&bytes[floor..at], BASE64, MAX_BODY_BYTES);
        start -= run_back_escaped(&bytes[floor..start]);
    }
    start + bytes[start..at].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Length of the base64 with escaped line breaks that ends here, as in a JSON string; 0 without
/// such a line break.
fn run_back_escaped(bytes: &[u8]) -> usize {
    let run = bytes
        .iter()
        .rev()
        .take(16 * 1024)
        .take_while(|byte| randomness::is(**byte, BASE64) || **byte == b'\\')
        .count();
    if bytes[bytes.len() - run..].windows(2).any(|pair| pair == b"\\n") { run } else { 0 }
}

/// Number of base64 bytes.
fn solid(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| randomness::is(**byte, BASE64)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "MIIBhuG8GP38g4o5MNJAYKJ1UXXFWXLCpaNfhs0gCa05RFRunzqw7wZyVGOeUvfJ";

    fn armour(body: &str) -> String {
        format!("-----BEGIN RSA {} KEY-----{body}-----END RSA {} KEY-----", "PRIVATE", "PRIVATE")
    }

    fn removed(text: &str) -> Option<&str> {
        let at = text.find("-----")?;
        block(text, at).map(|range| &text[range])
    }

    #[test]
    fn a_block_goes_whole() {
        for body in
            [format!("\n{LINE}\n{LINE}\n"), format!("\\n{LINE}\\n"), format!("\n\"{LINE}\"\n\"{LINE}\"\n")]
        {
            let text = format!("{} tail", armour(&body));
            assert_eq!(removed(&text), Some(armour(&body).as_str()));
        }
    }

    #[test]
    fn a_torn_block_goes_as_far_as_it_reaches() {
        let whole = armour(&format!("\n{LINE}\n{LINE}\n"));
        let torn = &whole[..100];
        assert_eq!(removed(torn), Some(torn));
        let torn = format!("{torn}\nAnd then we went on with it.\n");
        assert!(removed(&torn).is_some_and(|range| !range.contains("went")));
        let tail = format!("Some words\n{LINE}\n{LINE}\n{}", &whole[whole.find("-----END").unwrap()..]);
        let found = removed(&tail).unwrap();
        assert!(found.starts_with("MII") && found.ends_with("KEY-----"), "{found}");
    }

    #[test]
    fn an_empty_or_public_block_stays() {
        assert_eq!(removed(&armour("")), None);
        assert_eq!(removed(&format!("-----BEGIN PUBLIC KEY-----\n{LINE}\n-----END PUBLIC KEY-----")), None);
    }
}
