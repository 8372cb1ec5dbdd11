//! Passwords in credential files: `.netrc`, `.pgpass`, and password hashes as in `.htpasswd` and
//! `shadow`.

use std::ops::Range;

use super::placeholder;
use super::randomness::{self, ALNUM, BASE64, DASH, DIGIT, DOT, EQUALS, NAME, PLUS_SLASH};

/// Maximum length of an entry, in bytes.
const MAX_ENTRY_BYTES: usize = 400;

/// Returns the password of a `.netrc` entry; `hit` is its keyword `machine` or `default`.
pub fn netrc(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if !randomness::begins_here(bytes, hit.start) {
        return None;
    }
    let entry = &text[hit.end..text.floor_char_boundary(hit.end + MAX_ENTRY_BYTES)];
    let mut words = words(entry, hit.end);
    // A host has a dot. "Default password length" is of a sentence, in which a plain word is no password.
    let mut is_entry = false;
    if text[hit.clone()].eq_ignore_ascii_case("machine") {
        let (_, host) = words.next()?;
        is_entry = host.contains('.');
    }
    // Keys and values in turn; any other word in the place of a key makes it a sentence.
    while let Some((_, key)) = words.next() {
        let (at, value) = words.next()?;
        match key {
            "login" | "account" => is_entry = true,
            "password" => {
                let value = value.trim_end_matches(['"', '\'', '`', ',', ';']);
                let is_plain = !is_entry && !value.bytes().any(|byte| randomness::is(byte, DIGIT));
                let secret = value.len() >= 3 && !is_plain && !placeholder::is_placeholder(value);
                return secret.then_some(at..at + value.len());
            }
            _ => return None,
        }
    }
    None
}

/// Splits text at white space, including escaped `\n` and `\t`; returns words with their offsets.
fn words(entry: &str, offset: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &entry[at..];
            if rest.starts_with("\\n") || rest.starts_with("\\t") {
                at += 2;
            } else if rest.starts_with(|c: char| c.is_ascii_whitespace()) {
                at += 1;
            } else {
                break;
            }
        }
        let rest = &entry[at..];
        let blank = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let word = &rest[..rest[..blank].find("\\n").unwrap_or(blank)];
        let start = at;
        at += word.len();
        (!word.is_empty()).then_some((offset + start, word))
    })
}

/// Returns the password of a `.pgpass` line, `host:port:database:user:password`; `hit` is the port
/// with its colons.
pub fn pgpass(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let field = |byte: &u8| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b'(')
    };
    let back = bytes[..hit.start].iter().rev().take(MAX_ENTRY_BYTES).take_while(|byte| field(byte)).count();
    let start = hit.start - back;
    let length = bytes[start..].iter().take(2 * MAX_ENTRY_BYTES).take_while(|byte| field(byte)).count();
    let entry = text.get(start..start + length)?;
    let colons: Vec<usize> =
        entry.match_indices(':').map(|(at, _)| at).filter(|at| !entry[..*at].ends_with('\\')).collect();
    let [host, port, database, user] = colons[..] else { return None };
    let has_fields = host > 0 && port + 1 < database && database + 1 < user;
    let plain = entry[..host]
        .bytes()
        .all(|byte| randomness::is(byte, NAME | DOT | DASH) || matches!(byte, b'*' | b'/'));
    let password = &entry[user + 1..];
    let secret = password.len() >= 3 && !placeholder::is_placeholder(password) && !is_count(password);
    (hit.start == start + host && has_fields && plain && secret).then_some(start + user + 1..start + length)
}

/// Whether a value is a short number, such as a line or column number.
fn is_count(value: &str) -> bool {
    value.len() <= 5 && value.bytes().all(|byte| randomness::is(byte, DIGIT))
}

