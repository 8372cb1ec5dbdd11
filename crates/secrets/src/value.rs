//! Decides whether an assigned value is a secret; the strength of the name determines how random it
//! must look.

use super::name_strength::NameStrength;
use super::placeholder;
use super::randomness::{self, ALNUM, DIGIT, DOT, LETTER, LOWER, NAME, UPPER};

/// Whether a value assigned to a name of this strength is a secret.
pub fn is_secret(value: &str, strength: NameStrength, quoted: bool) -> bool {
    let value = value.trim();
    if value.len() < 4
        || placeholder::is_placeholder(value)
        || randomness::names_digest(value)
        || is_address(value)
    {
        return false;
    }
    if value.contains(char::is_whitespace) {
        return strength == NameStrength::Strong && quoted && is_phrase(value);
    }
    if is_code(value, quoted) || is_number(value) || is_date(value) {
        return false;
    }
    match strength {
        NameStrength::Strong => is_password(value, quoted) || is_token(value, 8),
        NameStrength::Medium => is_token(value, 8) || is_garbled(value) || is_long_number(value),
        NameStrength::Weak => {
            value.len() >= 14
                && !value.to_ascii_lowercase().contains("abcdefghijklmnopqrstuvwxyz")
                && is_token(value, 14)
                && !names_content(value)
                && !is_dotted_version(value)
        }
    }
}

/// Whether the value is a UUID or a digest, or ends with one, as keys of caches and tables do.
fn names_content(value: &str) -> bool {
    let tail = value.len().checked_sub(36).and_then(|at| value.get(at..));
    let digest = value.rsplit(['-', '_', '/']).next().is_some_and(randomness::is_digest);
    tail.is_some_and(randomness::is_uuid) || digest
}

/// Whether the attribute of a configuration element is a password: anything but a placeholder.
pub(crate) fn is_stored(value: &str) -> bool {
    value.len() >= 6 && !placeholder::is_placeholder(value) && !value.contains(char::is_whitespace)
}

/// Returns the byte ranges of words that are secrets themselves, as in `Bearer …`.
pub(crate) fn secret_parts(value: &str) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut at = 0;
    for part in value.split(' ') {
        if part.len() >= 16 && is_secret(part, NameStrength::Medium, true) && !randomness::is_uuid(part) {
            parts.push((at, at + part.len()));
        }
        at += part.len() + 1;
    }
    parts
}

/// Whether the value looks generated and has at least `least` bytes.
fn is_token(value: &str, least: usize) -> bool {
    if value.len() < least || randomness::is_clock_uuid(value) {
        return false;
    }
    let secret_of_aws = value.len() == 40 && is_mixed_base64(value);
    secret_of_aws
        || randomness::is_uuid(value)
        || randomness::looks_random(value)
        || is_key_pattern(value)
        || is_long_mixture(value)
}

/// Whether the value is a number too long for a count.
fn is_long_number(value: &str) -> bool {
    (15..=40).contains(&value.len())
        && value.bytes().all(|byte| randomness::is(byte, DIGIT))
        && randomness::distinct(value.as_bytes()) >= 5
}

/// Whether the value is a long mixture of digits and letters without words, which `looks_random`
/// considers too regular.
fn is_long_mixture(value: &str) -> bool {
    let bytes = value.as_bytes();
    let count = |alphabet| bytes.iter().filter(|byte| randomness::is(**byte, alphabet)).count();
    let plain = count(NAME | randomness::DASH | randomness::PLUS_SLASH | randomness::EQUALS | DOT);
    value.len() >= 20
        && plain * 10 >= bytes.len() * 9
        && count(DIGIT) >= 4
        && count(LETTER) >= 4
        && value
            .split(['-', '_', '.', '/'])
            .any(|part| part.len() >= 20 && part.bytes().any(|b| randomness::is(b, DIGIT)))
}

fn is_mixed_base64(value: &str) -> bool {
    let has = |alphabet| value.bytes().any(|byte| randomness::is(byte, alphabet));
    value.bytes().all(|byte| randomness::is(byte, randomness::BASE64))
        && has(UPPER)
        && has(LOWER)
        && has(DIGIT)
}

/// Whether the value mixes upper-case letters, lower-case letters and digits like a base64 key.
fn is_key_pattern(value: &str) -> bool {
    let bytes = value.as_bytes();
    let count = |alphabet| bytes.iter().filter(|byte| randomness::is(**byte, alphabet)).count();
    value.len() >= 32
        && bytes.iter().all(|byte| randomness::is(*byte, randomness::BASE64 | randomness::URL_SAFE | DOT))
        && count(UPPER) >= 4
        && count(LOWER) >= 4
        && count(DIGIT) >= 3
        && !value.contains("//")
}

