//! Splits a rule into words, each with the punctuation before it, for parsing clauses.

use std::borrow::Cow;

use cm_text::tokens::{TokenRole, Tokenizer, fold};

/// Punctuation between a word and the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TokenGap {
    /// Nothing except spaces, quotes and hyphens.
    None,
    Comma,
    Colon,
    /// End of a sentence, semicolon, dash or start of a list item.
    Stop,
}

/// A word of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RuleToken {
    /// The word in lower case.
    pub(super) raw: String,
    /// The word as written.
    pub(super) shown: String,
    /// Whether the word is spelled like a name or code: `PostgreSQL`, `S3`.
    pub(super) is_proper_name: bool,
    pub(super) stem: String,
    /// Punctuation between the previous word and this one.
    pub(super) gap: TokenGap,
    /// Whether the word ends with `n't`, as `don't` does.
    pub(super) negated: bool,
    /// Whether the word is inline code; such a word is always a content word.
    pub(super) code: bool,
}

/// Splits a rule into its words, in order; of links, only the text counts.
pub(super) fn pieces(text: &str) -> Vec<RuleToken> {
    let text = &*without_targets(text);
    let mut code = false;
    let mut tokenizer = Tokenizer::default();
    let mut pieces: Vec<RuleToken> = Vec::new();
    let (mut at, mut end) = (0, 0);
    while let Some(unit) = tokenizer.next_unit(text, &mut at) {
        let steps = unit.width() > 1 && unit.tokens().any(|token| text[token.from..token.to].contains('/'));
        let whole = unit.tokens().find(|token| token.role == TokenRole::Whole).filter(|_| !steps);
        for token in unit.tokens() {
            let counts = match &whole {
                Some(whole) => token == *whole,
                None => token.role == TokenRole::Word,
            };
            if !counts {
                continue;
            }
            let mut raw = String::new();
            fold(&text[token.from..token.to], &mut raw);
            let between = text.get(end..token.from).unwrap_or("");
            code ^= between.bytes().filter(|byte| *byte == b'`').count() % 2 == 1;
            let gap = gap_of(between);
            let negated = is_negated(&text[token.to..]);
            let shown = text[token.from..token.to].to_owned();
            let is_proper_name =
                code || is_name(&shown, pieces.is_empty() || matches!(gap, TokenGap::Stop | TokenGap::Colon));
            pieces.push(RuleToken {
                raw,
                shown,
                is_proper_name,
                stem: token.text.to_owned(),
                gap,
                negated,
                code,
            });
            end = token.to;
        }
    }
    pieces
}

/// The text without link targets and URLs.
fn without_targets(text: &str) -> Cow<'_, str> {
    if !text.contains("](") && !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        shown.push_str(&rest[..at]);
        rest = rest[at..].find(')').map_or("", |end| &rest[at + end + 1..]);
    }
    shown.push_str(rest);
    let words = shown.split(' ').filter(|word| !word.contains("://"));
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// Whether a word is spelled like a name: a capital letter that is not due to its position, or a
/// digit.
fn is_name(word: &str, first: bool) -> bool {
    let upper = |word: &str| word.chars().any(char::is_uppercase);
    let letters = word.chars().any(char::is_alphabetic);
    let inner = word.char_indices().nth(1).is_some_and(|(at, _)| upper(&word[at..]));
    inner || !first && upper(word) || letters && word.chars().any(|c| c.is_ascii_digit())
}

fn is_negated(rest: &str) -> bool {
    let mut chars = rest.chars();
    matches!(chars.next(), Some('\'' | '’'))
        && matches!(chars.next(), Some('t' | 'T'))
        && !chars.next().is_some_and(char::is_alphanumeric)
}

/// Classifies the characters between two words.
fn gap_of(between: &str) -> TokenGap {
    if between == " " {
        return TokenGap::None;
    }
    let mut gap = TokenGap::None;
    let mut chars = between.chars().peekable();
    let mut last = None;
    while let Some(c) = chars.next() {
        let spaced =
            chars.peek().is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '`' | '*' | '_'));
        gap = gap.max(match c {
            ';' | '!' | '?' | '—' | '–' | '。' | '→' => TokenGap::Stop,
            '.' if spaced => TokenGap::Stop,
            '-' if spaced && last.is_some_and(char::is_whitespace) => TokenGap::Stop,
            '\n' if last == Some('\n') => TokenGap::Stop,
            ':' if spaced => TokenGap::Colon,
            ',' | '(' | ')' | '、' => TokenGap::Comma,
            _ => TokenGap::None,
        });
        last = Some(c);
    }
    gap
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_what_stands_before_them() {
        let shown: Vec<(String, TokenGap)> =
            pieces("Don't use `a_b`; use c/d, not E-f. `--no-verify` - never: x")
                .into_iter()
                .map(|piece| (piece.raw, piece.gap))
                .collect();
        let expected = [
            ("don", TokenGap::None),
            ("use", TokenGap::None),
            ("a_b", TokenGap::None),
            ("use", TokenGap::Stop),
            ("c", TokenGap::None),
            ("d", TokenGap::None),
            ("not", TokenGap::Comma),
            ("e-f", TokenGap::None),
            ("no-verify", TokenGap::Stop),
            ("never", TokenGap::Stop),
            ("x", TokenGap::Colon),
        ];
        assert_eq!(shown, expected.map(|(word, gap)| (word.to_owned(), gap)));
        let code: Vec<bool> = pieces("use `any of` it").iter().map(|piece| piece.code).collect();
        assert_eq!(code, [false, true, true, false]);
        let linked: Vec<String> = pieces("Use [the map](https://a.b/not) or https://c.d now")
            .into_iter()
            .map(|piece| piece.raw)
            .collect();
        assert_eq!(linked, ["use", "the", "map", "or", "now"]);
        assert!(pieces("don't").first().is_some_and(|piece| piece.negated));
        assert!(pieces("it's").first().is_some_and(|piece| !piece.negated));
    }
}
