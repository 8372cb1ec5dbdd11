//! Credentials in URLs: `scheme://user:password@host`, and webhooks with a secret path.

use std::ops::Range;

use super::placeholder;
use super::randomness::{self, ALNUM, NAME};

/// Maximum length of a URL's credentials, in bytes.
pub(crate) const MAX_CREDENTIAL_BYTES: usize = 512;

/// Returns the password before the `@` of a URL; its `://` is at `at`.
pub fn password(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let from = at + 3;
    if !at.checked_sub(1).is_some_and(|before| randomness::is(bytes[before], ALNUM)) {
        return None;
    }
    let end = from + authority(&bytes[from..])?;
    let info = text.get(from..end)?;
    let Some(colon) = info.find(':') else {
        // The key of a Sentry address goes to every client.
        let host = &text[end..text.floor_char_boundary(end + 64)];
        let public = host.contains("sentry");
        let alone = info.len() >= 16
            && randomness::looks_random(info)
            && !placeholder::is_placeholder(info)
            && !public;
        return alone.then_some(from..end);
    };
    let (user, password) = (&info[..colon], &info[colon + 1..]);
    (!password.is_empty() && !is_example(user, password)).then_some(from + colon + 1..end)
}

/// Returns the offset of the `@` that ends user and password. Passwords may contain reserved
/// characters.
fn authority(bytes: &[u8]) -> Option<usize> {
    let mut found = None;
    let mut colon = false;
    let name = randomness::run(bytes, NAME | randomness::DOT | randomness::DASH, MAX_CREDENTIAL_BYTES);
    for (at, byte) in bytes.iter().take(MAX_CREDENTIAL_BYTES).enumerate() {
        match byte {
            b'@' => found = Some(at),
            b':' => colon = true,
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b'\\' => break,
            b'/' | b'?' | b'#' if found.is_some() => break,
            // A slash in a password is rare, one before the path is not: only where a colon came before and no dot.
            b'/' | b'?' if !colon || name + 1 + port(&bytes[..at]) >= at => break,
            _ => {}
        }
    }
    found
}

/// Number of trailing digits, as in a port.
fn port(bytes: &[u8]) -> usize {
    randomness::run_back(bytes, randomness::DIGIT, 6)
}

/// Whether the password is an example, as in documentation.
fn is_example(user: &str, password: &str) -> bool {
    let common = [
        "password",
        "pass",
        "pwd",
        "passwd",
        "pw",
        "secret",
        "token",
        "postgres",
        "root",
        "guest",
        "x-oauth-basic",
    ];
    let repeated = user == password && user.bytes().all(|byte| randomness::is(byte, randomness::LOWER));
    placeholder::is_placeholder(password)
        || common.contains(&password.to_ascii_lowercase().as_str())
        || repeated
        || password.contains("${")
        || password.contains("{{")
}

/// URL prefixes of webhooks, where the path grants access, with their labels.
pub(crate) const WEB_HOOKS: [(&str, &str); 16] = [
    ("hooks.slack.com/", "slack-webhook"),
    ("discord.com/api/webhooks/", "discord-webhook"),
    ("discordapp.com/api/webhooks/", "discord-webhook"),
    ("webhook.office.com/webhookb2/", "teams-webhook"),
    ("hooks.zapier.com/hooks/catch/", "zapier-webhook"),
    ("chat.googleapis.com/v1/spaces/", "google-chat-webhook"),
    ("api.telegram.org/bot", "telegram-token"),
    ("outlook.office.com/webhook/", "teams-webhook"),
    ("open.feishu.cn/open-apis/bot/v2/hook/", "feishu-webhook"),
    ("open.larksuite.com/open-apis/bot/v2/hook/", "lark-webhook"),
    ("infura.io/v3/", "infura-key"),
    (".alchemy.com/v2/", "alchemy-key"),
    (".quiknode.pro/", "quicknode-key"),
    ("hook.eu1.make.com/", "make-webhook"),
    ("hook.us1.make.com/", "make-webhook"),
    ("events.pagerduty.com/integration/", "pagerduty-key"),
];

/// Returns the secret part of a webhook URL; its known prefix ends at `from`.
pub(crate) fn web_hook(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let part = NAME
        | randomness::DASH
        | randomness::DOT
        | randomness::PLUS_SLASH
        | randomness::PERCENT
        | randomness::EQUALS
        | randomness::COLON;
    let mut length = randomness::run(&bytes[from..], part, MAX_CREDENTIAL_BYTES);
    if bytes.get(from + length) == Some(&b'?') {
        length += bytes[from + length..]
            .iter()
            .take(MAX_CREDENTIAL_BYTES)
            .take_while(|byte| {
                byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b')' | b'\\')
            })
            .count();
    }
    let path = text.get(from..from + length)?.trim_end_matches(['.', ')', ',']);
    let secret = path
        .split(['/', '=', ':'])
        .any(|part| part.len() >= 16 && (randomness::looks_random(part) || part.len() >= 20));
    let plain = path.split('/').next_back().is_some_and(placeholder::is_placeholder);
    (secret && !plain).then_some(from..from + path.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        password(text, text.find("://").unwrap()).map(|range| &text[range])
    }

    #[test]
    fn the_password_of_an_address_is_found() {
        assert_eq!(found("postgres://ada:s3cr3t!@db.example:5432/x"), Some("s3cr3t!"));
        assert_eq!(found("redis://:f00b4r@cache"), Some("f00b4r"));
        assert_eq!(found("https://ada:a/b?c@example.org/x"), Some("a/b?c"));
    }

    #[test]
    fn addresses_without_a_password_give_nothing() {
        for text in [
            "https://host:8443/ @ada",
            "http://localhost:3000/<%= @shop %>",
            "https://example.org/@ada",
            "https://a.example:80/x@y",
            "postgres://user:password@host/db",
            "https://$USER:$PASS@host",
            "https://${{ a }}:${{ b }}@host",
            "git@github.com:a/b",
            "https://github.com/a/b/tree/x@1.2.3",
        ] {
            assert_eq!(text.find("://").and_then(|at| password(text, at)), None, "{text}");
        }
    }
}
