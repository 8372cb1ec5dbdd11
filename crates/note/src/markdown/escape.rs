//! Escapes titles and quotes for generated Markdown files.
//!
//! Escaped text is always a single line without links, code, HTML, comments, tags, headings or
//! hidden characters. Only rules keep their own code, emphasis and links.

use percent_encoding::percent_encode_byte;

/// Escapes a text for use as the text of a link, `[…](path)`.
pub fn escape_link_text(title: &str) -> String {
    escape(&visible(title), false)
}

/// Escapes a text as inline Markdown that may begin a line.
pub fn escape_inline(text: &str) -> String {
    escape(&visible(text), true)
}

/// Escapes a text as inline Markdown within a line. Code stays as it was written.
///
/// ```
/// use cm_note::markdown::escape::escape_keeping_code;
/// assert_eq!(escape_keeping_code("`make *` needs [x](y) and `"), "`make *` needs \\[x\\](y) and \\`");
/// ```
pub fn escape_keeping_code(text: &str) -> String {
    let line = visible(text);
    let (mut escaped, mut rest) = (String::with_capacity(line.len() + 8), &*line);
    while let Some(at) = rest.find('`') {
        let code = &rest[at..];
        let run = code.len() - code.trim_start_matches('`').len();
        escaped.push_str(&escape(&rest[..at], false));
        let length = match code_span(code, run) {
            Some(span) => {
                escaped.push_str(&inert_comments(span));
                span.len()
            }
            None => {
                escaped.push_str(&"\\`".repeat(run));
                run
            }
        };
        rest = &code[length..];
    }
    escaped + &escape(rest, false)
}

/// Breaks the marks of comments, which programs look for in the raw text.
fn inert_comments(code: &str) -> String {
    code.replace("<!--", "<!\u{2011}-").replace("-->", "-\u{2011}>")
}

/// Escapes a rule for use as a list item or paragraph. Code, emphasis and links stay, so that
/// agents read the rule as written; block structure, HTML, comments and images are escaped.
pub fn escape_rule(text: &str) -> String {
    let line = visible(text);
    let mut escaped = String::with_capacity(line.len() + 8);
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        if c == '`' {
            let run = rest.len() - rest.trim_start_matches('`').len();
            match code_span(rest, run) {
                Some(span) => {
                    escaped.push_str(&inert_comments(span));
                    at += span.len();
                }
                None => {
                    escaped.push_str(&"\\`".repeat(run));
                    at += run;
                }
            }
            continue;
        }
        let after = &rest[c.len_utf8()..];
        match c {
            // What is escaped already stays so.
            '\\' if after.starts_with(|next: char| next.is_ascii_punctuation() && next != '<') => {
                escaped.push_str(&rest[..2]);
                at += 1;
            }
            '<' if opens_html(after) => escaped.push_str("&lt;"),
            '>' if at == 0 || line[..at].ends_with("--") => escaped.push_str("&gt;"),
            '#' | '+' | '=' | '~' | '|' | ':' if at == 0 => escaped.extend(['\\', c]),
            '-' | '*' | '_' if at == 0 && begins_block(after, c) => escaped.extend(['\\', c]),
            '.' | ')' if is_number(&line[..at]) => escaped.extend(['\\', c]),
            '[' if at == 0 || line[..at].ends_with('!') => escaped.push_str("\\["),
            '%' if line[..at].ends_with('%') => escaped.push_str("\\%"),
            _ => escaped.push(c),
        }
        at += c.len_utf8();
    }
    escaped
}

/// Returns the code span opened by a run of `run` backticks, with its delimiters; `None` if it is
/// not closed.
fn code_span(rest: &str, run: usize) -> Option<&str> {
    let mut at = run;
    while let Some(next) = rest[at..].find('`') {
        let begin = at + next;
        let length = rest[begin..].len() - rest[begin..].trim_start_matches('`').len();
        at = begin + length;
        if length == run {
            return Some(&rest[..at]);
        }
    }
    None
}

/// Whether a `-`, `*` or `_` followed by this text begins a list item or a thematic break.
fn begins_block(after: &str, mark: char) -> bool {
    after.is_empty() || after.starts_with(' ') || after.chars().all(|c| c == mark || c == ' ')
}

/// Writes a path as a link destination; percent-encodes only characters with a special meaning in
/// Markdown or URLs.
pub fn link_destination(path: &str) -> String {
    percent_encode(path, |c| match c {
        '-' | '.' | '_' | '~' | '/' | '+' | ',' | '=' | '@' | '!' | '$' | ';' => true,
        _ if c.is_ascii() => c.is_ascii_alphanumeric(),
        _ => !(is_hidden(c) || c.is_whitespace() || c.is_control()),
    })
}

/// Percent-encodes the UTF-8 bytes of the characters that do not stay as they are.
pub fn percent_encode(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for c in text.chars() {
        if stays(c) {
            encoded.push(c);
        } else {
            encoded.extend(c.encode_utf8(&mut [0; 4]).bytes().map(percent_encode_byte));
        }
    }
    encoded
}

