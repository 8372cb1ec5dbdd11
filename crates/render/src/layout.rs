//! Fits text to a terminal: aligns the cells of tables and wraps lines at words.
//!
//! Renderers mark cells and fixed lines with control characters, which [`safe`] replaces in all
//! content. [`fit`] removes the marks.
//!
//! [`safe`]: crate::text::style::safe

use textwrap::{Options, WordSeparator, WordSplitter};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Ends a cell of a table. Cells of consecutive lines are aligned.
pub const CELL: char = '\u{1f}';
/// Like [`CELL`], but a text after it is wrapped where it does not fit, and never cut.
pub const PROSE: char = '\u{1d}';
/// At the start of a line that must not be wrapped, such as a line of code.
pub const FIXED: char = '\u{1e}';

/// At the start of a line whose middle is left out where it does not fit, such as a path, whose end
/// tells more than its middle.
pub const ELIDED: char = '\u{1c}';

/// Columns between two cells.
const CELL_GAP: usize = 2;
/// A last cell with fewer columns than this is wrapped instead of cut.
const CUT_FROM: usize = 36;
/// Lines of prose are not longer than this on a wide terminal.
const MAX_PROSE_COLUMNS: usize = 110;
/// A terminal is treated as having at least this number of columns.
const MIN_COLUMNS: usize = 32;

/// Aligns the cells of consecutive table rows, and fits all lines to `width` columns: the last
/// cell of a row is cut, or wrapped if little space remains; other lines are wrapped at words and
/// go on below the start of their text. Without a width nothing is cut or wrapped.
pub fn fit(text: &str, width: Option<usize>) -> String {
    let width = width.map(|width| width.max(MIN_COLUMNS));
    let mut out = String::with_capacity(text.len() + 64);
    let mut rows: Vec<TableRow<'_>> = Vec::new();
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        if let Some(row) = TableRow::parse(content) {
            rows.push(row);
            continue;
        }
        push_rows(&mut out, &rows, width);
        rows.clear();
        push_line(&mut out, content, width);
        if line.len() > content.len() {
            out.push('\n');
        }
    }
    push_rows(&mut out, &rows, width);
    out
}

/// A line with cells.
struct TableRow<'t> {
    cells: Vec<&'t str>,
    last: &'t str,
    may_cut: bool,
}

impl<'t> TableRow<'t> {
    fn parse(line: &'t str) -> Option<Self> {
        let end = line.rfind([CELL, PROSE])?;
        let (cells, last) = line.split_at(end);
        let may_cut = last.starts_with(CELL);
        Some(Self {
            cells: cells.split([CELL, PROSE]).collect(),
            last: last.trim_start_matches([CELL, PROSE]),
            may_cut,
        })
    }
}

