//! Joins what two sides inserted at the same place: both insertions, with what they share once.

use cm_note::note::conflict::fence_after;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::side::{Precedence, SideName};

/// Joins two insertions of lines. The earlier side comes first, on equal times the lesser by bytes.
pub(crate) fn of_lines(ours: &[&str], theirs: &[&str], precedence: Precedence) -> String {
    let (our, their) = (ours.concat(), theirs.concat());
    if our == their || contains(ours, theirs) {
        return our;
    }
    if contains(theirs, ours) {
        return their;
    }
    let (first, second) = match precedence.winner(&our, &their) {
        SideName::Ours => (theirs, ours),
        SideName::Theirs => (ours, theirs),
    };
    let has_gap = first.iter().chain(second).any(|line| line.trim().is_empty());
    let (first, second) = (blocks(first), blocks(second));
    let mut text = String::new();
    for block in merged(&first, &second) {
        block.push_to(&mut text, has_gap);
    }
    text
}

/// Whether lines have another sequence of lines in one piece.
pub(crate) fn contains<T: PartialEq>(lines: &[T], part: &[T]) -> bool {
    part.is_empty() || lines.windows(part.len()).any(|window| window == part)
}

/// Interleaves two sequences: what both have in common once, else the first before the second.
fn merged<'b, 't>(first: &'b [Block<'t>], second: &'b [Block<'t>]) -> Vec<&'b Block<'t>> {
    let keys = |blocks: &[Block<'t>]| blocks.iter().map(|block| block.lines.concat()).collect::<Vec<_>>();
    let mut all = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &keys(first), &keys(second)) {
        all.extend(&first[op.old_range()]);
        if !matches!(op, DiffOp::Equal { .. }) {
            all.extend(&second[op.new_range()]);
        }
    }
    all
}

/// A paragraph, list item, table row or fenced block, with the blank lines around it.
struct Block<'t> {
    blank_before: Vec<&'t str>,
    lines: Vec<&'t str>,
    blank_after: Vec<&'t str>,
    /// Whether it continues a list or table, and so needs no blank line before it.
    is_item: bool,
}

impl Block<'_> {
    fn push_to(&self, text: &mut String, has_gap: bool) {
        let joins = text.is_empty() || text.ends_with("\n\n") || text.ends_with("\r\n\r\n");
        if has_gap && !self.is_item && !joins && self.blank_before.is_empty() {
            text.push_str(crate::lines::line_break(text));
        }
        text.extend(self.blank_before.iter().chain(&self.lines).chain(&self.blank_after).copied());
    }
}

/// Divides an insertion into blocks. Blank lines belong to the block after them if the insertion
/// begins with one, else to the block before them.
fn blocks<'t>(lines: &[&'t str]) -> Vec<Block<'t>> {
    let leads = lines.first().is_some_and(|line| line.trim().is_empty());
    let mut blocks: Vec<Block<'t>> = Vec::new();
    let mut blank: Vec<&'t str> = Vec::new();
    let mut fence = None;
    for line in lines {
        let in_fence = fence.is_some();
        fence = fence_after(fence, line.trim_end());
        if !in_fence && line.trim().is_empty() {
            blank.push(line);
            continue;
        }
        let opens = !in_fence && fence.is_some();
        let is_item = is_item(line);
        let ended = blocks.last().is_none_or(|block| block.is_item != is_item && !line.starts_with(' '));
        if !in_fence && (opens || is_item || !blank.is_empty() || ended) {
            let blank = std::mem::take(&mut blank);
            let (before, after) =
                if leads || blocks.is_empty() { (blank, Vec::new()) } else { (Vec::new(), blank) };
            if let Some(last) = blocks.last_mut() {
                last.blank_after = after;
            }
            blocks.push(Block { blank_before: before, lines: Vec::new(), blank_after: Vec::new(), is_item });
        }
        if let Some(last) = blocks.last_mut() {
            last.lines.push(line);
        }
    }
    match blocks.last_mut() {
        Some(last) => last.blank_after = blank,
        None => blocks.push(Block {
            blank_before: blank,
            lines: Vec::new(),
            blank_after: Vec::new(),
            is_item: true,
        }),
    }
    blocks
}

/// Whether a line begins a list item or is a table row.
pub(crate) fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "));
    numbered || ["- ", "* ", "+ ", "|"].iter().any(|mark| line.starts_with(mark))
}
