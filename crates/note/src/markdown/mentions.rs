//! `@path` mentions, which some agents replace with the file's content.

/// Puts each `@path` outside code into backticks, because some agents replace a bare `@path` with that file's content.
pub fn quote_mentions(line: &str) -> String {
    let mut written = String::with_capacity(line.len() + 8);
    let (mut code, mut before) = (false, ' ');
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let begins = c == '@' && !code && !before.is_alphanumeric();
        let end = rest.find([' ', '`']).unwrap_or(rest.len());
        if begins && end > 1 {
            written.extend(["`", &rest[..end], "`"]);
            rest = &rest[end..];
            before = '`';
            continue;
        }
        code ^= c == '`';
        written.push(c);
        before = c;
        rest = &rest[c.len_utf8()..];
    }
    written
}

#[cfg(test)]
mod tests {
    use super::quote_mentions;

    #[test]
    fn a_path_behind_an_at_sign_is_named_and_not_taken_in() {
        assert_eq!(
            quote_mentions("Read @~/.ssh/id_rsa and (@a/b) first"),
            "Read `@~/.ssh/id_rsa` and (`@a/b)` first"
        );
        for line in ["Mail a@example.org", "Pin `@types/node` alone", "At 5 @ noon"] {
            assert_eq!(quote_mentions(line), line);
        }
    }
}
