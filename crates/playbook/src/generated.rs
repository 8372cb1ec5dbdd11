//! Shared parts of generated files: header, links, token count, and comparison of two versions.

use cm_note::markdown::escape::{escape_inline, escape_link_text, link_destination, visible};
use cm_note::path::NotePath;
use cm_text::shorten::shorten;

/// A Markdown file that is generated from the vault's notes, such as the core file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Complete Markdown text of the file.
    pub text: String,
    /// Number of notes that the file lists.
    pub entries: usize,
    /// Number of notes that were left out for lack of space.
    pub omitted: usize,
    /// Estimated size of `text` in tokens.
    pub tokens: usize,
}

impl GeneratedFile {
    pub fn new(text: String, entries: usize, omitted: usize) -> Self {
        let tokens = tokens(text.chars().count());
        Self { text, entries, omitted, tokens }
    }
}

/// Characters per token, as an estimate for text of any model.
pub const CHARS_PER_TOKEN: usize = 4;

/// Estimates the number of tokens in a text of this many characters, rounded up.
pub fn tokens(characters: usize) -> usize {
    characters.div_ceil(CHARS_PER_TOKEN)
}

/// Start of the header line that contains the date of generation.
const WRITTEN: &str = "> Written ";

/// Index of the line with the date of generation, from 0. Only this line is ignored when two
/// versions are compared, so that a note's text cannot pass as the date.
const GENERATED_LINE_INDEX: usize = 2;

/// Formats the header of a generated file: title, date, and a sentence with the command and
/// figures.
pub fn head(title: &str, day: &str, command: &str, figures: &str) -> String {
    let day = visible(day);
    format!("# {title}\n\n{WRITTEN}{day} by `{command}`; changes by hand are lost.\n> {figures}\n")
}

/// Whether two versions of a generated file differ at most in their date. Line endings are ignored,
/// because git may convert them.
pub fn same_but_for_day(old: &str, new: &str) -> bool {
    old.lines().enumerate().map(without_day).eq(new.lines().enumerate().map(without_day))
}

fn without_day((number, line): (usize, &str)) -> &str {
    match line.strip_prefix(WRITTEN) {
        Some(rest) if number == GENERATED_LINE_INDEX => rest.split_once(' ').map_or("", |(_, rest)| rest),
        _ => line,
    }
}

/// A Markdown link to a note, relative to the vault's root.
pub fn link(title: &str, path: &NotePath) -> String {
    let shown = escape_link_text(title);
    let shown = if shown.is_empty() { escape_link_text(path.stem()) } else { shown };
    format!("[{shown}]({})", link_destination(path.as_str()))
}

/// Escapes a text as inline Markdown, cut to at most `most` characters before escaping.
pub fn clipped(text: &str, most: usize) -> String {
    escape_inline(&shorten(&visible(text), most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_day_in_its_own_line_may_differ() {
        let file = |day: &str, entry: &str| {
            format!("{}\n- {entry}\n", head("Core memory", day, "cm core", "1 of 2"))
        };
        let old = file("2026-11-20", "a");
        assert!(same_but_for_day(&old, &file("2026-11-21", "a")));
        assert!(same_but_for_day(&old.replace('\n', "\r\n"), &file("2026-11-21", "a")));
        assert!(!same_but_for_day(&old, &file("2026-11-20", "b")));
        assert!(!same_but_for_day(&old, &old.replace("1 of 2", "2 of 2")));
        assert!(!same_but_for_day(&old, ""));
        let forged = |day: &str| file("2026-11-20", "a") + &format!("> Written {day} by hand\n");
        assert!(!same_but_for_day(&forged("2026-11-20"), &forged("2026-11-21")));
    }
}
