//! Merges a paragraph by words. A sentence that both sides changed is no mixture of both: "Never use tabs"
//! and "Always use spaces" would become "Never use spaces", which neither side wrote.

use std::collections::BTreeSet;
use std::ops::Range;

use cm_note::note::conflict::fence_after;

use crate::three_way::{MergeRegion, Resolution, regions};
use crate::union;

/// Merges a stretch by words; `None` if words clash, if both sides changed one sentence, if much of the
/// base is gone, or if it has code or a table.
pub(crate) fn merge(base: &[&str], ours: &[&str], theirs: &[&str]) -> Option<String> {
    let is_atomic = |line: &&str| line.contains('|') || fence_after(None, line).is_some();
    if [base, ours, theirs].into_iter().any(|lines| lines.iter().any(is_atomic)) {
        return None;
    }
    let texts = [base, ours, theirs].map(<[&str]>::concat);
    let versions = [&texts[0], &texts[1], &texts[2]].map(|text| words(text));
    let [base, ours, theirs] = &versions;
    let regions = regions(base, ours, theirs);
    // A check box is no word of its text.
    let count = |words: &[&str]| words.iter().filter(|word| !is_check_box(word)).count();
    let unchanged = regions.iter().filter(|region| region.resolution == Resolution::Unchanged);
    let unchanged: usize = unchanged.map(|region| count(&base[region.base.clone()])).sum();
    if unchanged * 2 < count(base) || is_mixture(&regions, &versions) {
        return None;
    }
    let mut text = String::new();
    for region in regions {
        match region.resolution {
            Resolution::Unchanged | Resolution::Ours => text.extend(ours[region.ours].iter().copied()),
            Resolution::Theirs => text.extend(theirs[region.theirs].iter().copied()),
            Resolution::Conflict => return None,
        }
    }
    Some(text)
}

/// Splits a text into words, each with the white space after it. Edits of neighbouring words
/// thereby touch, and clash.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut in_space) = (0, false);
    for (at, c) in text.char_indices() {
        if in_space && !c.is_whitespace() && !(c == ']' && &text[start..at] == "[ ") {
            words.push(&text[start..at]);
            start = at;
        }
        in_space = c.is_whitespace();
    }
    words.extend(Some(&text[start..]).filter(|rest| !rest.is_empty()));
    words
}

fn is_check_box(word: &str) -> bool {
    let word = word.trim_end();
    word.starts_with('[') && word.ends_with(']') && word.chars().count() == 3
}

/// Whether a sentence of merged lines would have words of both sides.
pub(crate) fn would_mix(base: &[&str], ours: &[&str], theirs: &[&str]) -> bool {
    let texts = [base, ours, theirs].map(<[&str]>::concat);
    let versions = [&texts[0], &texts[1], &texts[2]].map(|text| words(text));
    is_mixture(&regions(&versions[0], &versions[1], &versions[2]), &versions)
}

fn is_mixture(regions: &[MergeRegion], [base, ours, theirs]: &[Vec<&str>; 3]) -> bool {
    let sentences = sentences(base);
    let mut changed = [BTreeSet::new(), BTreeSet::new()];
    for region in regions {
        let (side, words) = match region.resolution {
            Resolution::Ours => (0, &ours[region.ours.clone()]),
            Resolution::Theirs => (1, &theirs[region.theirs.clone()]),
            Resolution::Unchanged | Resolution::Conflict => continue,
        };
        let is_of_both = side == 0 && words == &theirs[region.theirs.clone()];
        if !is_of_both {
            changed[side].extend(changed_sentences(&sentences, base, region.base.clone(), words));
        }
    }
    changed[0].intersection(&changed[1]).next().is_some()
}

/// The sentences whose words change where words of the base are replaced.
fn changed_sentences(
    sentences: &[usize],
    base: &[&str],
    mut replaced: Range<usize>,
    mut words: &[&str],
) -> Vec<usize> {
    let is_same = |one: Option<&&str>, other: Option<&&str>| match (one, other) {
        (Some(one), Some(other)) => one.trim_end() == other.trim_end(),
        _ => false,
    };
    while is_same(base[replaced.clone()].first(), words.first()) {
        replaced.start += 1;
        words = &words[1..];
    }
    while is_same(base[replaced.clone()].last(), words.last()) {
        replaced.end -= 1;
        words = &words[..words.len() - 1];
    }
    if !replaced.is_empty() {
        return sentences[replaced].to_vec();
    }
    let at = replaced.start;
    let (before, after) = (at.checked_sub(1).map(|last| sentences[last]), sentences.get(at).copied());
    let Some(last) = words.last() else { return Vec::new() };
    match (before, after) {
        (Some(before), Some(after)) if before == after => vec![before],
        // Whole sentences between two others.
        (_, Some(_)) if ends_sentence(last, None) => Vec::new(),
        (_, Some(after)) => vec![after],
        (Some(_), None) if ends_sentence(base[at - 1], words.first()) => Vec::new(),
        (before, None) => before.into_iter().collect(),
    }
}

/// The number of the sentence of each word. A heading is a sentence.
fn sentences(words: &[&str]) -> Vec<usize> {
    let (mut number, mut starts_line, mut in_heading) = (0, true, false);
    let mut numbers = Vec::with_capacity(words.len());
    for (at, word) in words.iter().enumerate() {
        in_heading = if starts_line { is_heading_mark(word) } else { in_heading };
        starts_line = word.contains('\n');
        numbers.push(number);
        let next = words.get(at + 1);
        let is_beside_heading = starts_line && (in_heading || next.is_some_and(|next| is_heading_mark(next)));
        number += usize::from(is_beside_heading || ends_sentence(word, next));
    }
    numbers
}

fn is_heading_mark(word: &str) -> bool {
    word.trim_end().bytes().all(|byte| byte == b'#')
}

/// Whether a sentence ends with a word: at a full stop before a capital, and where a paragraph or list item ends.
fn ends_sentence(word: &str, next: Option<&&str>) -> bool {
    let (text, space) = word.split_at(word.trim_end().len());
    let next = next.copied().unwrap_or_default();
    if space.matches('\n').count() > 1 || (space.contains('\n') && union::is_item(next)) {
        return true;
    }
    let bare = text.trim_end_matches(['"', '\'', ')', ']', '*', '_', '`', '»', '”', '’']);
    // `e.g.` and `z.B.` end nothing.
    let is_stop = match bare.strip_suffix('.') {
        Some(rest) => !rest.contains('.') || rest.chars().filter(|c| c.is_alphanumeric()).count() > 4,
        None => bare.ends_with(['!', '?', '。', '！', '？', '…']),
    };
    is_stop && !next.starts_with(char::is_lowercase)
}
