//! Detects secrets by the name that they are assigned to: `password = …`, `"apiKey": "…"`,
//! `--token …`, `<secret>…</secret>`.
//!
//! One parser covers the assignment syntax of configuration files, programs, shells and prose. It
//! reads around one keyword found by the scan, and never beyond its line.

use std::ops::Range;

use super::name_strength::{self, NameStrength};
use super::randomness::{self, NAME};
use super::sentence::{self, Distance, Stated};
use super::{header, literal, placeholder, value};

/// Maximum length of a name on each side of the keyword.
const NAME_REACH: usize = 64;
/// Maximum length of white space around a name, an operator or a value, in bytes.
const MAX_BLANK_BYTES: usize = 24;
/// Maximum length of an index in brackets after a name, as in `keys[prod]`, in bytes.
const MAX_INDEX_BYTES: usize = 16;
/// Number of bytes before a name that are searched for code, to recognize a column of a table.
const COLUMN_REACH: usize = 160;
/// Maximum length of a quoted value that is compared with a name, or searched for secret parts, in bytes.
const MAX_QUOTED_BYTES: usize = 256;

/// Result of parsing one assignment.
#[derive(Default)]
pub struct Assignment {
    pub secrets: Vec<(Range<usize>, NameStrength)>,
    /// The value that was parsed; empty if there is none.
    pub read: Range<usize>,
}

/// Parses the assignment to the name around `hit`.
pub(crate) fn parse_assignment(text: &str, hit: Range<usize>) -> Assignment {
    let Some(name) = AssignedName::around(text, hit) else { return Assignment::default() };
    let values = [name.value(text), name.compared(text)];
    let read = values[0].as_ref().map(|value| value.range.clone()).unwrap_or_default();
    Assignment { secrets: secrets(text, &name, values), read }
}

fn secrets(
    text: &str,
    name: &AssignedName,
    values: [Option<AssignedValue>; 2],
) -> Vec<(Range<usize>, NameStrength)> {
    if values.iter().all(Option::is_none) {
        return Vec::new();
    }
    // Most words that are met are given nothing: what the name says is asked last.
    let Some(strength) = name.strength(text) else { return Vec::new() };
    let is_auth = text[name.range.clone()].ends_with("auth");
    values
        .into_iter()
        .flatten()
        .flat_map(|value| match is_auth && value.is_basic(text) {
            true => vec![(value.range, NameStrength::Strong)],
            false => value.judged(text, strength),
        })
        .collect()
}

/// A name that contains a secret keyword, with its byte range.
struct AssignedName {
    range: Range<usize>,
}

/// The byte range of an assigned value.
struct AssignedValue {
    range: Range<usize>,
    quoted: bool,
    /// Whether the value only follows the name without an assignment; it must then look like a
    /// secret itself.
    is_adjacent: bool,
    /// Whether the value is an attribute of a configuration element such as
    /// `<add key="…" value="…" />`.
    is_attribute: bool,
}

impl AssignedName {
    fn around(text: &str, hit: Range<usize>) -> Option<Self> {
        let bytes = text.as_bytes();
        let part = NAME | randomness::DASH | randomness::DOT;
        let start = hit.start - randomness::run_back(&bytes[..hit.start], part, NAME_REACH);
        let start = after_escape(bytes, start, hit.start);
        let end = hit.end + randomness::run(&bytes[hit.end..], part, NAME_REACH);
        if bytes[..start].ends_with(b"://") {
            // The user of an address: what comes after it is looked at with the address.
            return None;
        }
        if bytes[..start].ends_with(b"::") {
            // A type or a constant, as in `Cloud::Store::Key`.
            return None;
        }
        // Two dashes within are those of a sentence.
        let start =
            text.get(start..hit.start)?.rfind("--").filter(|at| *at > 0).map_or(start, |at| start + at + 2);
        Some(Self { range: start..end })
    }

    /// Returns how strongly the name implies a secret; a plain `key` counts as an access key in a
    /// URL's query.
    fn strength(&self, text: &str) -> Option<NameStrength> {
        let name = &text[self.range.clone()];
        let query = text[..self.range.start].ends_with(['?', '&']) && name.eq_ignore_ascii_case("key");
        if query {
            Some(NameStrength::Medium)
        } else {
            name_strength::strength(name.trim_end_matches(['.', '-']))
        }
    }

