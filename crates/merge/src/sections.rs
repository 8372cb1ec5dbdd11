//! Merges bodies whose sections one side put in another order: by lines, text would come below the
//! heading of another section.

use std::collections::BTreeMap;

use cm_note::note::conflict::fence_after;

use crate::body::{BodyMerge, BodyRules, merge_lines};
use crate::side::SideName;
use crate::three_way::one_sided;

/// Merges each section with its other versions. `None` if no side alone changed the order of the
/// sections, or if they do not have the same headings, each once.
pub(crate) fn merge(base: &str, ours: &str, theirs: &str, rules: BodyRules) -> Option<BodyMerge> {
    let [base, ours, theirs] = [base, ours, theirs].map(sections);
    let headings = [&base, &ours, &theirs].map(|all| all.iter().map(|one| one.heading).collect::<Vec<_>>());
    let [old, our, their] = &headings;
    let order = one_sided(old, our.clone(), their.clone()).filter(|order| order != old)?;
    let frame = if order == *our { SideName::Ours } else { SideName::Theirs };
    let [base, ours, theirs] = [by_heading(base)?, by_heading(ours)?, by_heading(theirs)?];
    let has_same = |other: &BTreeMap<&str, Section<'_>>| base.keys().eq(other.keys());
    if !has_same(&ours) || !has_same(&theirs) {
        return None;
    }
    let mut merged = BodyMerge::default();
    for heading in order {
        let (base, ours, theirs) = (base.get(heading)?, ours.get(heading)?, theirs.get(heading)?);
        let rules = BodyRules { one_statement: rules.one_statement && heading.is_empty(), ..rules };
        let section = merge_lines(base.text, ours.text, theirs.text, rules);
        merged.text += &section.text;
        merged.text += if frame == SideName::Ours { ours.gap } else { theirs.gap };
        merged.markers |= section.markers;
        merged.leftovers.extend(section.leftovers);
    }
    Some(merged)
}

/// A heading with the text up to the next one.
struct Section<'t> {
    /// Line of the heading; empty for the text before the first one.
    heading: &'t str,
    text: &'t str,
    /// Blank lines below the text.
    gap: &'t str,
}

fn sections(body: &str) -> Vec<Section<'_>> {
    let (mut starts, mut at, mut fence) = (vec![(0, "")], 0, None);
    for line in body.split_inclusive('\n') {
        fence = fence_after(fence, line.trim_end());
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if fence.is_none() && (1..=6).contains(&level) && line[level..].starts_with(' ') {
            starts.push((at, line.trim_end()));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([body.len()]);
    let whole = starts.iter().zip(ends).map(|((start, heading), end)| (*heading, &body[*start..end]));
    let sections = whole.map(|(heading, whole)| {
        let content = whole.trim_end_matches('\n').len();
        let (text, gap) = whole.split_at(whole.len().min(content + usize::from(content > 0)));
        Section { heading, text, gap }
    });
    sections.collect()
}

fn by_heading(sections: Vec<Section<'_>>) -> Option<BTreeMap<&str, Section<'_>>> {
    let count = sections.len();
    let map: BTreeMap<_, _> = sections.into_iter().map(|section| (section.heading, section)).collect();
    (map.len() == count).then_some(map)
}
