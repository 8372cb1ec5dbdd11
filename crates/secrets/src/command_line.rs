//! Credentials in command lines: `mysql -p…`, `sshpass -p …`, `redis-cli -a …`, and Bundler's
//! credentials for a host.

use std::ops::Range;

use super::placeholder;
use super::randomness::{self, NAME};

/// Maximum distance of a secret from the option that takes it, in bytes.
const MAX_DISTANCE_BYTES: usize = 300;

/// Programs with a one-letter flag for a password, and that flag.
pub const PROGRAMS: [(&str, &str); 5] =
    [("mysql", " -p"), ("mysqldump", " -p"), ("sshpass", " -p"), ("redis-cli", " -a"), ("mongosh", " -p")];

/// Returns the password after the flag of the program with a name that ends at `at`.
pub fn password(text: &str, at: usize, flag: &str) -> Option<Range<usize>> {
    let line = &text[at..text.floor_char_boundary(at + MAX_DISTANCE_BYTES)];
    let line = &line[..line.find(['\n', '|', ';']).unwrap_or(line.len())];
    let mut from = at + line.find(flag)? + flag.len();
    let rest = text[from..].trim_start_matches([' ', '=', '"', '\'']);
    from = text.len() - rest.len();
    let length = rest
        .bytes()
        .take(MAX_DISTANCE_BYTES)
        .take_while(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\'))
        .count();
    let value = &rest[..length];
    let mixed = value.bytes().any(|byte| !randomness::is(byte, NAME))
        || value.bytes().any(|byte| randomness::is(byte, randomness::DIGIT));
    (length >= 4 && mixed && !value.starts_with(['-', '/', '$']) && !placeholder::is_placeholder(value))
        .then_some(from..from + length)
}

/// Commands that take a token as their next argument.
pub const COMMANDS: [&str; 7] = [
    "wandb login",
    "add-authtoken",
    "ngrok authtoken",
    "snyk auth",
    "composio login",
    "importprivkey",
    "vault login",
];

/// Returns the token after the command at `hit`.
pub fn argument(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    const MIN_ARGUMENT_BYTES: usize = 20;
    let rest = text[hit.end..].strip_prefix(' ')?.trim_start_matches([' ', '"', '\'']);
    let from = text.len() - rest.len();
    let length =
        randomness::run(rest.as_bytes(), NAME | randomness::DASH | randomness::DOT, MAX_DISTANCE_BYTES);
    let value = &rest[..length];
    let mixed = value.bytes().any(|byte| randomness::is(byte, randomness::DIGIT));
    (length >= MIN_ARGUMENT_BYTES && mixed && !placeholder::is_placeholder(value))
        .then_some(from..from + length)
}

/// Returns Bundler's credentials for a host: `BUNDLE_GEMS__EXAMPLE__COM=user:password`, or after
/// `bundle config`. `at` is the end of the word `bundle`.
pub(crate) fn bundler(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let name = randomness::run(&bytes[at..], NAME, 80);
    let after = at + name;
    if name > 0 && !text[at..after].contains("__") || text[at..].starts_with('/') {
        return None;
    }
    let line = &text[after..text.floor_char_boundary(after + MAX_DISTANCE_BYTES)];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    if name == 0 && !line.trim_start().starts_with("config") {
        return None;
    }
    let mut start = after;
    for word in line.split([' ', '=', '"', '\'', ';']) {
        if is_pair(word) && !placeholder::is_placeholder(word) {
            return Some(start..start + word.len());
        }
        start += word.len() + 1;
    }
    None
}

/// Whether a word is a user name and a password separated by a colon.
fn is_pair(word: &str) -> bool {
    let Some((user, password)) = word.split_once(':') else { return false };
    let plain = |part: &str| {
        part.len() >= 6 && part.bytes().all(|byte| randomness::is(byte, NAME | randomness::DASH))
    };
    plain(user) && plain(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_behind_flags_of_one_letter_are_found() {
        assert_eq!(password("mysql -u root -ps3cr3t! shop", 5, " -p").map(|range| range.len()), Some(7));
        assert_eq!(password("mysql -u root -p shop", 5, " -p"), None);
        assert_eq!(password("sshpass -p \"$PASS\" ssh host", 7, " -p"), None);
    }

    #[test]
    fn the_credentials_of_a_host_are_found() {
        let text = "BUNDLE_GEMS__EXAMPLE__COM=cafe1234:dead1234";
        assert_eq!(bundler(text, 6).map(|range| &text[range]), Some("cafe1234:dead1234"));
        assert_eq!(bundler("bundle install --path x", 6), None);
    }
}
