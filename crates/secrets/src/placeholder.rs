//! Recognizes values that are not secrets: cm's own placeholders, examples, and variable names.

use std::ops::Range;

use super::randomness::{self, ALNUM, LETTER, NAME};

/// Beginning of a placeholder.
pub const OPENING: &str = "[redacted: ";

/// Returns the placeholder for a kind of secret.
pub fn of(label: &str) -> String {
    format!("{OPENING}{label}]")
}

/// Length of the placeholder at the start of the text, or 0.
pub fn length(text: &[u8]) -> usize {
    let Some(rest) = text.strip_prefix(OPENING.as_bytes()) else { return 0 };
    let label = rest.iter().take_while(|byte| is_label_byte(**byte)).count();
    if label > 0 && rest.get(label) == Some(&b']') { OPENING.len() + label + 1 } else { 0 }
}

/// Returns the byte ranges of the placeholders in a text, in order.
pub fn ranges(text: &str) -> Vec<Range<usize>> {
    let place = |(at, _): (usize, &str)| (at, length(&text.as_bytes()[at..]));
    text.match_indices(OPENING)
        .map(place)
        .filter(|(_, length)| *length > 0)
        .map(|(at, length)| at..at + length)
        .collect()
}

/// Whether a label may contain this byte.
pub(crate) fn is_label_byte(byte: u8) -> bool {
    randomness::is(byte, ALNUM) || byte == b'-'
}

/// Words used as a placeholder for a value.
#[rustfmt::skip]
const FILLERS: [&str; 36] = [
    "example", "sample", "dummy", "fake", "placeholder", "changeme", "change-me", "change_me", "insert",
    "replace", "your", "todo", "redacted", "hidden", "removed", "masked", "none", "null", "nil", "undefined",
    "true", "false", "test", "password", "passwd", "pass", "secret", "token", "username", "user", "string",
    "optional", "required", "empty", "value", "foobar",
];

/// Whether the value is an example, variable, template, mask, or one of cm's placeholders.
pub fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    value.is_empty()
        || value.contains(OPENING.trim_end())
        || is_reference(value)
        || is_mask(value)
        || is_filler(value)
}

/// Whether a token with a recognizable format is a mask or an example.
pub(crate) fn is_example(token: &str) -> bool {
    let says = |word: &str| {
        ["your", "example", "placeholder", "changeme", "dummy", "sample", "here"].contains(&word)
    };
    let words = token.to_ascii_lowercase();
    let is_placeholder_word = || words.split(['-', '_', '.']).any(says) || words.ends_with("here");
    is_mask(token)
        || is_series(words.as_bytes())
        || (is_placeholder_word() && !randomness::looks_random(token))
}

/// Whether a text contains a long sequence, such as `abcdefghijkl` or `123456789012`, or a long run
/// of one filler character, such as `aaaaaaaaaaaa` or `000000000000`.
fn is_series(bytes: &[u8]) -> bool {
    const MIN_SERIES_BYTES: usize = 12;
    let follows = |a: u8, b: u8| b == a.wrapping_add(1) && randomness::is(a, ALNUM) || a == b'9' && b == b'0';
    let (mut counted, mut same) = (1, 1);
    for pair in bytes.windows(2) {
        let [a, b] = pair else { continue };
        counted = if follows(*a, *b) { counted + 1 } else { 1 };
        let fills = !randomness::is(*a, LETTER) || matches!(a, b'a' | b'x');
        same = if a == b && fills { same + 1 } else { 1 };
        if counted >= MIN_SERIES_BYTES || same >= MIN_SERIES_BYTES {
            return true;
        }
    }
    false
}

/// Whether the value refers to another value: `$NAME`, `${NAME}`, `{{ name }}`, `<name>`, `%NAME%`.
fn is_reference(value: &str) -> bool {
    let bytes = value.as_bytes();
    let name_length = |from: usize| randomness::run(&bytes[from.min(bytes.len())..], NAME, 128);
    let all_name = |from: usize| {
        name_length(from) > 0 && from + name_length(from) == bytes.len() && is_variable(&bytes[from..])
    };
    let wrapped = |open: &str, close: &str| value.starts_with(open) && value.contains(close);
    names_within(value)
        || (bytes[0] == b'$' && (all_name(1) || value.len() == 2))
        || wrapped("${", "}")
        || wrapped("$(", ")")
        || wrapped("{{", "}}")
        || wrapped("<%", "%>")
        || wrapped("#{", "}")
        || wrapped("${{", "}}")
        || wrapped("%(", ")")
        || (value.starts_with('<') && value.ends_with('>'))
        || (value.starts_with("((") && value.ends_with("))"))
        || (value.len() > 2 && value.starts_with('%') && value.ends_with('%') && all_name_between(bytes))
        || is_interpolated(value)
        || matches!(value, "%s" | "%d" | "%v" | "%r")
        || value.starts_with("!Ref")
        || value.starts_with("!Sub")
        || value.starts_with("$env:")
        || value.starts_with("${")
}