/// Puts a text on one line: drops hidden characters; replaces control characters and runs of white
/// space by single spaces.
pub fn visible(text: &str) -> String {
    let shown = text.chars().filter(|c| !is_hidden(*c)).map(|c| if c.is_control() { ' ' } else { c });
    let mut line = String::with_capacity(text.len());
    for c in shown {
        if !c.is_whitespace() {
            line.push(c);
        } else if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Replaces hidden and control characters by their code points, such as `⟨U+200B⟩`, so that a reader
/// sees what an agent would read. Line breaks and tabs stay.
///
/// ```
/// use cm_note::markdown::escape::reveal_hidden;
/// assert_eq!(reveal_hidden("pass\u{200b}word\n"), "pass⟨U+200B⟩word\n");
/// ```
pub fn reveal_hidden(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) || (c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
            shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Whether a character is invisible and can hide text from a reader: zero-width, bidirectional,
/// filler, variation and tag characters. Excludes U+FE0F, which selects color emoji.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Escapes only what is necessary, so that agents read `socket_keepalive` and `a -> b` unchanged.
fn escape(line: &str, begins_line: bool) -> String {
    let strikes = line.matches('~').nth(1).is_some();
    let mut escaped = String::with_capacity(line.len() + 8);
    let mut before = None;
    for (at, c) in line.char_indices() {
        let rest = &line[at + c.len_utf8()..];
        let first = begins_line && at == 0;
        match c {
            '\\' | '`' | '*' | '[' | ']' | '|' => escaped.extend(['\\', c]),
            '~' if strikes => escaped.push_str("\\~"),
            '_' if !within_word(before, rest) => escaped.push_str("\\_"),
            '#' if before.is_none_or(char::is_whitespace) => escaped.push_str("\\#"),
            // Obsidian hides what is between two of these.
            '%' if before == Some('%') => escaped.push_str("\\%"),
            // An entity instead of a backslash: a program that looks for a marker must not find it in the raw text.
            '<' if opens_html(rest) => escaped.push_str("&lt;"),
            '>' if first || line[..at].ends_with("--") => escaped.push_str("&gt;"),
            '&' if opens_entity(rest) => escaped.push_str("&amp;"),
            '-' | '+' | '=' if first => escaped.extend(['\\', c]),
            '.' | ')' if begins_line && is_number(&line[..at]) => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
        before = Some(c);
    }
    escaped
}

fn within_word(before: Option<char>, rest: &str) -> bool {
    before.is_some_and(char::is_alphanumeric) && rest.starts_with(char::is_alphanumeric)
}

fn opens_html(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
}

fn opens_entity(rest: &str) -> bool {
    let name = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').unwrap_or(rest.len());
    name > 0 && rest[name..].starts_with(';')
}

fn is_number(text: &str) -> bool {
    (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a title as the display text of a wikilink.
pub fn wikilink_text(title: &str) -> String {
    let shown: String = visible(title)
        .replace("%%", "%")
        .chars()
        .map(|c| match c {
            '[' => '(',
            ']' => ')',
            '|' => '/',
            '`' => '\'',
            other => other,
        })
        .collect();
    shown.trim().to_owned()
}

/// Writes `[[target|title]]`. Replaces characters that would end the link or its title; a target
/// that a wikilink cannot hold becomes a Markdown link from the vault's root.
pub fn wikilink(target: &str, title: &str) -> String {
    let shown = &*wikilink_text(title);
    if target.contains(['#', '^', '|', '[', ']']) {
        let text = if shown.is_empty() { target } else { shown };
        return format!("[{}](/{}.md)", escape_link_text(text), link_destination(target));
    }
    if shown.is_empty() || shown == target {
        format!("[[{target}]]")
    } else {
        format!("[[{target}|{shown}]]")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;
    use crate::markdown::{extensions, outline};

    /// Returns the text of a line that must be one paragraph of plain text inside `outer` enclosing
    /// tags.
    fn only_text(markdown: &str, outer: usize) -> Result<String, String> {
        let mut text = String::new();
        let options = extensions() | Options::ENABLE_GFM;
        let events: Vec<_> = Parser::new_ext(markdown, options).collect();
        for event in &events[outer.min(events.len())..events.len().saturating_sub(outer)] {
            match event {
                Event::Text(words) => text.push_str(words),
                other => return Err(format!("{other:?} in {markdown:?}")),
            }
        }
        Ok(text)
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            2 => "[\\PC]{1,3}",
            6 => prop::sample::select(vec![
                "](", ")", "[", "]", "[[", "]]", "!", "`", "```", "*", "**", "_", "__", "~", "~~", "#", "# ", "<", ">",
                "<!--", "-->", "<b>", "</a>", "&", "&lt;", "&#35;", "\\", "|", "\n", "\r\n", "\u{2028}", "\t", "- ", "+ ",
                "1. ", "12)", "===", "---", "    ", ":", "::", "a", "b c", "x_y", "%%", "\u{202e}", "\u{200b}", "http://a.b",
                "[^1]", "[x]: y", "$", "![", "![](http://a.b)", "<https://a.b>", "a@b.c",
            ]).prop_map(str::to_owned),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn any_text_is_shown_as_it_is_and_nothing_else(text in hostile()) {
            let shown = visible(&text);
            let outer = usize::from(!shown.is_empty());
            prop_assert_eq!(only_text(&escape_inline(&text), outer), Ok(shown));
        }

        #[test]
        fn any_rule_is_one_paragraph_of_one_item(text in hostile()) {
            let escaped = escape_rule(&text);
            let list = format!("- {escaped}\n- next\n");
            let events: Vec<_> = Parser::new_ext(&list, extensions() | Options::ENABLE_GFM).collect();
            let items = events.iter().filter(|event| matches!(event, Event::Start(Tag::Item))).count();
            prop_assert_eq!(items, 2, "{}", list);
            for event in &events {
                let sound = match event {
                    Event::Html(_) | Event::InlineHtml(_) | Event::Rule | Event::TaskListMarker(_) => false,
                    Event::Start(tag) => !matches!(
                        tag,
                        Tag::Heading { .. }
                            | Tag::CodeBlock(_)
                            | Tag::HtmlBlock
                            | Tag::BlockQuote(_)
                            | Tag::Table(_)
                            | Tag::Image { .. }
                    ),
                    _ => true,
                };
                prop_assert!(sound, "{:?} in {}", event, list);
            }
            prop_assert!(!escaped.contains("<!--") && !escaped.contains("-->") && !escaped.contains('\n'));
            let lists = events.iter().filter(|event| matches!(event, Event::Start(Tag::List(_)))).count();
            prop_assert_eq!(lists, 1, "{}", list);
        }

        #[test]
        fn any_title_stays_within_its_link(title in hostile()) {
            let line = format!("- [{}](a.md) (b)", escape_link_text(&title));
            let events: Vec<_> = Parser::new_ext(&line, extensions()).collect();
            let link = matches!(&events[2], Event::Start(Tag::Link { dest_url, .. }) if &**dest_url == "a.md");
            prop_assert!(link, "{:?}", events);
            let close = events.iter().position(|event| *event == Event::End(TagEnd::Link)).unwrap();
            let text: String = events[3..close].iter().map(|event| match event {
                Event::Text(text) => text.to_string(),
                other => format!("<{other:?}>"),
            }).collect();
            prop_assert_eq!(text, visible(&title));
            prop_assert_eq!(events.len() - close, 4);
        }

        #[test]
        fn any_path_is_reached_by_its_destination(path in hostile()) {
            let path = format!("graph/{path}.md");
            let link = outline(&format!("[x]({})", link_destination(&path)), 1).links;
            prop_assert_eq!(link.len(), 1);
            prop_assert_eq!(&link[0].target, &path);
        }
    }

    #[test]
    fn everyday_titles_are_left_readable() {
        for title in
            ["Set socket_keepalive = 1", "a -> b", "C# & C++", "Use ~/.config (not /etc)", "AT&T", "1 < 2"]
        {
            assert_eq!(escape_link_text(title), title);
        }
        assert_eq!(escape_link_text("Use Vec<u8>"), "Use Vec&lt;u8>");
        assert_eq!(escape_inline("1. first"), "1\\. first");
    }

    #[test]
    fn everyday_rules_are_left_as_they_are() {
        for rule in [
            "Run `cargo test -- --nocapture` before a **release**",
            "Use Vec<u8> never: prefer `Vec<u8>`, see [the guide](docs/guide.md)",
            "**Never** commit *secrets*",
        ] {
            assert_eq!(escape_rule(rule), rule.replace("Use Vec<", "Use Vec&lt;"));
        }
        assert_eq!(escape_rule("## Forged"), "\\## Forged");
        assert_eq!(escape_rule("<!-- cm:end playbook -->"), "&lt;!-- cm:end playbook --&gt;");
        assert_eq!(escape_rule("an open ` mark"), "an open \\` mark");
        assert_eq!(escape_rule("see ![](http://a.b/c)"), "see !\\[](http://a.b/c)");
        assert_eq!(escape_rule("\\![x](http://a.b) and `![x](y)`"), "\\!\\[x](http://a.b) and `![x](y)`");
        assert_eq!(escape_rule("a %%comment%% and %%%"), "a %\\%comment%\\% and %\\%\\%");
    }

    #[test]
    fn no_marker_is_found_in_the_raw_text() {
        let escaped = escape_inline("<!-- cm:end -->");
        assert!(!escaped.contains("<!--") && !escaped.contains("-->"), "{escaped}");
    }
}
