//! Minimal Rust scanner for paths and identifiers: comments and literals are blanked, and `use`
//! trees are expanded. It does not resolve names.

/// A path such as `crate::ops::add`, or a single identifier, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Line number, starting at 1.
    pub line: usize,
    pub segments: Vec<String>,
    /// Whether it is a macro call, such as `println!`.
    pub is_macro: bool,
}

impl Named {
    /// Whether the path contains these segments consecutively.
    pub fn contains(&self, wanted: &[&str]) -> bool {
        self.segments.windows(wanted.len()).any(|part| part == wanted)
    }
}

/// Returns all paths and identifiers of a source text, in order. `use a::{b, c::d}` yields `a::b`
/// and `a::c::d`.
pub fn named(text: &str) -> Vec<Named> {
    let code = blanked(text);
    let tokens = tokens(&code);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].is_word() {
            path(&tokens, &mut at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found
}

/// Replaces the content of comments, strings and characters by blanks, preserving line breaks.
pub fn blanked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let hidden = literal(rest, out.chars().next_back());
        let (part, after) = rest.split_at(if hidden == 0 { first.len_utf8() } else { hidden });
        let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
        out.extend(part.chars().map(|c| if hidden == 0 { c } else { blank(c) }));
        rest = after;
    }
    out
}

/// Returns the length in bytes of the comment or literal at the start of `rest`, or 0 if there is
/// none.
fn literal(rest: &str, before: Option<char>) -> usize {
    let in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment(rest);
    }
    let raw = rest.strip_prefix("br").or_else(|| rest.strip_prefix("cr")).or_else(|| rest.strip_prefix('r'));
    if let Some(raw) = raw.filter(|_| !in_word) {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let body = &raw[hashes + 1..];
            let length = body.find(&end).map_or(body.len(), |at| at + end.len());
            return rest.len() - body.len() + length;
        }
    }
    match rest.as_bytes()[0] {
        b'"' => quoted(rest, '"'),
        // A character has its closing quote at once; a lifetime has none.
        b'\'' if rest[1..].starts_with('\\') || rest[1..].chars().nth(1) == Some('\'') => quoted(rest, '\''),
        _ => 0,
    }
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

#[derive(Debug)]
struct Token<'a> {
    text: &'a str,
    line: usize,
}

impl Token<'_> {
    fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// Splits code into words, `::`, and single characters.
fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let length = match word {
                0 if rest.starts_with("::") => 2,
                0 => first.len_utf8(),
                length => length,
            };
            let (text, after) = rest.split_at(length);
            found.push(Token { text, line: index + 1 });
            rest = after.trim_start();
        }
    }
    found
}

/// Reads one path starting at the word `at`. A `{…}` after `::` yields one path per branch.
fn path(tokens: &[Token<'_>], at: &mut usize, prefix: &[String], found: &mut Vec<Named>) {
    let mut segments = prefix.to_vec();
    let line = tokens[*at].line;
    loop {
        segments.push(tokens[*at].text.to_owned());
        *at += 1;
        if tokens.get(*at).is_none_or(|token| token.text != "::") {
            break;
        }
        *at += 1;
        match tokens.get(*at) {
            Some(token) if token.is_word() => {}
            Some(token) if token.text == "{" => return branches(tokens, at, &segments, found),
            _ => break,
        }
    }
    let is_macro = tokens.get(*at).is_some_and(|token| token.text == "!")
        && tokens.get(*at + 1).is_none_or(|token| token.text != "=");
    found.push(Named { line, segments, is_macro });
}

fn branches(tokens: &[Token<'_>], at: &mut usize, prefix: &[String], found: &mut Vec<Named>) {
    *at += 1;
    while let Some(token) = tokens.get(*at) {
        match token.text {
            "}" => {
                *at += 1;
                return;
            }
            // `a as b` names `a`.
            "as" => *at += 2,
            _ if token.is_word() => path(tokens, at, prefix, found),
            _ => *at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        named(text).into_iter().map(|named| named.segments.join("::")).collect()
    }

    #[test]
    fn use_trees_are_spread_out_over_lines() {
        let text =
            "use std::{fs, io::{self, Read as _}};\nuse crate::{\n    git,\n    domain::id::NoteId,\n};\n";
        let expected = "use std::fs std::io::self std::io::Read use crate::git crate::domain::id::NoteId";
        assert_eq!(paths(text).join(" "), expected);
        let domain = named(text).into_iter().find(|named| named.contains(&["domain", "id"])).unwrap();
        assert_eq!(domain.line, 4);
    }

    #[test]
    fn comments_and_literals_name_nothing() {
        let text = "//! std::fs\n/* a /* b */ std::fs */ let x = \"std::fs \\\" y\"; r#\"std::fs \"x\"# 'a' '\\'' '\"' c";
        assert_eq!(paths(text), ["let", "x", "c"]);
        assert_eq!(paths("fn a<'de>(b: &'de str) {}"), ["fn", "a", "de", "b", "de", "str"]);
        assert_eq!(blanked("a // é\nb").lines().count(), 2);
    }

    #[test]
    fn macros_are_told_from_words_and_from_comparisons() {
        let found = named("println!(\"x\"); print != 3; std::println!()");
        let macros: Vec<_> =
            found.iter().filter(|named| named.is_macro).map(|named| named.segments.join("::")).collect();
        assert_eq!(macros, ["println", "std::println"]);
    }
}
