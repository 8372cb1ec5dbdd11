//! Decodes runs of base64 or hexadecimal digits that encode text.

use std::ops::Range;

use super::super::randomness::{self, ALNUM, ANY_HEX, BASE64, EQUALS, URL_SAFE};
use super::{ByteOrigin, DecodedText};

/// Minimum length of a run, in characters.
const MIN_RUN_CHARS: usize = 24;
/// Maximum length of a run that is decoded, in characters.
const MAX_RUN_CHARS: usize = 1 << 20;
/// Line lengths of wrapped base64, in characters.
const WRAPPED: Range<usize> = 56..78;
/// Number of characters decoded to test whether a run encodes text.
const SAMPLE_CHARS: usize = 24;

/// Returns the readings of all runs.
pub fn readings(text: &str, budget: &mut usize) -> Vec<DecodedText> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = randomness::run(&bytes[at..], BASE64 | URL_SAFE, usize::MAX);
        if length < MIN_RUN_CHARS {
            at += length.max(1);
            continue;
        }
        let end = wrapped(bytes, at, at + length);
        found.extend(of_run(text, at..end, budget));
        at = end;
    }
    found
}

/// Returns the end of a run that continues over lines of equal length.
fn wrapped(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut end = end;
    let mut line = end - start;
    while WRAPPED.contains(&line) {
        let breaks = bytes[end..].iter().take(16).take_while(|byte| byte.is_ascii_whitespace()).count();
        let next = randomness::run(&bytes[end + breaks..], BASE64 | URL_SAFE, WRAPPED.end);
        if breaks == 0 || !bytes[end..end + breaks].contains(&b'\n') || next == 0 || next > line {
            break;
        }
        (end, line) = (end + breaks + next, next);
    }
    end
}

/// Returns the reading of a run, or of its alphanumeric parts, because separators also occur in
/// paths and names.
fn of_run(text: &str, range: Range<usize>, budget: &mut usize) -> Vec<DecodedText> {
    let bytes = &text.as_bytes()[range.clone()];
    if let Some(decoded_run) = decoded(bytes, budget) {
        return vec![reading(decoded_run, range)];
    }
    let mut found = Vec::new();
    let mut at = range.start;
    for part in bytes.split(|byte| !randomness::is(*byte, ALNUM)) {
        if part.len() >= MIN_RUN_CHARS && part.len() < bytes.len() {
            // The padding, and `+` or `/` behind a part, belong to it.
            let padded = randomness::run(&text.as_bytes()[at + part.len()..range.end], EQUALS, 2);
            let decoded_run = decoded(part, budget);
            found.extend(decoded_run.map(|decoded_run| reading(decoded_run, at..at + part.len() + padded)));
        }
        at += part.len() + 1;
    }
    found
}

fn reading(text: String, range: Range<usize>) -> DecodedText {
    DecodedText { text, origin: ByteOrigin::Whole(range), is_joined: false }
}

/// Decodes a run; `None` if the result is not text.
fn decoded(run: &[u8], budget: &mut usize) -> Option<String> {
    let run = &run[..run.len().min(MAX_RUN_CHARS)];
    let decode = |run: &[u8]| match run.iter().all(|byte| randomness::is(*byte, ANY_HEX)) {
        true => of_hex(run),
        false => of_base64(run),
    };
    let is_hex = run.iter().all(|byte| randomness::is(*byte, ANY_HEX));
    let sample = &run[..run.len().min(SAMPLE_CHARS)];
    if is_hex != sample.iter().all(|byte| randomness::is(*byte, ANY_HEX)) {
        // A sample of a run in base64 that happens to be hexadecimal is judged as base64.
        text_of(of_base64(sample), true)?;
    } else {
        text_of(decode(sample), true)?;
    }
    if run.len() > *budget {
        return None;
    }
    *budget -= run.len();
    text_of(decode(run), false)
}

/// Converts bytes to text; `None` unless nearly all of them are printable.
fn text_of(bytes: Vec<u8>, is_sample: bool) -> Option<String> {
    let wide = bytes.len() >= 8 && bytes.iter().skip(1).step_by(2).all(|byte| *byte == 0);
    let bytes = if wide { bytes.into_iter().step_by(2).collect() } else { bytes };
    let printable = |byte: &&u8| matches!(**byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    let good = bytes.iter().filter(printable).count();
    let enough = if is_sample { good * 10 >= bytes.len() * 8 } else { good * 20 >= bytes.len() * 19 };
    (enough && good > 0).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

fn of_hex(run: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
    run.chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Decodes base64 in either alphabet; ignores all other characters, including white space and
/// padding.
pub(crate) fn of_base64(run: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(run.len() / 4 * 3 + 3);
    let (mut bits, mut bit_count) = (0u32, 0);
    for byte in run {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(six);
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            bytes.push((bits >> bit_count & 0xff) as u8);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded_run(text: &str) -> Vec<String> {
        readings(text, &mut 10_000).into_iter().map(|reading| reading.text).collect()
    }

    #[test]
    fn text_is_decoded_and_other_bytes_are_not() {
        assert_eq!(decoded_run("x VGhlIHF1aWNrIGJyb3duIGZveA== y"), ["The quick brown fox"]);
        assert_eq!(decoded_run("54686520717569636b2062726f776e20666f78"), ["The quick brown fox"]);
        assert_eq!(decoded_run("a/b/VGhlIHF1aWNrIGJyb3duIGZveA"), ["The quick brown fox"]);
        for text in [
            "9a038989604e8da62ecddbe2094b16ce1b778be1",
            "sha512-3QYrzZq9adP0J5wMPLCM7HUFpk5acdIbzlpkd6XgaNJQ8mjAmHMPGPPA0NlGtetOd4UYETIay2BV6DfVPClogq==",
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        ] {
            assert_eq!(decoded_run(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn wrapped_lines_are_one_run() {
        let line = "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZyBhbmQg";
        let text = format!("{line}\n{line}\n{}\nend", &line[..24]);
        assert_eq!(decoded_run(&text).len(), 1);
    }
}