fn push_rows(out: &mut String, rows: &[TableRow<'_>], width: Option<usize>) {
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.cells.get(column));
        cells.map(|cell| columns_of(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    for TableRow { cells, last, may_cut } in rows {
        let mut line = String::new();
        let mut at = 0;
        for (cell, width) in cells.iter().zip(&widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width - columns_of(cell) + CELL_GAP));
            at += width + CELL_GAP;
        }
        match width.map(|width| width.saturating_sub(at)) {
            Some(rest) if *may_cut && rest >= CUT_FROM => line.push_str(&cut_painted(last, rest)),
            Some(rest) if columns_of(last) > rest => {
                // Too narrow for a column: the text goes on in the next line.
                let indent = if rest >= CUT_FROM { at } else { 4 };
                let whole = format!("{line}{last}");
                line = wrapped(&whole, (at + rest).min(at + MAX_PROSE_COLUMNS), indent);
            }
            _ => line.push_str(last),
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn push_line(out: &mut String, line: &str, width: Option<usize>) {
    if let Some(fixed) = line.strip_prefix(FIXED) {
        out.push_str(fixed);
        return;
    }
    if let Some(line) = line.strip_prefix(ELIDED) {
        match width {
            Some(width) if columns_of(line) > width => out.push_str(&elided(line, width)),
            _ => out.push_str(line),
        }
        return;
    }
    match width.map(|width| width.min(MAX_PROSE_COLUMNS)) {
        Some(width) if columns_of(line) > width => out.push_str(&wrapped(line, width, indent(line, width))),
        _ => out.push_str(line),
    }
}

/// Wraps a line at words; words longer than a line stay whole. The continuation lines begin at
/// column `indent`.
fn wrapped(line: &str, width: usize, indent: usize) -> String {
    let indent = " ".repeat(indent);
    let separator = match line.chars().any(|c| c.width() == Some(2)) {
        true => WordSeparator::UnicodeBreakProperties,
        false => WordSeparator::AsciiSpace,
    };
    let options = Options::new(width)
        .subsequent_indent(&indent)
        .break_words(false)
        .word_separator(separator)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(line, options)
}

/// Columns that remain of the end of an elided line.
const ELIDED_END_COLUMNS: usize = 20;

/// A coloured line without its middle.
fn elided(line: &str, width: usize) -> String {
    let begin = cut_columns(line, width.saturating_sub(ELIDED_END_COLUMNS));
    let plain: Vec<char> = visible(line).collect();
    let end: String = plain.iter().skip(plain.len().saturating_sub(ELIDED_END_COLUMNS)).collect();
    let reset = if line.contains('\u{1b}') { "\u{1b}[0m" } else { "" };
    format!("{begin}…{end}{reset}")
}

/// The start of a coloured text, less than `columns` wide.
fn cut_columns(text: &str, columns: usize) -> String {
    let (mut width, mut is_escape) = (0, false);
    let mut short = String::new();
    for c in text.chars() {
        let skip = is_escape || c == '\u{1b}';
        is_escape = skip && !c.is_ascii_alphabetic();
        if !skip {
            width += c.width().unwrap_or(0);
            if width >= columns {
                break;
            }
        }
        short.push(c);
    }
    short
}

/// Column below which a line goes on: after its last gap of two spaces that is not too far to the
/// right, as between a label and its text, or after a list mark.
fn indent(line: &str, width: usize) -> usize {
    let plain: String = visible(line).collect();
    let text = plain.trim_start();
    let space = plain.width() - text.width();
    let limit = (width / 2).min(44);
    let gaps =
        plain.match_indices("  ").map(|(at, _)| plain[at..].trim_start()).filter(|rest| !rest.is_empty());
    let after_gap = gaps.map(|rest| plain.width() - rest.width()).filter(|column| *column <= limit).max();
    let (mark, rest) = text.split_once(' ').unwrap_or((text, ""));
    let number = mark.trim_end_matches(['.', ')', ':']);
    let is_number = number.len() < mark.len() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_mark =
        is_number || matches!(mark, "-" | "*" | "+" | "•" | "›" | "✗" | "✓" | "note:" | "hint:" | "error:");
    let after_mark = if is_mark && !rest.is_empty() { space + mark.width() + 1 } else { space };
    after_gap.unwrap_or(0).max(after_mark).min(limit)
}

/// Number of columns of a text without its colours.
pub fn columns_of(text: &str) -> usize {
    if text.contains('\u{1b}') { visible(text).collect::<String>().width() } else { text.width() }
}

/// The characters of a text without escape sequences of colours.
fn visible(text: &str) -> impl Iterator<Item = char> {
    let mut is_escape = false;
    text.chars().filter(move |c| {
        let skip = is_escape || *c == '\u{1b}';
        is_escape = skip && !c.is_ascii_alphabetic();
        !skip
    })
}

/// A coloured text cut to a number of columns; `…` shows the cut, at a word if one ends near.
fn cut_painted(text: &str, columns: usize) -> String {
    if columns_of(text) <= columns {
        return text.to_owned();
    }
    let short = cut_columns(text, columns);
    let at_word =
        short.rfind(' ').filter(|at| columns_of(&short[*at..]) < 16 && !short[*at..].contains('\u{1b}'));
    let shortened = short[..at_word.unwrap_or(short.len())].trim_end();
    let reset = if text.contains('\u{1b}') { "\u{1b}[0m" } else { "" };
    format!("{shortened}…{reset}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::style::{BAD, paint};

    #[test]
    fn cells_line_up_by_what_the_eye_sees() {
        let text = format!("日本\u{1f}a\n{}\u{1f}b\nprose\nlonger\u{1f}c\n", paint(BAD, "x"));
        assert_eq!(fit(&text, None), format!("日本  a\n{}     b\nprose\nlonger  c\n", paint(BAD, "x")));
    }

    #[test]
    fn the_last_cell_is_cut_at_a_word_and_only_on_a_terminal() {
        let text = "2026-11-21\u{1f}fix\u{1f}Close idle connections before the pool is full again\n";
        assert_eq!(fit(text, Some(60)), "2026-11-21  fix  Close idle connections before the pool is…\n");
        assert!(fit(text, None).ends_with("again\n"));
    }

    #[test]
    fn a_narrow_last_cell_goes_on_near_the_left_edge() {
        let text = "2026-11-21\u{1f}Close idle connections before the pool is full\n";
        assert_eq!(fit(text, Some(40)), "2026-11-21  Close idle connections\n    before the pool is full\n");
    }

    #[test]
    fn lines_are_wrapped_at_words_below_the_start_of_their_text() {
        let text = "  - Retry calls to the payment gateway with jitter only\n12. A long path: graph/fixes/a-very-long-file-name-1f0c2a.md\n";
        assert_eq!(
            fit(text, Some(32)),
            "  - Retry calls to the payment\n    gateway with jitter only\n12. A long path:\n    graph/fixes/a-very-long-file-name-1f0c2a.md\n"
        );
    }

    #[test]
    fn the_end_of_a_path_is_kept() {
        let text = "\u{1c}rule · playbook/reliability/retry-a-failed-gauge-request-at-once-0c5bbe.md:30\n";
        assert_eq!(fit(text, Some(48)), "rule · playbook/reliability…at-once-0c5bbe.md:30\n");
        assert_eq!(fit(text, None), text.trim_start_matches(ELIDED));
    }

    #[test]
    fn fixed_lines_stay_as_they_are() {
        let text = "\u{1e}let wrapped = a_line_of_code(that, is, longer, than, the, terminal);\n";
        assert_eq!(fit(text, Some(40)), text.trim_start_matches(FIXED));
    }

    proptest! {
        #[test]
        fn nothing_but_space_is_lost_and_no_line_is_too_long(
            words in prop::collection::vec("[a-zäß日]{1,9}", 1..40),
            width in 32_usize..120,
        ) {
            let line = words.join(" ");
            let shown = fit(&format!("{line}\n"), Some(width));
            prop_assert!(shown.lines().all(|line| columns_of(line) <= width), "{shown}");
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&shown), letters(&line));
        }
    }
}
