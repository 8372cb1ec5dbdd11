//! Labels of communities and regions: a tag that sets them apart, else the title of their best
//! connected note.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::layout::MapNode;

/// Minimum share of notes with a tag, and minimum distance to its share in the whole vault, for
/// which the tag is the label.
const MIN_SHARE: f64 = 0.4;
const MIN_LEAD: f64 = 0.2;

/// Shares of tags in the whole vault.
pub(crate) struct TagShares<'a> {
    notes: usize,
    counts: BTreeMap<&'a str, usize>,
}

impl<'a> TagShares<'a> {
    pub fn of(nodes: impl Iterator<Item = &'a MapNode<'a>>) -> Self {
        let mut shares = Self { notes: 0, counts: BTreeMap::new() };
        for node in nodes {
            shares.notes += 1;
            node.tags.iter().for_each(|tag| *shares.counts.entry(tag.as_str()).or_default() += 1);
        }
        shares
    }

    /// Returns the label of notes; `best` is the best connected one of them.
    pub fn label(&self, nodes: &[&MapNode<'a>], best: &MapNode<'a>) -> String {
        let share = |count: usize, all: usize| count as f64 / all.max(1) as f64;
        let lead = |tag: &str, count: usize| {
            share(count, nodes.len()) - share(self.counts.get(tag).copied().unwrap_or_default(), self.notes)
        };
        let (tag, count) =
            commonest(nodes.iter().flat_map(|node| node.tags), |tag, count| (lead(tag, count) * 1e9) as i64);
        let is_whole = nodes.len() == self.notes;
        if share(count, nodes.len()) >= MIN_SHARE && (is_whole || lead(tag, count) >= MIN_LEAD) {
            return tag.to_owned();
        }
        best.title.to_owned()
    }
}

/// Label of notes without edges, none of which stands out: their commonest tag, else type.
pub(crate) fn label_of_unlinked(nodes: &[&MapNode<'_>]) -> String {
    let (tag, count) = commonest(nodes.iter().flat_map(|node| node.tags), |_, count| count);
    if count * 4 >= nodes.len() && !tag.is_empty() {
        return tag.to_owned();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    nodes.iter().for_each(|node| *counts.entry(node.kind).or_default() += 1);
    let most = counts.into_iter().min_by_key(|(kind, count)| (Reverse(*count), *kind));
    most.map(|(kind, _)| kind.to_owned()).unwrap_or_default()
}

/// Returns the tag of the highest rank, the first in alphabetical order, with its count.
fn commonest<'a, R: Ord>(
    tags: impl Iterator<Item = &'a String>,
    rank: impl Fn(&str, usize) -> R,
) -> (&'a str, usize) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    tags.for_each(|tag| *counts.entry(tag).or_default() += 1);
    counts.into_iter().min_by_key(|(tag, count)| (Reverse(rank(tag, *count)), *tag)).unwrap_or_default()
}
