//! Character statistics of a text: its alphabet, and whether a person or a generator wrote it.
//!
//! The context of the text is evaluated elsewhere.

/// A set of byte classes, as a bit set.
pub type Alphabet = u16;

/// `A` to `Z`.
pub const UPPER: Alphabet = 1;
/// `a` to `z`.
pub const LOWER: Alphabet = 1 << 1;
/// `0` to `9`.
pub const DIGIT: Alphabet = 1 << 2;
/// `a` to `f`.
const HEX_LETTER: Alphabet = 1 << 3;
/// `A` to `F`.
const HEX_CAPITAL: Alphabet = 1 << 4;
/// `_`.
pub(crate) const UNDERSCORE: Alphabet = 1 << 5;
/// `-`.
pub(crate) const DASH: Alphabet = 1 << 6;
/// `.`.
pub const DOT: Alphabet = 1 << 7;
/// `+` and `/`.
pub(crate) const PLUS_SLASH: Alphabet = 1 << 8;
/// `=`.
pub(crate) const EQUALS: Alphabet = 1 << 9;
/// `~`.
pub(crate) const TILDE: Alphabet = 1 << 10;
/// `%`.
pub(crate) const PERCENT: Alphabet = 1 << 11;
/// `:`.
pub(crate) const COLON: Alphabet = 1 << 12;

pub const LETTER: Alphabet = UPPER | LOWER;
pub(crate) const ALNUM: Alphabet = LETTER | DIGIT;
/// Characters of identifiers.
pub const NAME: Alphabet = ALNUM | UNDERSCORE;
/// URL-safe base64 without padding.
pub(crate) const URL_SAFE: Alphabet = NAME | DASH;
/// Base64 with padding.
pub(crate) const BASE64: Alphabet = ALNUM | PLUS_SLASH | EQUALS;
/// Lower-case hexadecimal digits.
pub const HEX: Alphabet = DIGIT | HEX_LETTER;
/// Hexadecimal digits in either case.
pub(crate) const ANY_HEX: Alphabet = HEX | HEX_CAPITAL;

const CLASSES: [Alphabet; 256] = classes();

const fn classes() -> [Alphabet; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = class_of(byte as u8);
        byte += 1;
    }
    table
}

const fn class_of(byte: u8) -> Alphabet {
    match byte {
        b'A'..=b'F' => UPPER | HEX_CAPITAL,
        b'G'..=b'Z' => UPPER,
        b'a'..=b'f' => LOWER | HEX_LETTER,
        b'g'..=b'z' => LOWER,
        b'0'..=b'9' => DIGIT,
        b'_' => UNDERSCORE,
        b'-' => DASH,
        b'.' => DOT,
        b'+' | b'/' => PLUS_SLASH,
        b'=' => EQUALS,
        b'~' => TILDE,
        b'%' => PERCENT,
        b':' => COLON,
        _ => 0,
    }
}

/// Whether the byte belongs to the alphabet.
pub fn is(byte: u8, alphabet: Alphabet) -> bool {
    CLASSES[usize::from(byte)] & alphabet != 0
}

/// Number of leading bytes in the alphabet, at most `limit`.
pub fn run(text: &[u8], alphabet: Alphabet, limit: usize) -> usize {
    text.iter().take(limit).take_while(|byte| is(**byte, alphabet)).count()
}

/// Number of trailing bytes in the alphabet, at most `limit`.
pub(crate) fn run_back(text: &[u8], alphabet: Alphabet, limit: usize) -> usize {
    text.iter().rev().take(limit).take_while(|byte| is(**byte, alphabet)).count()
}

/// Whether a word can begin at this offset: no letter or digit precedes it, except at the end of an
/// escape such as `\n`, `\u0022`, `%3D` or a color code.
pub(crate) fn begins_here(text: &[u8], at: usize) -> bool {
    let before = &text[..at.min(text.len())];
    match before {
        [] => true,
        [.., last] if !is(*last, ALNUM) => true,
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'%', a, b] if is(*a, ANY_HEX) && is(*b, ANY_HEX) => true,
        [.., b'm'] => {
            let digits = run_back(&before[..before.len() - 1], DIGIT, 3);
            before[..before.len() - 1 - digits].last() == Some(&b'[')
        }
        _ => unicode_escape_ends(before),
    }
}

fn unicode_escape_ends(before: &[u8]) -> bool {
    let Some(from) = before.len().checked_sub(6) else { return false };
    before[from..].starts_with(b"\\u") && before[from + 2..].iter().all(|byte| is(*byte, ANY_HEX))
}

/// Whether the text is a UUID, with or without braces.
pub fn is_uuid(text: &str) -> bool {
    let text = text.trim_start_matches('{').trim_end_matches('}');
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && text.bytes().all(|byte| is(byte, ANY_HEX | DASH))
}

/// Whether the text is a UUID of version 1, which is made from clock and network address and can be
/// guessed.
pub(crate) fn is_clock_uuid(text: &str) -> bool {
    is_uuid(text) && text.trim_start_matches('{').as_bytes().get(14) == Some(&b'1')
}

/// Whether the text has the form of a digest: hexadecimal digits in one case, with the length of a
/// common hash.
pub(crate) fn is_digest(text: &str) -> bool {
    let one_case = text.bytes().all(|b| is(b, HEX)) || text.bytes().all(|b| is(b, ANY_HEX) && !is(b, LOWER));
    one_case && matches!(text.len(), 32 | 40 | 56 | 64 | 96 | 128)
}

