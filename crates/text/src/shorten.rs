//! Shortens text for display.

use std::borrow::Cow;

/// Puts a text on one line: runs of white space and control characters become single spaces, without
/// any at the ends.
///
/// ```
/// use cm_text::shorten::one_line;
/// assert_eq!(one_line(" a\n\tb \u{1b}[1m"), "a b [1m");
/// ```
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Puts a text on one line with single spaces between its words.
pub fn fold_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cuts a text to at most `most` characters. If it is cut, the last one is `…`, without white space
/// before it.
///
/// ```
/// use cm_text::shorten::shorten;
/// assert_eq!(shorten("äöü", 3), "äöü");
/// assert_eq!(shorten("äöüß", 3), "äö…");
/// ```
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    if text.char_indices().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let end = text.char_indices().nth(most.saturating_sub(1)).map_or(0, |(end, _)| end);
    let head = text.get(..end).unwrap_or_default().trim_end();
    Cow::Owned(if most == 0 { String::new() } else { format!("{head}…") })
}

/// Like [`one_line`], cut by [`shorten`].
pub fn short_line(text: &str, most: usize) -> String {
    shorten(&one_line(text), most).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cut_text_ends_with_an_ellipsis_after_a_word() {
        assert_eq!(short_line("a\nb  c d", 5), "a b…");
        assert_eq!(short_line("a\nb  c d", 7), "a b c d");
        assert_eq!(shorten("ab", 1), "…");
        assert_eq!(shorten("ab", 0), "");
    }

    proptest! {
        #[test]
        fn a_short_line_is_one_line_of_limited_length(text in "(.|[\n\t ]){0,40}", most in 0_usize..20) {
            let line = short_line(&text, most);
            prop_assert!(line.chars().count() <= most && !line.contains(char::is_control));
            prop_assert_eq!(short_line(&line, most), line);
        }
    }
}
