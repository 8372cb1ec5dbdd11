//! Decodes the percent-encoding of queries and URIs, and rejects what is not encoded correctly.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodingError {
    /// A `%` without two hexadecimal digits after it.
    #[error("an invalid escape")]
    Escape,
    #[error("bytes that are not UTF-8")]
    Utf8,
}

pub(crate) fn decode(text: &str) -> Result<String, DecodingError> {
    let is_escape = |after: &str| {
        after.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(is_escape) {
        return Err(DecodingError::Escape);
    }
    percent_decode_str(text).decode_utf8().map(Cow::into_owned).map_err(|_| DecodingError::Utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_escapes_of_utf8_are_decoded() {
        assert_eq!(decode("a%20%c3%A9"), Ok("a é".to_owned()));
        for text in ["%", "%4", "a%zz", "%é", "%%41", "%+1"] {
            assert_eq!(decode(text), Err(DecodingError::Escape), "{text}");
        }
        assert_eq!(decode("%ff"), Err(DecodingError::Utf8));
    }
}
