//! Credentials in HTTP headers and in calls that send them: `Authorization`, `Cookie`,
//! `curl --user`.

use std::ops::Range;

use super::decoded_text::of_base64;
use super::placeholder;
use super::randomness::{self, BASE64, URL_SAFE};

/// Maximum length of the value of a header, in bytes.
const MAX_VALUE_BYTES: usize = 4096;

/// Returns the credentials after the word `Bearer`, `Basic` or `Token` that ends at `at`.
pub fn credentials(text: &str, at: usize, scheme: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let blanks =
        bytes[at..].iter().take(4).take_while(|byte| matches!(byte, b' ' | b':' | b'+' | b'=')).count();
    if blanks == 0 {
        return None;
    }
    let from = at + blanks;
    let end = from
        + randomness::run(
            &bytes[from..],
            BASE64 | URL_SAFE | randomness::DOT | randomness::TILDE | randomness::COLON,
            MAX_VALUE_BYTES,
        );
    let value = text.get(from..end)?.trim_end_matches(['.', ':', ',']);
    let secret = if scheme.eq_ignore_ascii_case("basic") { is_basic(value) } else { is_bearer(value) };
    (secret && !placeholder::is_placeholder(value)).then_some(from..from + value.len())
}

/// Whether a value is a bearer token rather than a word of a sentence.
fn is_bearer(value: &str) -> bool {
    let digits = value.bytes().filter(|byte| randomness::is(*byte, randomness::DIGIT)).count();
    value.len() >= 12
        && !value.contains("HMAC")
        && (randomness::looks_random(value) || randomness::is_uuid(value) || value.len() >= 20 && digits >= 3)
}

/// Whether a value is base64 of a user name, a colon and a password.
pub(crate) fn is_basic(value: &str) -> bool {
    let encoded = value.trim_end_matches('=');
    if !encoded.bytes().all(|byte| randomness::is(byte, BASE64 | URL_SAFE) && byte != b'=') {
        return false;
    }
    let plain = of_base64(encoded.as_bytes());
    value.len() >= 8
        && plain.contains(&b':')
        && plain.iter().all(|byte| (0x20..0x7f).contains(byte) || *byte >= 0x80)
}

/// Returns the value of an `Authorization` header with another scheme or none; the header's name
/// ends at `at`.
pub fn authorization(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if !randomness::begins_here(bytes, at - "authorization".len()) {
        return None;
    }
    let signs = bytes[at..]
        .iter()
        .take(8)
        .take_while(|byte| matches!(byte, b' ' | b':' | b'"' | b'\'' | b'=' | b'\\' | b',' | b'>' | b']'))
        .count();
    if !bytes[at..at + signs].iter().any(|byte| matches!(byte, b':' | b'=' | b',')) {
        return None;
    }
    let mut from = at + signs;
    let word = randomness::run(&bytes[from..], randomness::LETTER | randomness::DASH, 24);
    if word > 0 && bytes.get(from + word) == Some(&b' ') {
        from += word + 1;
    }
    let part = BASE64 | URL_SAFE | randomness::DOT | randomness::TILDE | randomness::COLON;
    let end = from + randomness::run(&bytes[from..], part, MAX_VALUE_BYTES);
    let value = text.get(from..end)?.trim_end_matches(['.', ':', ',']);
    (is_bearer(value) && !placeholder::is_placeholder(value)).then_some(from..from + value.len())
}