/// Whether the value looks like a password invented by a person: letters mixed with digits or
/// punctuation.
fn is_password(value: &str, quoted: bool) -> bool {
    let bytes = value.as_bytes();
    let count = |alphabet| bytes.iter().filter(|byte| randomness::is(**byte, alphabet)).count();
    let (letters, digits) = (count(LETTER), count(DIGIT));
    let joints = bytes.iter().filter(|byte| matches!(byte, b'_' | b'-' | b'.' | b'/' | b':')).count();
    let signs = bytes.len() - letters - digits - joints;
    if is_garbled(value) {
        return true;
    }
    if value.len() < 6 || letters == 0 && signs == 0 || is_path(value) {
        return false;
    }
    let mixed = digits > 0 || signs > 0;
    let enough =
        if quoted { mixed } else { mixed && (signs > 0 && letters > 0 || digits >= 1 && letters >= 4) };
    enough && !is_version_like(value) && (letters > 0 || signs >= 3 && value.len() >= 8)
}

/// Whether the value is a passphrase: several lower-case words, without the common words of
/// sentences.
fn is_phrase(value: &str) -> bool {
    const OF_SENTENCES: [&str; 22] = [
        "is",
        "the",
        "must",
        "required",
        "your",
        "please",
        "invalid",
        "enter",
        "should",
        "be",
        "not",
        "for",
        "to",
        "has",
        "was",
        "are",
        "reset",
        "a",
        "no",
        "or",
        "new",
        "incorrect",
    ];
    let words: Vec<&str> = value.split_whitespace().collect();
    let plain = words.iter().all(|word| word.bytes().all(|byte| randomness::is(byte, LOWER | DIGIT)));
    (4..=12).contains(&words.len()) && plain && !words.iter().any(|word| OF_SENTENCES.contains(word))
}

/// Whether the value has many kinds of punctuation in an order that no language uses.
fn is_garbled(value: &str) -> bool {
    let signs: Vec<u8> = value
        .bytes()
        .filter(|byte| byte.is_ascii_punctuation() && !matches!(byte, b'_' | b'-' | b'.'))
        .collect();
    randomness::distinct(&signs) >= 6
        && value.len() >= 10
        && value.bytes().any(|byte| randomness::is(byte, ALNUM))
}

/// Whether the value is code, such as a call, a path through an object, a type or a condition,
/// rather than a literal.
fn is_code(value: &str, quoted: bool) -> bool {
    let bytes = value.as_bytes();
    let called = value.find('(').is_some_and(|at| {
        at > 0
            && bytes[..at].iter().all(|byte| {
                randomness::is(*byte, NAME | DOT) || matches!(byte, b':' | b'!' | b'&' | b'<' | b'>')
            })
    });
    let indexed = value.find(['[', '<', '!']).is_some_and(|at| {
        let opens = bytes[at] != b'!' || matches!(bytes.get(at + 1), Some(b'[' | b'(' | b'{' | b'='));
        at > 1
            && opens
            && bytes[..at].iter().all(|byte| randomness::is(*byte, NAME | DOT | randomness::COLON))
            && (bytes[at] == b'<' || !randomness::looks_random(&value[..at]))
    });
    let dotted = value.split('.').count() >= 2
        && value.split(['.', '?', '!']).all(|part| {
            part.bytes().all(|b| randomness::is(b, NAME))
                && part.bytes().next().is_none_or(|b| !randomness::is(b, DIGIT))
        })
        && value
            .split('.')
            .all(|part| (part.len() < 14 || !randomness::looks_random(part)) && part.len() <= 24);
    let scoped = value.contains("::")
        || value.contains("->")
        || value.contains("=>")
        || value.starts_with("&&")
        || value.starts_with("||");
    if quoted {
        return value.contains("\\x")
            || value.contains("(?:")
            || (called && value.ends_with(')'))
            || value.starts_with("process.env")
            || value.starts_with("os.environ");
    }
    // `a.b,c||(d=1` is a piece of a program without blanks.
    let name = randomness::run(bytes, NAME | DOT, usize::MAX);
    let goes_on = name >= 2 && matches!(bytes.get(name), Some(b',' | b'|' | b'&' | b'?' | b';' | b'='));
    let piece = goes_on && (value.contains('(') || value.contains("||") || value.contains("&&"));
    if called || indexed || piece || value.starts_with(['(', '[', '<', '&', '*', '!']) {
        return true;
    }
    let constant = value.contains('_')
        && bytes.iter().all(|byte| randomness::is(*byte, UPPER | DIGIT | randomness::UNDERSCORE))
        && value
            .split('_')
            .any(|part| part.len() >= 2 && part.bytes().all(|byte| randomness::is(byte, UPPER)));
    !is_garbled(value)
        && (constant
            || dotted
            || scoped
            || value.starts_with("process.env")
            || value.starts_with("os.environ"))
}