    /// Returns the value after the name and an assignment operator.
    fn value(&self, text: &str) -> Option<AssignedValue> {
        let bytes = text.as_bytes();
        let start = self.range.start;
        let mut at = self.range.end;
        let in_tag = start > 0 && bytes[start - 1] == b'<';
        let in_query = start > 0 && matches!(bytes[start - 1], b'?' | b'&');
        let (closed, quoted) = past_closing(bytes, at);
        at = closed;
        if in_tag && bytes.get(at) == Some(&b'>') {
            return AssignedValue::read(text, at + 1, b'<')
                .filter(|value| bytes[value.range.end..].starts_with(b"</"));
        }
        let spaces = blanks(bytes, at);
        let sign = sign(bytes, at + spaces);
        if sign > 0 {
            at += spaces + sign;
            at += blanks(bytes, at);
            let sign_byte = bytes[at - 1 - blanks_back(bytes, at)];
            let stop = match sign_byte {
                b'|' if closed > self.range.end || !in_column(bytes, start) => return None,
                // `a:secret:b` is a name of several parts.
                b':' if start > 0 && bytes[start - 1] == b':' => return None,
                b'|' => b'|',
                _ if in_query => b'&',
                _ => 0,
            };
            let value = AssignedValue::read(text, at, stop)?;
            return value.past_type(text).or(Some(value));
        }
        let rest = &text[at + spaces..];
        if let Some(from) =
            rest.strip_prefix("value").or_else(|| rest.strip_prefix("Value")).filter(|_| quoted)
        {
            let from = from.trim_start_matches(' ').strip_prefix('=')?.trim_start_matches(' ');
            let value = AssignedValue::read(text, text.len() - from.len(), 0)?;
            return Some(AssignedValue { is_attribute: in_element(bytes, start), ..value });
        }
        if quoted && rest.starts_with(',') {
            let from = at + spaces + 1;
            let from = from + blanks(bytes, from);
            let value = AssignedValue::read(text, from, 0).filter(|value| value.quoted)?;
            return Some(AssignedValue { is_adjacent: true, ..value });
        }
        let flag = bytes.get(start) == Some(&b'-')
            && start.checked_sub(1).is_none_or(|i| !randomness::is(bytes[i], NAME));
        if spaces > 0 && flag {
            return AssignedValue::read(text, at + spaces, 0);
        }
        if spaces > 0 && !quoted && matches!(rest.as_bytes().first(), Some(b'"' | b'\'' | b'`')) {
            return AssignedValue::read(text, at + spaces, 0);
        }
        let is_foreign = !text[self.range.clone()].is_ascii();
        if spaces == 0 && !is_foreign {
            return None;
        }
        let Stated { at: offset, distance } = sentence::stated(rest);
        let is_password = || self.strength(text) == Some(NameStrength::Strong);
        let value = AssignedValue::read(text, at + spaces + offset, 0)?;
        let may_be_given = match distance {
            Distance::Verb => value.quoted || value.has_digit(bytes),
            // The end of a quoted path such as "/etc/passwd" is followed by something else.
            Distance::Adjacent | Distance::Word if quoted => false,
            Distance::Colon | Distance::Clause | Distance::Adjacent | Distance::Word => {
                let value = text.get(value.range.clone());
                value.is_some_and(|value| sentence::looks_invented(value, distance)) && is_password()
            }
        };
        may_be_given.then_some(value)
    }

    /// Returns the value compared with the name: `"…" == password`.
    fn compared(&self, text: &str) -> Option<AssignedValue> {
        let before = text[..self.range.start].trim_end_matches(' ');
        let before = before.strip_suffix('=')?.trim_end_matches(['=', '!']).trim_end_matches(' ');
        let quote = before.bytes().last().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
        let inner = &before[..before.len() - 1];
        let from = inner
            .bytes()
            .rev()
            .take(MAX_QUOTED_BYTES)
            .take_while(|byte| *byte != quote && *byte != b'\n')
            .count();
        let start = inner.len() - from;
        (start > 0 && inner.as_bytes()[start - 1] == quote && inner.is_char_boundary(start)).then_some(
            AssignedValue {
                range: start..inner.len(),
                quoted: true,
                is_adjacent: false,
                is_attribute: false,
            },
        )
    }
}

