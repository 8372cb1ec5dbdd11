//! Merges bodies whose sections a side put in another order: by lines, text would come below the
//! heading of another section, or stand twice.

use std::collections::BTreeMap;

use cm_note::note::conflict::fence_after;

use crate::body::{BodyMerge, BodyRules, merge_lines};
use crate::side::SideName;

/// Merges each section with its other versions, in the order of the side that moved some; the sections of the other side
/// stand behind those that they follow there. `None` if no side moved a section, or if a version has a heading twice.
pub(crate) fn merge(base: &str, ours: &str, theirs: &str, rules: BodyRules) -> Option<BodyMerge> {
    let [base, ours, theirs] = [base, ours, theirs].map(sections);
    let (our_order, their_order) = (headings(&ours), headings(&theirs));
    let frame = match (is_moved(&base, &ours), is_moved(&base, &theirs)) {
        (false, false) => return None,
        (true, false) => SideName::Ours,
        (false, true) => SideName::Theirs,
        (true, true) => rules.precedence.winner(&our_order.join("\n"), &their_order.join("\n")),
    };
    let versions = [by_heading(&base)?, by_heading(&ours)?, by_heading(&theirs)?];
    let (frame, other) = match frame {
        SideName::Ours => (&ours, &theirs),
        SideName::Theirs => (&theirs, &ours),
    };
    let mut merged = BodyMerge::default();
    let mut texts: Vec<(&str, String)> = Vec::new();
    for heading in order(frame, other) {
        let [base, ours, theirs] =
            versions.each_ref().map(|version| version.get(heading).map_or("", |section| section.text));
        let rules = BodyRules { one_statement: rules.one_statement && heading.is_empty(), ..rules };
        let section = merge_lines(base, ours, theirs, rules);
        merged.markers |= section.markers;
        merged.leftovers.extend(section.leftovers);
        if !section.text.is_empty() || heading.is_empty() {
            texts.push((heading, section.text));
        }
    }
    let gaps = Gaps { frame, other };
    let last = texts.len() - 1;
    for (at, (heading, text)) in texts.into_iter().enumerate() {
        merged.text += &text;
        merged.text += if at == last { gaps.at_end() } else { gaps.below(heading) };
    }
    Some(merged)
}

/// Whether a side has the headings of the base in another order.
fn is_moved(base: &[Section<'_>], side: &[Section<'_>]) -> bool {
    let (base, side) = (headings(base), headings(side));
    let common = |one: &[&'_ str], other: &[&str]| -> Vec<String> {
        one.iter().filter(|heading| other.contains(heading)).map(|heading| (*heading).to_owned()).collect()
    };
    common(&base, &side) != common(&side, &base)
}

/// The headings of both sides in the order of the first one. Another one stands behind that which it follows on its
/// side; at the end, if it does so there.
fn order<'t>(frame: &[Section<'t>], other: &[Section<'t>]) -> Vec<&'t str> {
    let mut order: Vec<&Section<'t>> = frame.iter().collect();
    for (at, section) in other.iter().enumerate() {
        let place = |heading: &str| order.iter().position(|placed| placed.heading == heading);
        if place(section.heading).is_some() {
            continue;
        }
        let is_at_end = other[at..].iter().all(|rest| place(rest.heading).is_none());
        let before = other[..at].iter().rev();
        let follows = match is_at_end {
            true => before.clone().find(|above| above.level < section.level),
            false => before.clone().next(),
        };
        let from = follows.and_then(|above| place(above.heading)).map_or(0, |place| place + 1);
        let is_below = |placed: &&&Section<'_>| match is_at_end {
            true => follows.is_none_or(|above| placed.level > above.level),
            false => placed.level > section.level,
        };
        let below = order[from..].iter().take_while(is_below).count();
        order.insert(from + below, section);
    }
    order.into_iter().map(|section| section.heading).collect()
}

/// The blank lines between sections.
struct Gaps<'s, 't> {
    frame: &'s [Section<'t>],
    other: &'s [Section<'t>],
}

impl<'t> Gaps<'_, 't> {
    /// The blank lines below a section that is not the last one.
    fn below(&self, heading: &str) -> &'t str {
        let sides = [self.frame, self.other].map(|side| side.split_last().map_or(&[][..], |(_, rest)| rest));
        let own = sides.iter().find_map(|side| side.iter().find(|section| section.heading == heading));
        let any = || sides.iter().find_map(|side| side.iter().find(|section| !section.heading.is_empty()));
        own.or_else(any).map_or("\n", |section| section.gap)
    }

    fn at_end(&self) -> &'t str {
        self.frame.last().map_or("", |section| section.gap)
    }
}

/// A heading with the text up to the next one.
struct Section<'t> {
    /// Line of the heading; empty for the text before the first one.
    heading: &'t str,
    /// Number of its `#`; zero for the text before the first one.
    level: usize,
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
        let level = heading.bytes().take_while(|byte| *byte == b'#').count();
        Section { heading, level, text, gap }
    });
    sections.collect()
}

fn headings<'t>(sections: &[Section<'t>]) -> Vec<&'t str> {
    sections.iter().map(|section| section.heading).collect()
}

fn by_heading<'s, 't>(sections: &'s [Section<'t>]) -> Option<BTreeMap<&'t str, &'s Section<'t>>> {
    let map: BTreeMap<_, _> = sections.iter().map(|section| (section.heading, section)).collect();
    (map.len() == sections.len()).then_some(map)
}