/// Whether the value is a number in source code: `-12`, `0xff_u32`, `8388608i32`, `1.5e3`.
fn is_number(value: &str) -> bool {
    let digits = value.trim_start_matches(['-', '+']);
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let (body, alphabet) = hex.map_or((digits, DIGIT | DOT), |hex| (hex, randomness::ANY_HEX));
    let body = body
        .trim_end_matches("u32")
        .trim_end_matches("i32")
        .trim_end_matches("u64")
        .trim_end_matches("i64")
        .trim_end_matches("usize");
    let count = body.bytes().filter(|byte| *byte != b'_').count();
    let plain = body.bytes().all(|byte| randomness::is(byte, alphabet) || byte == b'_');
    plain && if hex.is_some() { count <= 16 } else { count < 15 || body.contains('.') }
}

/// Whether the value is a date or time in ISO 8601.
fn is_date(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.len() >= 10
        && bytes[4] == b'-'
        && bytes[7] == b'-'
        && bytes.iter().filter(|byte| randomness::is(**byte, LETTER)).count() <= 2
        && bytes[..4].iter().all(|byte| randomness::is(*byte, DIGIT))
}

/// Whether the value is a URL or path; credentials in URLs are detected elsewhere.
fn is_address(value: &str) -> bool {
    let scheme = value.find("://").is_some_and(|at| {
        value[..at].bytes().all(|byte| randomness::is(byte, ALNUM | DOT) || byte == b'+' || byte == b'-')
    });
    scheme
        || value.starts_with("mailto:")
        || value.starts_with("data:")
        || value.starts_with("arn:")
        || is_path(value)
}

fn is_path(value: &str) -> bool {
    let rooted = ["./", "../", "~/", "/", "C:\\", "file:", "@/"].iter().any(|root| value.starts_with(root));
    rooted
        && (value[1..].contains('/') || value.contains('.') || value.contains('\\'))
        && !value.split(['/', '.', '\\']).any(randomness::looks_random)
}

/// Whether the value is a version, range, date or size: digits and separators with at most two
/// letters.
fn is_version_like(value: &str) -> bool {
    let letters = value.bytes().filter(|byte| randomness::is(*byte, LETTER)).count();
    letters <= 2
        && value.bytes().all(|byte| {
            randomness::is(byte, ALNUM | DOT | randomness::DASH)
                || matches!(byte, b':' | b'+' | b'%' | b'/' | b',' | b'^')
        })
}

fn is_dotted_version(value: &str) -> bool {
    value.split('.').count() > 3
        || value
            .split('.')
            .take(2)
            .all(|part| !part.is_empty() && part.len() <= 4 && part.bytes().any(|b| randomness::is(b, DIGIT)))
        || randomness::is_digest(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_may_be_what_people_think_up() {
        for (value, quoted) in [
            ("hunter2", false),
            ("P@ssw0rd", false),
            ("q[[w}e)r${t]plain{ly(odd>-_$#signs}}", false),
            ("K(v81trb'6ow{xQ3", true),
        ] {
            assert!(is_secret(value, NameStrength::Strong, quoted), "{value}");
        }
        for (value, quoted) in [
            ("string", false),
            ("config.db.password", false),
            ("getpass()", false),
            ("real_key", false),
            ("/etc/passwd", false),
            ("true", true),
            ("Password is required", true),
            ("hash(user", false),
        ] {
            assert!(!is_secret(value, NameStrength::Strong, quoted), "{value}");
        }
    }

    #[test]
    fn a_token_must_look_random() {
        assert!(is_secret("7q4hzk2w9xj5vb1", NameStrength::Medium, false));
        assert!(is_secret("5D2C7E10-4B9A-4F3E-8C61-90A7B3D5E2F4", NameStrength::Medium, true));
        assert!(!is_secret("SHOP-V4-API-KEY", NameStrength::Medium, true));
        assert!(!is_secret("5c1f7d20-9e4b-11ee-8b2a-1d2e3f4a5b6c", NameStrength::Medium, false));
        assert!(!is_secret("6E2C7E10-4B9A-4F3E-8C61-90A7B3D5E2F4", NameStrength::Weak, true));
    }
}
