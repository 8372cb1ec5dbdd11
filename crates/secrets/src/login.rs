//! Finds the password after a user's name where a sentence is about logging in:
//! `basic auth is admin:…`, `the login for staging is demo / …`.

use std::ops::Range;

use super::randomness::{self, DIGIT, LETTER, LOWER, UPPER};
use super::{literal, placeholder};

/// Words that announce a user's name and a password.
#[rustfmt::skip]
pub const WORDS: [&str; 13] = [
    "login", "log in", "logging in", "sign in", "credentials", "creds", "basic auth", "zugangsdaten", "anmelden",
    "einloggen", "zugang", "usuario", "identifiants",
];
/// Names of users, which announce the password right after them.
pub const USERS: [&str; 3] = ["admin", "root", "demo"];

/// Maximum distance of the password from the word, in bytes.
const MAX_DISTANCE_BYTES: usize = 100;
/// Minimum length of a password without a symbol, in bytes.
const MIN_PLAIN_BYTES: usize = 8;
/// Minimum length of a password with a symbol, in bytes.
const MIN_BYTES: usize = 6;

/// Returns the password after a user's name; the announcing word is at `hit`.
pub fn password(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    password_within(text, hit, usize::MAX)
}

/// Returns the password right after the user's name at `hit`.
pub fn password_of_user(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    // The name, a slash and the password.
    password_within(text, hit, 3)
}

fn password_within(text: &str, hit: Range<usize>, words: usize) -> Option<Range<usize>> {
    let start = hit.start - randomness::run_back(&text.as_bytes()[..hit.start], LETTER, 1);
    if start < hit.start {
        return None;
    }
    let line = &text[start..text.floor_char_boundary(hit.end + MAX_DISTANCE_BYTES)];
    let line = line.split('\n').next().unwrap_or_default();
    let mut at = start;
    let mut before = "";
    let mut is_paired = false;
    for word in line.split(' ').take(words) {
        let value_at = at + word.len() - word.trim_start_matches(['`', '"', '\'', '(']).len();
        at += word.len() + 1;
        if matches!(word, "/" | "|") {
            is_paired = is_user(before);
            continue;
        }
        let from = match is_paired {
            true => Some(value_at),
            false => joined(&text[value_at..at - 1]).map(|from| value_at + from),
        };
        if let Some(from) = from {
            let length = literal::bare(&text.as_bytes()[from..], 0);
            let value = text.get(from..from + length)?;
            if looks_invented(value, is_paired) && !placeholder::is_placeholder(value) {
                return Some(from..from + length);
            }
        }
        is_paired = false;
        before = word;
    }
    None
}

/// Returns the offset of what follows a user's name and its colon or slash within a word.
fn joined(word: &str) -> Option<usize> {
    let (user, password) = word.split_once([':', '/'])?;
    (is_user(user) && !password.contains('/')).then_some(user.len() + 1)
}

fn is_user(word: &str) -> bool {
    let word = word.trim_matches(['`', '"', '\'', '(']);
    word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-+@".contains(&byte))
}

/// Whether a word looks like a password. Without white space around the slash it needs a symbol:
/// `root/usr2B` may be a path.
fn looks_invented(value: &str, is_spaced: bool) -> bool {
    let has = |alphabet| value.bytes().any(|byte| randomness::is(byte, alphabet));
    // `demo/session2#5f1c` is the place of a message.
    let has_symbol = value.bytes().any(|byte| b"!$%^&*~".contains(&byte) || is_spaced && byte == b'#');
    let is_one_word = value.bytes().all(|byte| byte.is_ascii_graphic() && !b"/\\=(){}<>".contains(&byte));
    let is_mixed = has(DIGIT) && has(LETTER) && is_one_word;
    let is_plain = is_spaced && has(UPPER) && has(LOWER) && value.len() >= MIN_PLAIN_BYTES;
    is_mixed && (is_plain || has_symbol && value.len() >= MIN_BYTES)
}

#[cfg(test)]
mod tests {
    use crate::{RedactionRules, redact};

    fn removed(text: &str) -> String {
        redact(text, &RedactionRules::default()).0.into_string()
    }

    #[test]
    fn a_password_after_a_users_name_is_found() {
        for text in [
            "login for staging is demo@example.org / Kaffee2026!",
            "staging login: demo / KaffeeTasse26",
            "the basic auth on staging is admin:Kaffee!2026",
            "log in as admin/Kaffee!2026 there",
            "grafana runs on port 3000, admin / Kaffee!2026, always use the folder Team",
            "Zugangsdaten fürs CMS: redaktion / KaffeeTasse26",
            "you can sign in with (demo:Kaffee!2026)",
            "the creds are `ci / Kaffee!2026`",
            "passwd staging Kaffee!2026",
        ] {
            let text = removed(text);
            assert!(!text.contains("Kaffee") && text.contains("[redacted"), "{text}");
        }
    }

    #[test]
    fn paths_and_words_beside_a_login_stay() {
        for text in [
            "the login is at src/auth/v2/login.rs:42",
            "login / signup of version 2 is slow",
            "log in at https://example.org/a1!b",
            "admin / staff get 403",
            "POST /login/v2?next=%2Fhome1 fails",
            "the admin:users2 scope is missing",
            "root/usr2/lib is full",
            "credentials come from AWS / Vault1 at start",
            "login via OAuth2 / OIDC",
            "demo / example-2.md has the steps!",
            "see demo/1118-1000-bbbb2222#5f1c",
        ] {
            assert_eq!(removed(text), text);
        }
    }
}
