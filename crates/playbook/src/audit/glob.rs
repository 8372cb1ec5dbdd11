//! Converts globs to regular expressions: `*` and `?` within a path segment, `**` across folders,
//! `{a,b}` and `[abc]`.

/// Converts a path glob to an equivalent regular expression; `None` for a path without wildcards.
pub(super) fn expression(glob: &str) -> Option<String> {
    if !glob.contains(['*', '?', '[', '{']) {
        return None;
    }
    let mut out = String::from(r"\A");
    let mut rest = glob;
    let mut braces = 0;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '*' if rest.starts_with("**/") => {
                out.push_str("(?:.*/)?");
                taken = 3;
            }
            '*' if rest.starts_with("**") => {
                out.push_str(".*");
                taken = 2;
            }
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '[' => taken = class(rest, &mut out),
            '{' if rest.contains('}') => {
                braces += 1;
                out.push_str("(?:");
            }
            ',' if braces > 0 => out.push('|'),
            '}' if braces > 0 => {
                braces -= 1;
                out.push(')');
            }
            other => out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
        rest = &rest[taken..];
    }
    out.push_str(&")".repeat(braces));
    out.push_str(r"\z");
    Some(out)
}

/// Appends the character class at the start of `rest`, such as `[a-z]`, to `out`, and returns its
/// length in bytes. A `[` without `]` is literal.
fn class(rest: &str, out: &mut String) -> usize {
    let negated = rest[1..].starts_with(['!', '^']);
    let begin = 1 + usize::from(negated);
    let Some(length) = rest[begin..].find(']').filter(|length| *length > 0) else {
        out.push_str(r"\[");
        return 1;
    };
    let inner = &rest[begin..begin + length];
    let escaped: String = inner
        .chars()
        .flat_map(|c| [(!c.is_alphanumeric() && c != '-').then_some('\\'), Some(c)])
        .flatten()
        .collect();
    out.push_str(&format!("[{}{escaped}]", if negated { "^/" } else { "" }));
    begin + length + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(glob: &str, path: &str) -> bool {
        regex::Regex::new(&expression(glob).unwrap()).unwrap().is_match(path)
    }

    #[test]
    fn wildcards_stay_in_their_folder_and_double_ones_do_not() {
        for (glob, path, expected) in [
            ("*.lock", "Cargo.lock", true),
            ("*.lock", "web/yarn.lock", false),
            ("**/*.lock", "web/yarn.lock", true),
            ("**/*.lock", "Cargo.lock", true),
            ("src/**", "src/a/b.rs", true),
            ("src/**", "lib/a.rs", false),
            ("tests/?.rs", "tests/a.rs", true),
            ("tests/?.rs", "tests/ab.rs", false),
            ("*.{js,ts}", "a.ts", true),
            ("*.{js,ts}", "a.rs", false),
            ("[!a-c].md", "d.md", true),
            ("[!a-c].md", "b.md", false),
            ("a+b/*.c", "a+b/x.c", true),
            ("[open", "[open", true),
        ] {
            assert_eq!(fits(glob, path), expected, "{glob} {path}");
        }
        assert_eq!(expression("plain/path.txt"), None);
    }
}