impl AssignedValue {
    /// Reads the value that begins at `at`, quoted or bare. A bare value also ends at the byte
    /// `stop`, unless that is 0.
    fn read(text: &str, at: usize, stop: u8) -> Option<Self> {
        let bytes = text.as_bytes();
        let at = at + literal::string_prefix(&bytes[at..]);
        let open = literal::quotation(&bytes[at..]);
        if open > 0 {
            let from = at + open;
            let length = literal::closing(&bytes[from..], &bytes[at..from])?;
            if matches!(bytes.get(from), Some(b',' | b';' | b')' | b' ')) {
                // The mark closed a text that ends with the name: `"no token:", error`.
                return None;
            }
            return Some(Self {
                range: from..from + length,
                quoted: true,
                is_adjacent: false,
                is_attribute: false,
            });
        }
        let length = literal::bare(&bytes[at..], stop);
        (length > 0).then_some(Self {
            range: at..at + length,
            quoted: false,
            is_adjacent: false,
            is_attribute: false,
        })
    }

    /// Skips a type annotation: in `password: String = "…"`, the text read first is a type and the
    /// value follows it.
    fn past_type(&self, text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if self.quoted
            || !bytes[self.range.clone()].iter().all(|b| {
                randomness::is(*b, NAME) || matches!(b, b'<' | b'>' | b'?' | b'&' | b'[' | b']' | b'|')
            })
        {
            return None;
        }
        let at = self.range.end + blanks(bytes, self.range.end);
        if bytes.get(at) != Some(&b'=') || bytes.get(at + 1) == Some(&b'=') {
            return None;
        }
        Self::read(text, at + 1 + blanks(bytes, at + 1), 0)
    }

    fn has_digit(&self, bytes: &[u8]) -> bool {
        bytes[self.range.clone()].iter().any(|byte| randomness::is(*byte, randomness::DIGIT))
    }

    /// Whether the value is a user name and password in base64, as container registries store them.
    fn is_basic(&self, text: &str) -> bool {
        text.get(self.range.clone())
            .is_some_and(|value| header::is_basic(value) && !placeholder::is_placeholder(value))
    }

    /// Returns the parts of the value that are secrets.
    fn judged(&self, text: &str, strength: NameStrength) -> Vec<(Range<usize>, NameStrength)> {
        let Some(value) = text.get(self.range.clone()) else { return Vec::new() };
        let strength = if self.is_adjacent { strength.min(NameStrength::Medium) } else { strength };
        let stored = self.is_attribute && strength == NameStrength::Strong && value::is_stored(value);
        if stored || value::is_secret(value, strength, self.quoted) {
            return vec![(self.range.clone(), strength)];
        }
        if !self.quoted
            || strength == NameStrength::Weak
            || value.len() > MAX_QUOTED_BYTES
            || value.contains("[redacted")
            || value.contains("\\n")
        {
            return Vec::new();
        }
        let from = self.range.start;
        value::secret_parts(value).into_iter().map(|(a, b)| (from + a..from + b, strength)).collect()
    }
}

/// Skips the letter of an escape sequence at the start of a name: `\npassword` is `password` on a
/// new line.
fn after_escape(bytes: &[u8], start: usize, hit: usize) -> usize {
    let escaped =
        start > 0 && bytes[start - 1] == b'\\' && start < hit && matches!(bytes[start], b'n' | b'r' | b't');
    start + usize::from(escaped)
}

/// Skips quotes and brackets that close a name; also returns whether there was a quote.
fn past_closing(bytes: &[u8], from: usize) -> (usize, bool) {
    let mut at = from;
    let mut quoted = false;
    if bytes.get(at) == Some(&b'[') {
        let inner = at + 1 + randomness::run(&bytes[at + 1..], NAME, MAX_INDEX_BYTES);
        return (if bytes.get(inner) == Some(&b']') { inner + 1 } else { at }, false);
    }
    for _ in 0..4 {
        let quote = literal::quotation(&bytes[at..]);
        if quote > 0 {
            quoted = true;
            at += quote;
        } else if matches!(bytes.get(at), Some(b']' | b'*' | b'}')) {
            at += 1;
        } else {
            break;
        }
    }
    (at, quoted)
}

