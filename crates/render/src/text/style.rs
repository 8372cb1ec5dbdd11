//! Colours and column widths. Colours are always emitted; the output stream strips them if it is
//! not a terminal.

use std::borrow::Cow;
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use cm_text::shorten::fold_whitespace;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub use cm_text::plural::count;

/// Titles and headings.
pub const STRONG: Style = Style::new().bold();
/// Secondary information.
pub const DIM: Style = Style::new().dimmed();
/// Success, and remedies.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Warnings.
pub const WARN: Style = AnsiColor::Yellow.on_default();
/// Errors.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// IDs.
pub const ID: Style = AnsiColor::Cyan.on_default();

/// Words that match a search.
pub const MATCH: Style = AnsiColor::Magenta.on_default().bold();

/// Text with the byte ranges `matches`, in order, in the style of matches and the rest in `style`.
pub fn highlight(text: &str, matches: &[Range<usize>], style: Style) -> String {
    let mut shown = String::new();
    let mut at = 0;
    let mut push = |style: Style, part: Option<&str>| {
        if let Some(part) = part.filter(|part| !part.is_empty()) {
            shown.push_str(&paint(style, &safe(part)));
        }
    };
    for range in matches {
        push(style, text.get(at..range.start));
        push(MATCH, text.get(range.clone()));
        at = range.end;
    }
    push(style, text.get(at..));
    shown
}

/// ID and path of a note, each with two spaces behind it; the path alone if it stands for the ID.
pub fn note(id: &str, path: &str) -> String {
    match id == path {
        true => format!("{path}  "),
        false => format!("{}  {path}  ", paint(ID, id)),
    }
}

/// Wraps text in a style and its reset sequence.
pub fn paint(style: Style, text: &str) -> String {
    if style == Style::new() {
        return text.to_owned();
    }
    format!("{style}{text}{style:#}")
}

/// Text with control characters made visible, except line breaks and tabs, so that it cannot send
/// commands to the terminal. CRLF becomes LF, and byte order marks are removed.
pub fn safe(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
        return text.to_owned();
    }
    let text = &*escaped(text);
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.chars().any(|c| steers(c) || c == '\u{feff}') {
        return text.to_owned();
    }
    let text = text.replace("\r\n", "\n").replace('\u{feff}', "");
    text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect()
}

/// Whether a character is a bidirectional control or a tag character, which can disguise text.
fn is_deceptive(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// The text with bidirectional controls and tag characters written as `\u{202e}`.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_deceptive) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if is_deceptive(c) { c.escape_unicode().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

/// JSON with these characters written as JSON escapes, which leaves the data unchanged.
pub fn escaped_json(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_deceptive) {
        return Cow::Borrowed(text);
    }
    let mut units = [0; 2];
    let mut shown = String::with_capacity(text.len() + 12);
    for c in text.chars() {
        if is_deceptive(c) {
            c.encode_utf16(&mut units).iter().for_each(|unit| shown.push_str(&format!("\\u{unit:04x}")));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Multi-line text through [`safe`], line by line.
pub fn safe_lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", safe(line))).collect()
}

/// Text on one line; white space is folded.
pub fn one_line(text: &str) -> String {
    fold_whitespace(&safe(text))
}

/// Text on one line, truncated to a number of columns.
pub fn cut(text: &str, columns: usize) -> String {
    let line = one_line(text);
    if line.width() <= columns {
        return line;
    }
    let mut width = 0;
    let mut short = String::new();
    for c in line.chars() {
        width += c.width().unwrap_or(0);
        if width >= columns {
            break;
        }
        short.push(c);
    }
    format!("{}…", short.trim_end())
}

/// Text padded with spaces to a number of columns.
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// Returns the line for a page without entries: `none` if there are none at all, else their number.
pub fn empty_page(total: usize, one: &str, none: &str) -> String {
    match total {
        0 => format!("{none}\n"),
        total => format!("nothing at this offset; {} in all\n", count(total, one)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_counts_columns_and_takes_control_characters_away() {
        assert_eq!(cut("日本語のノート", 6), "日本…");
        assert_eq!(cut("a\u{1b}[31mb\nc", 20), "a\u{fffd}[31mb c");
        assert_eq!(cut("short", 5), "short");
    }
}
