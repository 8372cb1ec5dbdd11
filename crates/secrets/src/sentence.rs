//! Finds the value that a sentence gives to a password: `the password for staging is …`,
//! `la contraseña de jenkins es …`, `密码是…`.

use super::randomness::{self, DIGIT, LETTER, UPPER};

/// Where a sentence names a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stated {
    /// Offset of the value after the name.
    pub at: usize,
    pub distance: Distance,
}

/// How a value is joined to its name. Each needs more of the value than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Distance {
    /// By a verb: `the password is X`.
    Verb,
    /// By a colon after a verb, or after what the password is for: `the password for the WLAN: X`.
    Colon,
    /// By a verb after what the password is for: `the password of the mail server is X`.
    Clause,
    /// By nothing: `user ci and password X`.
    Adjacent,
    /// By a word that says what the password is for: `passwd staging X`.
    Word,
}

/// Verbs between a name and its value, each with its space.
const VERBS: [&str; 13] =
    ["is ", "was ", "will be ", "ist ", "war ", "lautet ", "es ", "era ", "est ", "é ", "是", "为", "は"];
/// Words that begin what a password is for.
const LINKS: [&str; 26] = [
    "for ", "of ", "to ", "on ", "in ", "at ", "from ", "für ", "fürs ", "am ", "im ", "beim ", "von ",
    "vom ", "zum ", "zur ", "der ", "des ", "de ", "del ", "para ", "en ", "pour ", "du ", "do ", "da ",
];
/// Maximum length in bytes of what a password is for.
const MAX_CLAUSE_BYTES: usize = 80;

/// Returns where the text after a name, without white space at its beginning, gives the value.
pub(super) fn stated(rest: &str) -> Stated {
    if let Some(at) = VERBS.iter().find_map(|verb| colon_after(rest, verb)) {
        return Stated { at: spaced(rest, at), distance: Distance::Colon };
    }
    if let Some(verb) = VERBS.iter().find(|verb| rest.starts_with(**verb)) {
        return Stated { at: spaced(rest, verb.len()), distance: Distance::Verb };
    }
    let clause = LINKS.iter().any(|link| rest.starts_with(link)).then(|| clause_end(rest)).flatten();
    match clause {
        Some((at, distance)) => Stated { at: spaced(rest, at), distance },
        None => match word_before(rest) {
            Some(at) => Stated { at, distance: Distance::Word },
            None => Stated { at: 0, distance: Distance::Adjacent },
        },
    }
}

/// Returns the offset behind one word of letters.
fn word_before(rest: &str) -> Option<usize> {
    let (word, _) = rest.split_once(' ')?;
    (!word.is_empty() && word.chars().all(char::is_alphabetic)).then_some(word.len() + 1)
}

/// Returns the end of the colon behind a verb at the beginning: `lautet: `.
fn colon_after(rest: &str, verb: &str) -> Option<usize> {
    let after = rest.strip_prefix(verb.trim_end())?;
    let colon = after.trim_start_matches(' ').strip_prefix([':', '：'])?;
    (!colon.starts_with("//")).then_some(rest.len() - colon.len())
}

/// Returns the end of the verb or the colon that follows what the password is for.
fn clause_end(rest: &str) -> Option<(usize, Distance)> {
    let mut before = ' ';
    for (at, c) in rest.char_indices().take_while(|(at, _)| *at < MAX_CLAUSE_BYTES) {
        let tail = &rest[at..];
        let ends_sentence = matches!(c, '.' | '!' | '?') && tail[1..].starts_with([' ', '\n']);
        if ends_sentence || matches!(c, '\n' | ';' | '"' | '`' | '(' | '=') {
            return None;
        }
        if matches!(c, ':' | '：') && !tail.starts_with("://") {
            return Some((at + c.len_utf8(), Distance::Colon));
        }
        if before == ' ' || !c.is_ascii() {
            if let Some(end) = VERBS.iter().find_map(|verb| colon_after(tail, verb)) {
                return Some((at + end, Distance::Colon));
            }
            if let Some(verb) = VERBS.iter().find(|verb| tail.starts_with(**verb)) {
                return Some((at + verb.len(), Distance::Clause));
            }
        }
        before = c;
    }
    None
}