/// Length of the white space here, at most [`MAX_BLANK_BYTES`].
fn blanks(bytes: &[u8], from: usize) -> usize {
    bytes[from.min(bytes.len())..]
        .iter()
        .take(MAX_BLANK_BYTES)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// Whether the name is the key of an element such as `<add key="Password" value="…" />`.
fn in_element(bytes: &[u8], start: usize) -> bool {
    bytes[..start].ends_with(b"<add key=\"") || bytes[..start].ends_with(b"<add key='")
}

/// Whether the text before the name on its line consists of words and bars, as in a table, rather
/// than code.
fn in_column(bytes: &[u8], start: usize) -> bool {
    let line = bytes[..start].iter().rev().take(COLUMN_REACH).take_while(|byte| **byte != b'\n');
    line.into_iter().all(|byte| !matches!(byte, b'=' | b'(' | b'{' | b'[' | b';' | b'"' | b'\''))
}

/// Length of the white space that ends here, at most [`MAX_BLANK_BYTES`].
fn blanks_back(bytes: &[u8], end: usize) -> usize {
    bytes[..end].iter().rev().take(MAX_BLANK_BYTES).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Length of the assignment operator here, or 0.
fn sign(bytes: &[u8], at: usize) -> usize {
    const SIGNS: [&str; 17] = [
        ":::=", ":=", "===", "!==", "==", "!=", "=>", "->", "||", "?=", "+=", "=", ":", "|", "%3D", "%3A",
        "：",
    ];
    let rest = &bytes[at.min(bytes.len())..];
    let length = SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())).map_or(0, |sign| sign.len());
    // `:` of a scope, and `:=` followed by `=`.
    if length == 1 && rest.starts_with(b"::") {
        return 0;
    }
    let again = length == 2 && rest.starts_with(b":=") && rest.get(2) == Some(&b'=');
    let stars = if length == 1 && rest[0] == b':' {
        rest[1..].iter().take(2).take_while(|b| **b == b'*').count()
    } else {
        0
    };
    length + usize::from(again) + stars
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<&str> {
        let word = ["pass", "token", "secret", "key"]
            .into_iter()
            .find(|word| text.to_ascii_lowercase().contains(word))
            .unwrap();
        let at = text.to_ascii_lowercase().find(word).unwrap();
        parse_assignment(text, at..at + word.len())
            .secrets
            .into_iter()
            .map(|(range, _)| &text[range])
            .collect()
    }

    #[test]
    fn a_value_is_found_however_it_is_written() {
        for text in [
            "password = 7q4hzk2w9xj5vb1",
            "password: '7q4hzk2w9xj5vb1'",
            "export DB_PASSWORD=7q4hzk2w9xj5vb1;",
            "{\"password\": \"7q4hzk2w9xj5vb1\"}",
            "{\\\"password\\\": \\\"7q4hzk2w9xj5vb1\\\"}",
            "--api-token 7q4hzk2w9xj5vb1 --x",
            "<password>7q4hzk2w9xj5vb1</password>",
            "<add key=\"Password\" value=\"7q4hzk2w9xj5vb1\" />",
            "https://a.example/?token=7q4hzk2w9xj5vb1&q=1",
            "if (api_key !== \"7q4hzk2w9xj5vb1\") {",
            "if (\"7q4hzk2w9xj5vb1\" == password) {",
            "let password: String = \"7q4hzk2w9xj5vb1\";",
            "char secret[25] = \"7q4hzk2w9xj5vb1\";",
            "**Password:** 7q4hzk2w9xj5vb1",
            "| auth token | 7q4hzk2w9xj5vb1 |",
            "a\\npassword=7q4hzk2w9xj5vb1\\nb",
            "password%3D7q4hzk2w9xj5vb1%26a",
            "the password is `7q4hzk2w9xj5vb1`.",
            "get(\"api_token\", \"7q4hzk2w9xj5vb1\")",
        ] {
            assert_eq!(values(text), ["7q4hzk2w9xj5vb1"], "{text}");
        }
    }

    #[test]
    fn names_of_secrets_without_one_give_nothing() {
        for text in [
            "password = ${link}",
            "password: String,",
            "token_count: 1234567",
            "let token = parser.next_token();",
            "\"password\", \"type\"",
            "key to the door",
            "the password is wrong",
            "password=args.password,",
            "token: CancellationToken",
        ] {
            assert_eq!(values(text), Vec::<&str>::new(), "{text}");
        }
    }
}