/// Returns the secret values of a `Cookie` header, and the end of the header; its name ends at
/// `at`.
pub fn cookies(text: &str, at: usize) -> (Vec<Range<usize>>, usize) {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let signs = bytes[at..]
        .iter()
        .take(6)
        .take_while(|byte| matches!(byte, b' ' | b':' | b'"' | b'\'' | b'=' | b'\\'))
        .count();
    if !bytes[at..at + signs].contains(&b':') && !bytes[at..at + signs].contains(&b'=') {
        return (found, at);
    }
    let mut from = at + signs;
    for _ in 0..64 {
        let name = randomness::run(&bytes[from..], URL_SAFE | randomness::DOT, 80);
        if name == 0 || bytes.get(from + name) != Some(&b'=') {
            break;
        }
        let start = from + name + 1;
        let length = bytes[start..]
            .iter()
            .take(MAX_VALUE_BYTES)
            .take_while(|b| b.is_ascii_graphic() && !matches!(b, b';' | b'"' | b'\'' | b'`' | b'\\'))
            .count();
        if let (Some(name), Some(value)) = (text.get(from..from + name), text.get(start..start + length)) {
            let session = ["sess", "sid", "auth", "token", "jwt"]
                .iter()
                .any(|word| name.to_ascii_lowercase().contains(word));
            let long = value.len() >= 16 && randomness::looks_random(value);
            if (long
                || session
                    && value.len() >= 8
                    && value.bytes().any(|byte| randomness::is(byte, randomness::DIGIT)))
                && !placeholder::is_placeholder(value)
            {
                found.push(start..start + length);
            }
        }
        from = start + length;
        from += bytes[from..].iter().take(4).take_while(|byte| matches!(byte, b';' | b' ')).count();
    }
    (found, from)
}

/// Returns the value of a session cookie; its name with `=` ends at `at`.
pub fn session(text: &str, at: usize) -> Option<Range<usize>> {
    let length = randomness::run(
        &text.as_bytes()[at..],
        URL_SAFE | randomness::DOT | randomness::PERCENT,
        MAX_VALUE_BYTES,
    );
    let value = text.get(at..at + length)?;
    (length >= 16 && randomness::looks_random(value) && !randomness::is_uuid(value))
        .then_some(at..at + length)
}

/// Returns the password of `--user name:password` on a command line of curl or wget; the flag ends
/// at `at`.
pub fn user(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let back = text.floor_char_boundary(at.saturating_sub(400));
    if !["curl", "wget", "http "].iter().any(|program| text[back..at].contains(program)) {
        return None;
    }
    let from = at + bytes[at..].iter().take(3).take_while(|byte| matches!(byte, b' ' | b'=')).count();
    let quote = bytes.get(from).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let start = from + usize::from(quote.is_some());
    let mut ends = start;
    // A word of the shell may change its marks in the middle: "name":"password".
    while let Some(byte) = bytes.get(ends).filter(|byte| ends < start + 256 && !matches!(byte, b'\n' | b'\\'))
    {
        let apart = byte.is_ascii_whitespace() && (quote.is_none() || bytes.get(ends - 1).copied() == quote);
        if apart {
            break;
        }
        ends += 1;
    }
    let pair = text.get(start..ends)?.trim_end_matches(['"', '\'']);
    let colon = if pair.starts_with('{') { pair.find("}\"").map(|at| at + 2)? } else { pair.find(':')? };
    let password = pair.get(colon + 1..)?;
    let inner = password.trim_start_matches(['"', '\'']);
    let name = pair[..colon].trim_end_matches(['"', '\'']);
    let common = ["password", "pass", "passwd", "test", "secret", "changeme"];
    let plain = inner.len() < 3
        || placeholder::is_placeholder(inner)
        || inner.starts_with('$')
        || inner.contains("${")
        || common.contains(&inner)
        || name == inner;
    let offset = start + colon + 1 + (password.len() - inner.len());
    (!plain).then_some(offset..offset + inner.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_credentials_are_distinguished_from_the_word_by_what_they_say() {
        assert!(is_basic("YWRhOmNvcnJlY3Q="));
        assert!(!is_basic("authentication"));
        assert!(!is_basic("Programming"));
    }

    #[test]
    fn a_password_of_curl_is_found_and_a_variable_is_none() {
        let text = "curl -s --user 'api:w9!Rk42pTz+b' https://a.example";
        let at = text.find("--user").unwrap() + 6;
        assert_eq!(&text[user(text, at).unwrap()], "w9!Rk42pTz+b");
        let text = "curl -u \"$NAME:$PASSWORD\" https://a.example";
        assert_eq!(user(text, text.find("-u").unwrap() + 2), None);
    }

    #[test]
    fn cookies_of_a_session_are_found() {
        let text = "Cookie: theme=dark; sid=s3cr3tvalue99; lang=en";
        assert_eq!(
            cookies(text, 6).0.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(),
            ["s3cr3tvalue99"]
        );
    }
}