/// Prefixes of password hashes: the schemes of `crypt`, LDAP and web frameworks.
#[rustfmt::skip]
pub(crate) const SCHEMES: [&str; 29] = [
    "$1$", "$2a$", "$2b$", "$2x$", "$2y$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$apr1$", "$argon2", "$scrypt$",
    "$pbkdf2", "$P$", "$H$", "pbkdf2_sha256$", "pbkdf2_sha1$", "bcrypt_sha256$", "scrypt:32768:",
    "{SHA}", "{SSHA}", "{SHA256}", "{SSHA256}", "{SHA512}", "{SSHA512}", "{MD5}", "{SMD5}", "{PBKDF2",
];

/// Returns the password hash with the scheme prefix at `hit`.
pub fn hash(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    const MIN_HASH_BYTES: usize = 22;
    let bytes = text.as_bytes();
    let exact = SCHEMES.iter().any(|scheme| text[hit.clone()] == **scheme);
    if !exact
        || hit.start > 0
            && bytes[hit.start] != b'$'
            && bytes[hit.start] != b'{'
            && randomness::is(bytes[hit.start - 1], ALNUM)
    {
        return None;
    }
    let part = |byte: &u8| {
        randomness::is(*byte, BASE64 | DOT | DASH | NAME) || matches!(byte, b'$' | b',' | b'}' | b':')
    };
    let curly = bytes[hit.start] == b'{';
    let more = bytes[hit.end..]
        .iter()
        .take(MAX_ENTRY_BYTES)
        .take_while(|byte| part(byte) && (!curly || !matches!(byte, b':' | b',')))
        .count();
    let whole = text.get(hit.start..hit.end + more)?;
    // In `shadow` fields follow, and in a list the next value.
    let colon = whole.rfind('$').and_then(|at| whole[at..].find([':', ',']).map(|colon| at + colon));
    let hash = whole[..colon.unwrap_or(whole.len())].trim_end_matches(['.', ',', ':', '}']);
    let last = hash.rsplit(['$', '}']).next().unwrap_or(hash);
    let dense = last
        .bytes()
        .all(|byte| randomness::is(byte, ALNUM | PLUS_SLASH | DOT | EQUALS | DASH | randomness::UNDERSCORE));
    let real = last.len() >= MIN_HASH_BYTES && dense && randomness::distinct(last.as_bytes()) >= 8;
    real.then_some(hit.start..hit.start + hash.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed<'t>(
        text: &'t str,
        word: &str,
        rule: fn(&str, Range<usize>) -> Option<Range<usize>>,
    ) -> Option<&'t str> {
        let at = text.find(word).unwrap();
        rule(text, at..at + word.len()).map(|range| &text[range])
    }

    #[test]
    fn entries_of_netrc_lose_their_password() {
        let found = |text| removed(text, "machine", netrc);
        assert_eq!(found("machine a.example login ada password w9kx2m4\nmachine b"), Some("w9kx2m4"));
        assert_eq!(found("machine a.example\\n  login ada\\n  password w9kx2m4\\n"), Some("w9kx2m4"));
        assert_eq!(found("machine a.example password tideglass"), Some("tideglass"));
        assert_eq!(found("machine learning password detection"), None);
        assert_eq!(found("machine a login ada password <password>"), None);
        assert_eq!(found("machine learning needs a login and a password that is long"), None);
    }

    #[test]
    fn lines_of_pgpass_lose_their_password() {
        let found = |text| removed(text, ":5432:", pgpass);
        assert_eq!(found("db.example:5432:shop:ada:w9kx2m4"), Some("w9kx2m4"));
        assert_eq!(found("db.example:5432:shop:ada"), None);
        assert_eq!(found("at 10:11:5432:13:14"), None);
    }

    #[test]
    fn hashes_go_and_their_schemes_stay() {
        let body = "kR7mossyVelvet3canyonPrize9w";
        let text = format!("ada:$apr1$k3vq8wz1${}", &body[..22]);
        assert_eq!(removed(&text, "$apr1$", hash), Some(&text[4..]));
        let text = format!("ada:$6$k3vq8wz1${body}{body}{body}:19700:0:99999:7:::");
        assert_eq!(removed(&text, "$6$", hash), Some(&text[4..text.len() - 19]));
        assert_eq!(removed("cost $2y$10$ by default", "$2y$", hash), None);
    }
}