/// Minimum length in bytes of a password of lower-case letters and digits behind a colon.
const MIN_COLON_BYTES: usize = 8;

/// Skips white space.
fn spaced(rest: &str, at: usize) -> usize {
    at + rest[at..].len() - rest[at..].trim_start_matches([' ', '\t']).len()
}

/// Whether a value that is not joined to its name by a mere verb looks invented enough for a password. In
/// most sentences about passwords a common word stands there.
pub(super) fn looks_invented(value: &str, distance: Distance) -> bool {
    let has = |alphabet| value.bytes().any(|byte| randomness::is(byte, alphabet));
    let inner = value.trim_end_matches(|c: char| c.is_ascii_punctuation());
    let has_symbol = inner.bytes().any(|byte| b"!@#$%&*?+=^~".contains(&byte));
    let is_mixed = value.len() >= 6 && has(DIGIT) && has(LETTER) && !value.contains(char::is_whitespace);
    match distance {
        Distance::Colon => is_mixed && (has_symbol || has(UPPER) || value.len() >= MIN_COLON_BYTES),
        Distance::Verb | Distance::Clause => is_mixed && (has_symbol || has(UPPER)),
        Distance::Adjacent => is_mixed && has_symbol && value.starts_with(|c: char| c.is_alphanumeric()),
        // `the password manager keepass@2.1` has an `@` too.
        Distance::Word => {
            let has_symbol = inner.bytes().any(|byte| b"!#$%&*^~".contains(&byte));
            is_mixed && has_symbol && value.starts_with(|c: char| c.is_alphanumeric())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{RedactionRules, redact};

    fn removed(text: &str) -> String {
        redact(text, &RedactionRules::default()).0.into_string()
    }

    #[test]
    fn a_password_is_found_in_a_sentence() {
        for text in [
            "password for the staging db is Kaffee!2026, always log in there as admin",
            "the password of the mail server is Kaffee!2026.",
            "the wifi password in the office is Kaffee!2026",
            "la contraseña de jenkins es Kaffee!2026, siempre usa esa",
            "le mot de passe de jenkins est Kaffee!2026",
            "the passphrase for the backup: Kaffee!2026",
            "pw: Kaffee!2026",
            "pw of the db on staging: Kaffee!2026",
            "PW fürs WLAN im Büro: Kaffee!2026",
            "log in with user ci and password Kaffee!2026 there",
            "das Passwort für den Server lautet Kaffee!2026",
            "Jenkins 的密码是 Kaffee!2026，不要外传",
            "密码：Kaffee!2026",
            "пароль: Kaffee!2026",
        ] {
            let text = removed(text);
            assert!(!text.contains("Kaffee!2026") && text.contains("[redacted"), "{text}");
        }
        for text in [
            "the wifi password: geheim12345",
            "The password for the WLAN: geheim12345",
            "the password of the mail server is: geheim12345",
            "Passwort für WLAN: geheim12345",
            "Das Passwort lautet: geheim12345",
            "Das Kennwort vom Router ist: geheim12345",
            "El contraseña es: geheim12345",
            "la contraseña del wifi: geheim12345",
            "le mot de passe est : geheim12345",
            "le mot de passe pour le wifi: geheim12345",
            "WiFi 密码是：geheim12345",
        ] {
            let text = removed(text);
            assert!(!text.contains("geheim12345") && text.contains("[redacted"), "{text}");
        }
    }

    #[test]
    fn sentences_about_passwords_stay() {
        for text in [
            "the password for the staging db is in the vault",
            "The password of each user is hashed with sha256.",
            "the password policy is 12 characters",
            "Create random passwords (default password length 12)",
            "Print pw in pixels: 1200px of 1600px2",
            "the pw of each page is 30em, see Layout2",
            "password for admins is required since v2",
            "use password OAuth2 flow",
            "a password of 12 characters is enough",
            "the password for the demo is optional. See https://example.org/A1?b=2",
            "le test passe est vert à 100%",
            "SYSTEM \"file:///etc/passwd\" %3E]%3E<foo%3E",
            "密码是必填的",
            "Passwort für die Demo: siehe Kapitel 3",
            "the password for the demo: see section2.",
            "Das Passwort lautet: frag Anna",
            "the secret of good tests: pytest8 fixtures",
        ] {
            assert_eq!(removed(text), text);
        }
    }
}