/// Whether the text is labelled as a digest: `sha256:…`, `sha512-…`, `md5=…`, `h1:…`.
pub(crate) fn names_digest(text: &str) -> bool {
    const HEADS: [&str; 9] =
        ["sha1", "sha224", "sha256", "sha384", "sha512", "md5", "h1", "blake3", "blake2b"];
    let Some(end) = text.find([':', '-', '=', '/']) else { return false };
    HEADS.iter().any(|head| text[..end].eq_ignore_ascii_case(head))
}

/// Whether the text is probably generated: few of its characters belong to words or plain numbers.
pub(crate) fn looks_random(text: &str) -> bool {
    let bytes = text.as_bytes();
    let letters = bytes.iter().filter(|byte| is(**byte, LETTER)).count();
    let digits = bytes.iter().filter(|byte| is(**byte, DIGIT)).count();
    if letters + digits < 6 || distinct(bytes) < 5.min(bytes.len() / 2) {
        return false;
    }
    if letters == 0 {
        return false;
    }
    let readable = readable(bytes);
    if digits == 0 {
        // Without digits only an unnatural mixture of cases, or unspeakable letters, tell a generator.
        return letters >= 16 && readable * 2 < letters;
    }
    let all = letters + digits;
    let mixes = mixes(bytes);
    readable * 2 <= all && (mixes >= 2 || readable == 0 && distinct(bytes) >= 6)
        || mixes >= 4 && readable * 4 <= all * 3
}

/// Number of changes between letters and digits.
fn mixes(bytes: &[u8]) -> usize {
    bytes.windows(2).filter(|pair| is(pair[0], LETTER) && is(pair[1], DIGIT)).count()
        + bytes.windows(2).filter(|pair| is(pair[0], DIGIT) && is(pair[1], LETTER)).count()
}

/// Number of distinct bytes.
pub fn distinct(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    bytes.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// Number of characters that a person could have written: pronounceable words of at least three
/// letters, and separate numbers.
fn readable(bytes: &[u8]) -> usize {
    let mut sum = 0;
    let mut at = 0;
    while at < bytes.len() {
        let word = word_length(&bytes[at..]);
        let number = run(&bytes[at..], DIGIT, usize::MAX);
        if word > 0 {
            let before = at == 0 || !is(bytes[at - 1], ALNUM);
            let after = bytes.get(at + word).is_none_or(|byte| !is(*byte, ALNUM));
            // Three letters are read as a word only where they stand alone: generators make such by chance.
            let is_word = if word == 3 { before && after } else { word > 3 };
            let digit_after = bytes.get(at + word).is_some_and(|byte| is(*byte, DIGIT));
            if is_word && (!digit_after || word >= 5 || before) && speakable(&bytes[at..at + word]) {
                sum += word;
            }
            at += word;
        } else if number > 0 {
            let after = bytes.get(at + number).is_none_or(|byte| !is(*byte, LETTER));
            let before = at == 0 || !is(bytes[at - 1], LETTER);
            if after && before {
                sum += number;
            }
            at += number;
        } else {
            at += 1;
        }
    }
    sum
}

/// Length of the word at the start, by the rules of camel case: `Secret`, `SECRET`, `secret`.
fn word_length(bytes: &[u8]) -> usize {
    let capitals = run(bytes, UPPER, usize::MAX);
    let small = run(&bytes[capitals..], LOWER, usize::MAX);
    match (capitals, small) {
        (0, small) => small,
        (capitals, 0) => capitals,
        (1, small) => 1 + small,
        // `HTTPServer`: the last capital begins the next word.
        (capitals, _) => capitals - 1,
    }
}

/// Whether the letters are pronounceable: a usual share of vowels, and no long run of consonants.
fn speakable(word: &[u8]) -> bool {
    let vowel = |byte: &u8| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    let vowels = word.iter().filter(|byte| vowel(byte)).count();
    let longest = word.split(vowel).map(<[u8]>::len).max().unwrap_or(0);
    let rare = word.windows(2).filter(|pair| unlikely(pair[0], pair[1])).count();
    vowels * 5 >= word.len() && vowels * 4 <= word.len() * 3 && longest <= 4 && rare * 6 <= word.len()
}

/// Whether two adjacent letters are rare in words.
fn unlikely(a: u8, b: u8) -> bool {
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    match a {
        b'q' => b != b'u',
        b'j' | b'v' | b'z' | b'x' | b'w' => {
            !matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y' | b'r' | b'l' | b'n' | b's' | b't' | b'h')
                && a != b
        }
        _ => matches!(b, b'q' | b'j' | b'x' | b'z') && !is_vowel_or(a, b),
    }
}

fn is_vowel_or(a: u8, b: u8) -> bool {
    matches!(a, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
        || (a == b'n' || a == b'd' || a == b's' || a == b't') && b != b'x'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_generator_made_is_distinguished_from_what_a_person_wrote() {
        for text in [
            "7q4hzk2w9xj5vb1",
            "w8k3r5t1z7q2m4",
            "qTz4LwPbk7RmXcVd2HnGy8SjWfZt5KrQp3MxBv9NdLs",
            "5kx27rwqbdhgtz94",
        ] {
            assert!(looks_random(text), "{text}");
        }
        for text in [
            "my-secret-token-v2",
            "SHOP-V4-API-KEY",
            "PAGE_Layout_7_12",
            "put_your_key_here",
            "test-api-key-12345",
            "20231217",
        ] {
            assert!(!looks_random(text), "{text}");
        }
    }

    #[test]
    fn a_name_begins_after_an_escape_as_well() {
        for (text, begins) in [
            ("xghp", false),
            (" ghp", true),
            ("\\nghp", true),
            ("%3Dghp", true),
            ("\\u0022ghp", true),
            ("\u{1b}[31mghp", true),
        ] {
            assert_eq!(begins_here(text.as_bytes(), text.len() - 3), begins, "{text}");
        }
    }
}
