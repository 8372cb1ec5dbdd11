//! Merges the rows of tables and the items of lists one by one, where lines alone clash.

use std::collections::HashSet;

use crate::side::Precedence;
use crate::three_way::{Resolution, one_sided, regions};
use crate::{union, words};

/// Merges stretches of table rows or list items. `None` if another line is among them, or if both sides
/// changed a row and the changes exclude each other.
pub(crate) fn merge(base: &[&str], ours: &[&str], theirs: &[&str], precedence: Precedence) -> Option<String> {
    let is_row = |line: &&str| union::is_item(line);
    if base.is_empty() || ![base, ours, theirs].into_iter().all(|lines| lines.iter().all(is_row)) {
        return None;
    }
    by_key(base, ours, theirs, precedence).or_else(|| {
        let is_aligned = base.len() == ours.len() && base.len() == theirs.len();
        is_aligned.then(|| aligned(base, ours, theirs))?
    })
}

/// Merges rows by what names them, so that rows may also be added, removed and moved.
fn by_key(base: &[&str], ours: &[&str], theirs: &[&str], precedence: Precedence) -> Option<String> {
    let keys = [keys(base)?, keys(ours)?, keys(theirs)?];
    let mut text = String::new();
    for region in regions(&keys[0], &keys[1], &keys[2]) {
        let (base, ours, theirs) = (&base[region.base], &ours[region.ours], &theirs[region.theirs]);
        match region.resolution {
            Resolution::Unchanged => text += &aligned(base, ours, theirs)?,
            _ if ours == theirs || theirs == base => text.extend(ours.iter().copied()),
            _ if ours == base => text.extend(theirs.iter().copied()),
            _ if base.is_empty() => text += &union::of_lines(ours, theirs, precedence),
            _ => return None,
        }
    }
    Some(text)
}

/// The keys of rows; `None` if one has none, or two have the same.
fn keys<'t>(rows: &[&'t str]) -> Option<Vec<&'t str>> {
    let keys: Vec<&str> = rows.iter().map(|row| key(row)).collect();
    let mut seen = HashSet::new();
    keys.iter().all(|key| !key.is_empty() && seen.insert(*key)).then_some(keys)
}

/// What names a row: the first cell of a table row, the text of a list item without its check box.
fn key(row: &str) -> &str {
    match row.trim().strip_prefix('|') {
        Some(cells) => cells.split('|').next().unwrap_or_default().trim(),
        None => check_box(row).map_or(row, |parts| parts.after).trim(),
    }
}

/// Merges rows of the same number, each with those at its place. `None` if one took the place of another, or if the
/// changes of one exclude each other.
fn aligned(base: &[&str], ours: &[&str], theirs: &[&str]) -> Option<String> {
    at_places(base, ours, theirs)?.into_iter().collect()
}

/// Merges several rows or items, each with those at its place; a row is `None` if its changes exclude each other.
///
/// `None` if another line is among them, if a side added or removed one, or if one took the place of another.
pub(crate) fn each(base: &[&str], ours: &[&str], theirs: &[&str]) -> Option<Vec<Option<String>>> {
    let is_rows = |lines: &[&str]| lines.len() == base.len() && lines.iter().all(|line| union::is_item(line));
    let is_several = base.len() > 1 && [base, ours, theirs].into_iter().all(is_rows);
    is_several.then(|| at_places(base, ours, theirs))?
}

/// Merges each row with those at its place; `None` if one took the place of another.
fn at_places(base: &[&str], ours: &[&str], theirs: &[&str]) -> Option<Vec<Option<String>>> {
    let is_moved = |(at, row): (usize, &&str)| {
        let own = base.get(at).map(|base| key(base));
        own != Some(key(row)) && base.iter().any(|base| key(base) == key(row))
    };
    if ours.iter().enumerate().chain(theirs.iter().enumerate()).any(is_moved) {
        return None;
    }
    let rows = base.iter().zip(ours).zip(theirs);
    Some(rows.map(|((base, ours), theirs)| row(base, ours, theirs)).collect())
}

fn row(base: &str, ours: &str, theirs: &str) -> Option<String> {
    if let Some(one) = one_sided(&base, ours, theirs) {
        return Some(one.to_owned());
    }
    if let [Some(base), Some(our), Some(their)] = [base, ours, theirs].map(cells) {
        // Editors pad all rows of a table, which says nothing about the text of a cell.
        if our == their {
            return Some(ours.max(theirs).to_owned());
        }
        if our == base || their == base {
            return Some(if our == base { theirs } else { ours }.to_owned());
        }
    }
    let text = |base: &str, ours: &str, theirs: &str| match one_sided(&base, ours, theirs) {
        Some(one) => Some(one.to_owned()),
        None => words::merge(&[base], &[ours], &[theirs]),
    };
    let (Some(base), Some(ours), Some(theirs)) = (check_box(base), check_box(ours), check_box(theirs)) else {
        return words::merge(&[base], &[ours], &[theirs]);
    };
    // A new text with the mark of the old one would say that another task is done.
    let is_marked = ours.mark != base.mark || theirs.mark != base.mark;
    if is_marked && [&ours, &theirs].iter().any(|side| !is_reworded(base.after, side.after)) {
        return None;
    }
    let before = one_sided(&base.before, ours.before, theirs.before)?;
    let mark = one_sided(&base.mark, ours.mark, theirs.mark)?;
    Some(format!("{before}{mark}{}", text(base.after, ours.after, theirs.after)?))
}

/// The cells of a table row without the blanks around them, and of the line below the header without the number of
/// its dashes; `None` if it is no table row.
fn cells(row: &str) -> Option<Vec<&str>> {
    let is_line = |cell: &str| cell.contains('-') && cell.trim_matches(':').bytes().all(|byte| byte == b'-');
    let unpadded = |cell| match str::trim(cell) {
        line if is_line(line) => match (line.starts_with(':'), line.ends_with(':')) {
            (false, false) => "-",
            (true, false) => ":-",
            (false, true) => "-:",
            (true, true) => ":-:",
        },
        text => text,
    };
    Some(row.trim().strip_prefix('|')?.split('|').map(unpadded).collect())
}

/// Whether half of the old words are in the new text.
fn is_reworded(old: &str, new: &str) -> bool {
    let words = |text: &'_ str| text.split_whitespace().map(str::to_lowercase).collect::<HashSet<_>>();
    let (old, new) = (words(old), words(new));
    old.intersection(&new).count() * 2 >= old.len()
}

/// A list item with a check box.
struct CheckBox<'t> {
    /// Indentation and list marker.
    before: &'t str,
    /// `[ ]`, or another character between the brackets.
    mark: &'t str,
    after: &'t str,
}

fn check_box(row: &str) -> Option<CheckBox<'_>> {
    let open = row.find('[')?;
    let (before, rest) = row.split_at(open);
    let end = rest.char_indices().nth(2).filter(|(_, c)| *c == ']')?.0 + 1;
    let is_marker = before.trim_start().len() < 8 && before.ends_with(' ') && union::is_item(before);
    let after = &rest[end..];
    (is_marker && after.starts_with([' ', '\n'])).then_some(CheckBox { before, mark: &rest[..end], after })
}
