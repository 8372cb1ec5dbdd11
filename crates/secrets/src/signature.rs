//! Signatures that grant access on their own: Azure shared access signatures, and private members
//! of JSON Web Keys.

use std::ops::Range;

use super::placeholder;
use super::randomness::{self, ALNUM, DASH, EQUALS, PERCENT, PLUS_SLASH, UNDERSCORE, URL_SAFE};

/// Maximum distance of the other parameters of a signature, in bytes.
const MAX_DISTANCE_BYTES: usize = 600;

/// Returns the value of `sig=` at `hit`, if other parameters of a shared access signature are near
/// it.
pub(crate) fn shared_access(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    const PARAMETERS: [&str; 6] = ["sv=", "se=", "sr=", "sp=", "skn=", "SharedAccessSignature"];
    let bytes = text.as_bytes();
    if randomness::run_back(&bytes[..hit.start], ALNUM | UNDERSCORE, 1) > 0 {
        return None;
    }
    let part = ALNUM | PERCENT | PLUS_SLASH | DASH | UNDERSCORE | EQUALS;
    let length = randomness::run(&bytes[hit.end..], part, 100);
    let value = text.get(hit.end..hit.end + length)?;
    let from = text.floor_char_boundary(hit.start.saturating_sub(MAX_DISTANCE_BYTES));
    let to = text.floor_char_boundary(hit.end + length + MAX_DISTANCE_BYTES);
    let signed = || PARAMETERS.iter().any(|name| text[from..to].contains(name));
    ((40..=80).contains(&length) && !placeholder::is_placeholder(value) && signed())
        .then_some(hit.end..hit.end + length)
}

/// Private members of a JSON Web Key, in quotes.
pub const MEMBERS: [&str; 7] = ["\"d\"", "\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\"", "\"k\""];

/// Returns the value of the member at `hit`, if it belongs to a JSON Web Key.
pub(crate) fn key_member(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    const KEY: usize = 4096;
    let rest = &text[hit.end..];
    let value = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let start = text.len() - value.len();
    let length = randomness::run(value.as_bytes(), URL_SAFE, KEY);
    if length < 20 || start - hit.end > 16 {
        return None;
    }
    let from = text.floor_char_boundary(hit.start.saturating_sub(KEY));
    let to = text.floor_char_boundary(start + length + KEY);
    text[from..to].contains("\"kty\"").then_some(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_needs_its_parameters() {
        let value = "k3Vq8wZ1x5Rt7bN2mC9pF4jD6hG0lS8yQ2wE7rTk3Vq";
        let found = |text: &str| {
            let at = text.find("sig=").unwrap();
            shared_access(text, at..at + 4).map(|range| text[range].to_owned())
        };
        assert_eq!(found(&format!("https://a.example/c?sv=2024&sig={value}")).as_deref(), Some(value));
        assert_eq!(found(&format!("a sig={value}")), None);
        assert_eq!(found("https://a.example/c?sv=2024&sig=<signature>"), None);
    }
}