/// Whether the name is spelled like a variable: `DB_PASS`, `db_pass`, `dbPass`, `1`.
fn is_variable(name: &[u8]) -> bool {
    let has = |alphabet| name.iter().any(|byte| randomness::is(*byte, alphabet));
    let one_case = !(has(randomness::UPPER) && has(randomness::LOWER));
    (one_case || !has(randomness::DIGIT)) && (name.len() == 1 || !randomness::is(name[0], randomness::DIGIT))
}

/// Whether the value is a template field in braces: `{password}`, `{password!r}`, `{0}`.
fn is_interpolated(value: &str) -> bool {
    let Some(inner) = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else { return false };
    let name = |byte: u8| {
        randomness::is(byte, NAME | randomness::DOT | randomness::COLON)
            || matches!(byte, b'!' | b'[' | b']' | b'(' | b')')
    };
    !inner.is_empty() && inner.len() <= 48 && inner.bytes().all(name) && !randomness::looks_random(inner)
}

/// Whether the value contains a template expression `{{ name }}`.
fn names_within(value: &str) -> bool {
    value.find("{{").is_some_and(|at| {
        let inner = &value.as_bytes()[at + 2..];
        let name = inner
            .iter()
            .take_while(|byte| {
                randomness::is(**byte, NAME | randomness::DOT | randomness::DASH) || **byte == b' '
            })
            .count();
        name > 0 && inner[name..].starts_with(b"}}")
    })
}

fn all_name_between(bytes: &[u8]) -> bool {
    let inner = &bytes[1..bytes.len() - 1];
    !inner.is_empty() && inner.iter().all(|byte| randomness::is(*byte, NAME | randomness::DOT))
}

/// Whether the value consists of filler characters: `xxxx`, `****`, `......`, `0000`.
fn is_mask(value: &str) -> bool {
    let bytes = value.as_bytes();
    let filling = |byte: &u8| {
        matches!(byte, b'x' | b'X' | b'*' | b'#' | b'.' | b'_' | b'-' | b'?' | b'<' | b'>' | b'{' | b'}')
    };
    let mut fills = bytes.iter().filter(|byte| filling(byte)).count();
    if value.contains('\u{2022}') || value.contains('\u{2026}') {
        return true;
    }
    let zeros = bytes.iter().filter(|byte| **byte == b'0').count();
    if zeros * 10 >= bytes.len() * 7 {
        fills = fills.max(zeros);
    }
    let longest = longest_of_one(bytes, |byte| filling(&byte) || byte == b'0');
    fills * 10 >= bytes.len() * 9 || (longest >= 8 && longest * 2 >= bytes.len()) || value.ends_with("...")
}

/// Length of the longest run of one filler byte.
fn longest_of_one(bytes: &[u8], fills: impl Fn(u8) -> bool) -> usize {
    let (mut longest, mut length, mut last) = (0, 0, 0);
    for byte in bytes {
        length = if *byte == last && fills(*byte) { length + 1 } else { usize::from(fills(*byte)) };
        last = *byte;
        longest = longest.max(length);
    }
    longest
}

/// Whether the value consists of words and at least one marks it as a placeholder.
fn is_filler(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    if FILLERS.contains(&lower.as_str()) {
        return true;
    }
    let digits = lower.bytes().filter(|byte| randomness::is(*byte, randomness::DIGIT)).count();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let filling = words.clone().any(|word| {
        [
            "your",
            "example",
            "placeholder",
            "changeme",
            "dummy",
            "sample",
            "insert",
            "replace",
            "fake",
            "redacted",
        ]
        .contains(&word)
            || word.starts_with("your") && word.len() <= 12
    });
    (filling || ["fake", "dummy", "changeme", "placeholder"].iter().any(|filler| lower.contains(filler)))
        && digits <= 3
        && !randomness::looks_random(value)
        && lower.bytes().filter(|byte| randomness::is(*byte, LETTER)).count() * 3 >= lower.len() * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_variables_and_masks_are_no_secrets() {
        for value in [
            "xxxx",
            "<your-key>",
            "${VAR}",
            "$DB_PASS",
            "{{ .Values.password }}",
            "changeme",
            "a-fake-shop-key",
            "********",
            "onefakekey",
            "[redacted: github-token]",
            "your_api_key_here",
            "%TOKEN%",
            "$(cat ./password.txt)",
            "0000000000000000000000000000000000000SHOP",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in ["hunter2", "$Tr33Top71k!", "correct", "AKIAQQQQQQQQQQQQQQQQ"] {
            assert!(!is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn a_placeholder_is_as_long_as_it_is() {
        let text = format!("{} and more", of("github-token"));
        assert_eq!(length(text.as_bytes()), of("github-token").len());
        assert_eq!(length(b"[redacted: ]"), 0);
        assert_eq!(length(b"[redacted: a b]"), 0);
    }
}
