//! Tokens of several parts: a short or common prefix followed by a distinctive structure.

use std::ops::Range;

use super::super::placeholder;
use super::super::randomness::{self, ALNUM, ANY_HEX, Alphabet, DIGIT, HEX, LOWER, UPPER, URL_SAFE};

/// A kind of token with several parts after its prefix.
pub struct MultiPartToken {
    /// Prefix, case-sensitive.
    pub prefix: &'static str,
    /// Label of its placeholder.
    pub label: &'static str,
    /// Parts after the prefix, in order.
    pub parts: &'static [TokenPart],
}

pub enum TokenPart {
    /// Characters of an alphabet, with the minimum and maximum length.
    Run(Alphabet, usize, usize),
    /// A literal text.
    Text(&'static str),
    /// A UUID in lower case.
    Uuid,
}

use TokenPart::{Run, Text, Uuid};

impl MultiPartToken {
    /// Returns the byte range of the token that begins at `at`.
    pub fn range(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        if !bytes[at..].starts_with(self.prefix.as_bytes()) || !randomness::begins_here(bytes, at) {
            return None;
        }
        let mut end = at + self.prefix.len();
        for part in self.parts {
            end += part.length(&bytes[end..])?;
        }
        let goes_on = bytes.get(end).is_some_and(|byte| randomness::is(*byte, ALNUM));
        let body = text.get(at + self.prefix.len()..end)?;
        (!goes_on && !placeholder::is_example(body)).then_some(at..end)
    }
}

impl TokenPart {
    fn length(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Run(alphabet, least, most) => {
                let length = randomness::run(bytes, *alphabet, *most);
                (length >= *least).then_some(length)
            }
            Text(text) => bytes.starts_with(text.as_bytes()).then_some(text.len()),
            Uuid => {
                let uuid = std::str::from_utf8(bytes.get(..36)?).ok()?;
                randomness::is_uuid(uuid).then_some(36)
            }
        }
    }
}

const fn shaped(prefix: &'static str, label: &'static str, parts: &'static [TokenPart]) -> MultiPartToken {
    MultiPartToken { prefix, label, parts }
}

/// Every kind of token with several parts.
pub(crate) const SHAPED: &[MultiPartToken] = &[
    shaped("re_", "resend-key", &[Run(ALNUM, 8, 8), Text("_"), Run(ALNUM, 24, 24)]),
    shaped("pat", "airtable-token", &[Run(ALNUM, 14, 14), Text("."), Run(HEX, 64, 64)]),
    shaped("access-sandbox-", "plaid-token", &[Uuid]),
    shaped("access-development-", "plaid-token", &[Uuid]),
    shaped("access-production-", "plaid-token", &[Uuid]),
    shaped(
        "access_token$production$",
        "paypal-token",
        &[Run(LOWER | DIGIT, 16, 16), Text("$"), Run(HEX, 32, 32)],
    ),
    shaped(
        "access_token$sandbox$",
        "paypal-token",
        &[Run(LOWER | DIGIT, 16, 16), Text("$"), Run(HEX, 32, 32)],
    ),
    shaped("sdk-", "launchdarkly-key", &[Uuid]),
    shaped("api-", "launchdarkly-key", &[Uuid]),
    shaped("xaat-", "axiom-token", &[Uuid]),
    shaped("xapt-", "axiom-token", &[Uuid]),
    shaped("AstraCS:", "astra-token", &[Run(URL_SAFE, 20, 30), Text(":"), Run(HEX, 64, 64)]),
    shaped(
        "st.",
        "infisical-token",
        &[Run(HEX | randomness::DASH, 24, 36), Text("."), Run(HEX, 32, 32), Text("."), Run(HEX, 32, 32)],
    ),
    shaped("pk_", "clickup-token", &[Run(DIGIT, 5, 12), Text("_"), Run(UPPER | DIGIT, 32, 32)]),
    shaped("sgp_", "sourcegraph-token", &[Run(ANY_HEX, 40, 40)]),
    shaped("sgp_", "sourcegraph-token", &[Run(ANY_HEX, 16, 16), Text("_"), Run(ANY_HEX, 40, 40)]),
    shaped("sgp_local_", "sourcegraph-token", &[Run(ANY_HEX, 40, 40)]),
    shaped("1/", "asana-token", &[Run(DIGIT, 16, 16), Text(":"), Run(HEX, 32, 32)]),
    shaped(
        "2/",
        "asana-token",
        &[Run(DIGIT, 16, 16), Text("/"), Run(DIGIT, 16, 16), Text(":"), Run(HEX, 32, 32)],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_must_fit() {
        let found = |text: &str| SHAPED[0].range(text, 0).map(|range| range.len());
        let (first, last) = ("k3Vq8wZ1", "x5Rt7bN2mC9pF4jD6hG0lS8y");
        assert_eq!(found(&format!("re_{first}_{last}.")), Some(36));
        assert_eq!(found(&format!("re_{first}_{last}x")), None);
        assert_eq!(found(&format!("re_{first}-{last}")), None);
        assert_eq!(found("re_export_of_all"), None);
    }
}
