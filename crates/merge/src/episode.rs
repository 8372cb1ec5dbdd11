//! Merges the body of an episode: entries by identity, new ones inserted by their time.

use crate::body::{self, BodyMerge, BodyRules};
use crate::three_way::one_sided;

/// A `## HH:MM - title` entry with its lines, without the blank lines below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EpisodeEntry<'t> {
    heading: &'t str,
    text: &'t str,
}

/// Merges three bodies. An entry that both sides edited is merged as a text.
pub(crate) fn merge(base: &str, ours: &str, theirs: &str, rules: BodyRules) -> BodyMerge {
    if let Some(one) = one_sided(&base, ours, theirs) {
        return BodyMerge { text: one.to_owned(), ..BodyMerge::default() };
    }
    let (base_intro, base) = entries(base);
    let (our_intro, ours) = entries(ours);
    let (their_intro, theirs) = entries(theirs);
    let mut merge = body::merge(base_intro, our_intro, their_intro, rules);
    let mut texts: Vec<String> = Vec::new();
    let mut used = [vec![false; ours.len()], vec![false; theirs.len()]];
    for entry in &base {
        let [our, their] = [(&ours, 0), (&theirs, 1)].map(|(side, index)| {
            let is_same =
                |(at, other): (usize, &EpisodeEntry<'_>)| !used[index][at] && other.text == entry.text;
            let is_edited = |(at, other): (usize, &EpisodeEntry<'_>)| {
                !used[index][at] && other.heading == entry.heading && !base.contains(other)
            };
            let place = side.iter().enumerate().position(is_same);
            let place = place.or_else(|| side.iter().enumerate().position(is_edited));
            place.map(|at| {
                used[index][at] = true;
                side[at].text
            })
        });
        let entry_merge = body::merge(entry.text, our.unwrap_or_default(), their.unwrap_or_default(), rules);
        merge.markers |= entry_merge.markers;
        merge.leftovers.extend(entry_merge.leftovers);
        texts.extend(Some(entry_merge.text).filter(|text| !text.is_empty()));
    }
    let added = |side: &[EpisodeEntry<'_>], used: &[bool]| -> Vec<String> {
        let new = side.iter().zip(used).filter(|(_, used)| !**used);
        new.map(|(entry, _)| entry.text.to_owned()).collect()
    };
    let (ours, theirs) = (added(&ours, &used[0]), added(&theirs, &used[1]));
    for entry in both(ours, theirs) {
        insert_by_time(&mut texts, entry);
    }
    for text in texts {
        if !merge.text.is_empty() && !merge.text.ends_with("\n\n") && !merge.text.ends_with("\n\r\n") {
            merge.text.push_str(crate::lines::line_break(&merge.text));
        }
        merge.text.push_str(&text);
    }
    merge
}

/// Splits a body into the text before the first entry and its entries.
fn entries(body: &str) -> (&str, Vec<EpisodeEntry<'_>>) {
    let mut starts = Vec::new();
    let (mut at, mut fence) = (0, None);
    for line in body.split_inclusive('\n') {
        let in_fence = fence.is_some();
        fence = cm_note::note::conflict::fence_after(fence, line.trim_end());
        if !in_fence && line.starts_with("## ") {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([body.len()]);
    let entry = |(start, end): (usize, usize)| {
        let text = without_blank_end(&body[start..end]);
        EpisodeEntry { heading: text.lines().next().unwrap_or_default(), text }
    };
    let all = starts.iter().copied().zip(ends).map(entry).collect();
    (&body[..starts.first().copied().unwrap_or(body.len())], all)
}

/// A text up to the line break of its last line that is not blank.
fn without_blank_end(text: &str) -> &str {
    let content = text.trim_end().len();
    text[content..].find('\n').map_or(text, |at| &text[..content + at + 1])
}

/// The added entries of both sides, in order of time; equal ones once, as often as one side has
/// them.
fn both(ours: Vec<String>, mut theirs: Vec<String>) -> Vec<String> {
    let mut all = ours;
    for entry in &all {
        if let Some(at) = theirs.iter().position(|other| other == entry) {
            theirs.remove(at);
        }
    }
    all.append(&mut theirs);
    all.sort_by(|a, b| time(a).cmp(time(b)).then_with(|| a.cmp(b)));
    all
}

/// Inserts an entry behind the last one that is not later.
fn insert_by_time(texts: &mut Vec<String>, entry: String) {
    let later = texts.iter().rev().take_while(|text| time(text) > time(&entry)).count();
    texts.insert(texts.len() - later, entry);
}

/// `HH:MM` of an entry; empty if it has none.
fn time(entry: &str) -> &str {
    let time = entry.get(3..8).unwrap_or_default();
    let is_time =
        time.bytes().enumerate().all(|(at, byte)| if at == 2 { byte == b':' } else { byte.is_ascii_digit() });
    if is_time { time } else { "" }
}
