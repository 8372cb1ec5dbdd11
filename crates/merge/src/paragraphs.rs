//! Divides a stretch that both sides changed into its paragraphs, so that a clash in one of them is no clash in
//! those that one side alone added. Does not decide what clashes.

use std::collections::BTreeSet;
use std::ops::Range;

use cm_note::note::conflict::fence_after;

use crate::union;

/// Three versions of one paragraph: base, ours and theirs.
type ParagraphVersions<'l, 't> = [&'l [&'t str]; 3];

/// Divides three versions of a stretch at the paragraphs that all of them have. A paragraph that one side added has an
/// empty base. `None` if there is nothing to divide.
pub(crate) fn aligned<'l, 't>(
    base: &'l [&'t str],
    ours: &'l [&'t str],
    theirs: &'l [&'t str],
) -> Option<Vec<ParagraphVersions<'l, 't>>> {
    let versions = [base, ours, theirs];
    let [base, ours, theirs] = versions.map(paragraphs);
    if base.is_empty() || ours.is_empty() || theirs.is_empty() || ours.len().max(theirs.len()) < 2 {
        return None;
    }
    let mut cuts = Vec::new();
    let mut next = [0; 3];
    for (at, paragraph) in base.iter().enumerate() {
        let paragraph = &versions[0][paragraph.clone()];
        let place = |version: usize, side: &[Range<usize>]| match base.len() {
            1 => Some(most_similar(paragraph, versions[version], side)),
            _ => (next[version]..side.len())
                .find(|at| is_version(paragraph, &versions[version][side[*at].clone()])),
        };
        if let (Some(our), Some(their)) = (place(1, &ours), place(2, &theirs)) {
            cuts.push([base[at].clone(), ours[our].clone(), theirs[their].clone()]);
            next = [at + 1, our + 1, their + 1];
        }
    }
    let mut parts = Vec::new();
    let mut from = [0; 3];
    let ends = [0, 1, 2].map(|version: usize| versions[version].len()..versions[version].len());
    for cut in cuts.into_iter().chain([ends]) {
        let between = [0, 1, 2].map(|version: usize| &versions[version][from[version]..cut[version].start]);
        let found = [0, 1, 2].map(|version: usize| &versions[version][cut[version].clone()]);
        parts.extend([between, found].into_iter().filter(|part| part.iter().any(|lines| !lines.is_empty())));
        from = cut.map(|range| range.end);
    }
    // A part of a paragraph that one side split is no addition.
    let is_split = |[base, ours, theirs]: &ParagraphVersions<'_, '_>| {
        let is_of_base = |lines: &[&str]| !words(lines).is_empty() && is_version(lines, versions[0]);
        base.is_empty() && (is_of_base(ours) || is_of_base(theirs))
    };
    (parts.len() > 1 && !parts.iter().any(is_split)).then_some(parts)
}

/// The place of the paragraph that shares the most words; of several, that of the first one.
fn most_similar(paragraph: &[&str], lines: &[&str], side: &[Range<usize>]) -> usize {
    let places = (0..side.len()).rev();
    places.max_by_key(|at| shared_words(paragraph, &lines[side[*at].clone()])).unwrap_or_default()
}

/// Whether a paragraph has half of the words of another one.
fn is_version(paragraph: &[&str], other: &[&str]) -> bool {
    shared_words(paragraph, other) * 2 >= words(paragraph).len()
}

fn shared_words(one: &[&str], other: &[&str]) -> usize {
    words(one).intersection(&words(other)).count()
}

fn words(lines: &[&str]) -> BTreeSet<String> {
    lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_lowercase).collect()
}

/// Divides lines behind the blank lines between paragraphs; a list or a fenced block is one. Empty if all lines are blank.
fn paragraphs(lines: &[&str]) -> Vec<Range<usize>> {
    let (mut starts, mut fence, mut has_text) = (vec![0], None, false);
    for (at, line) in lines.iter().enumerate() {
        let is_inside = fence.is_some();
        fence = fence_after(fence, line.trim_end());
        if is_inside || line.trim().is_empty() {
            continue;
        }
        let first = starts.last().and_then(|start| lines.get(*start)).copied().unwrap_or_default();
        let continues_list = union::is_item(first) && (union::is_item(line) || line.starts_with(' '));
        if has_text && lines[at - 1].trim().is_empty() && !continues_list {
            starts.push(at);
        }
        has_text = true;
    }
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let ranges = starts.iter().zip(ends).map(|(start, end)| *start..end);
    ranges.filter(|_| has_text).collect()
}
