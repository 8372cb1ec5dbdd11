//! Tells whether two new files at one path are versions of one file or two notes that share a name. Does not
//! compare files of other kinds.

use std::collections::HashMap;

use cm_note::frontmatter::split::Split;
use cm_note::note::{NoteKind, read};
use cm_note::path::NotePath;

use crate::{generated_section, is_note};

/// Whether two new files at one path are merged. Notes with mostly different texts are two notes; those that are named
/// by a day or a place, such as an episode, are one, and so are those with a common ID.
pub(crate) fn is_one_file(path: &NotePath, one: &[u8], other: &[u8]) -> bool {
    texts_of_two(path, one, other).is_none_or(|[one, other]| is_mostly_same(body(one), body(other)))
}

/// Whether two new files at one path are merged although they may be two notes: their texts differ, and
/// neither a common ID nor the name says that they are one.
pub(crate) fn may_be_two(path: &NotePath, one: &[u8], other: &[u8]) -> bool {
    texts_of_two(path, one, other).is_some_and(|[one, other]| body(one).trim() != body(other).trim())
}

/// Returns the texts of two files unless their path or a common ID says that they are one file.
fn texts_of_two<'t>(path: &NotePath, one: &'t [u8], other: &'t [u8]) -> Option<[&'t str; 2]> {
    let is_named_by_content = is_note(path)
        && !path.as_str().starts_with("graph/edges/")
        && !matches!(NoteKind::of(path), NoteKind::Episode | NoteKind::Blocked)
        && !is_day(path.stem());
    let one = std::str::from_utf8(one).ok().filter(|_| is_named_by_content)?;
    let other = std::str::from_utf8(other).ok()?;
    let id = read::id_text(one);
    let is_one = (id.is_some() && id == read::id_text(other))
        || generated_section::WithoutSections::of("", one, other).is_some();
    (!is_one).then_some([one, other])
}

fn body(text: &str) -> &str {
    &text[Split::of(text).body_start()..]
}

/// Whether a name is a date, such as that of a daily note.
fn is_day(stem: &str) -> bool {
    let digits = stem.chars().filter(char::is_ascii_digit).count();
    (6..=8).contains(&digits) && stem.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '_' | '.'))
}

/// Whether more than half of the lines of the shorter text are in the other, or of the words if both have about as many.
fn is_mostly_same(one: &str, other: &str) -> bool {
    let lines = |text: &'_ str| -> Vec<String> {
        text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    let words = |text: &'_ str| -> Vec<String> { text.split_whitespace().map(str::to_lowercase).collect() };
    has_most(lines(one), lines(other)) || {
        let (one, other) = (words(one), words(other));
        // Common words alone are most of a short text.
        one.len().max(other.len()) <= 2 * one.len().min(other.len()) && has_most(one, other)
    }
}

/// Whether more than half of the shorter list is in the other one.
fn has_most(one: Vec<String>, other: Vec<String>) -> bool {
    let (shorter, longer) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let mut left: HashMap<String, usize> = HashMap::new();
    for item in longer {
        *left.entry(item).or_default() += 1;
    }
    let total = shorter.len();
    let shared = shorter.into_iter().filter(|item| {
        left.get_mut(item).is_some_and(|count| {
            let is_left = *count > 0;
            *count -= usize::from(is_left);
            is_left
        })
    });
    total == 0 || shared.count() * 2 > total
}
