//! Merges the body of a note: by lines, then by words within a paragraph where lines clash. A fenced
//! block and a table row are never cut through, and a sentence has the words of one side.

use std::ops::Range;

use cm_note::note::conflict::fence_after;

use crate::lines::{line_break, lines_of, push_conflict};
use crate::side::{Precedence, SideName};
use crate::three_way::{MergeRegion, Resolution, regions};
use crate::{Clash, paragraphs, rows, sections, union, words};

/// A merged body.
#[derive(Debug, Default)]
pub(crate) struct BodyMerge {
    pub text: String,
    /// Whether conflict markers are left in the text.
    pub markers: bool,
    pub leftovers: Vec<BodyLeftover>,
}

/// Text of one side that is not in the merged body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BodyLeftover {
    /// The text that stands in its place.
    pub stands: String,
    /// The text of the other side; `None` if it removed the paragraph.
    pub other: Option<String>,
    /// The side that the text comes from.
    pub from: SideName,
}

/// How clashes are decided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyRules {
    pub precedence: Precedence,
    pub clash: Clash,
    /// Whether the body begins with one statement, so that two statements are not joined.
    pub one_statement: bool,
}

/// Merges three bodies whose last lines end with a line break.
pub(crate) fn merge(base: &str, ours: &str, theirs: &str, rules: BodyRules) -> BodyMerge {
    sections::merge(base, ours, theirs, rules).unwrap_or_else(|| merge_lines(base, ours, theirs, rules))
}

/// Merges three bodies or sections in their order of lines.
pub(crate) fn merge_lines(base: &str, ours: &str, theirs: &str, rules: BodyRules) -> BodyMerge {
    let versions = [base, ours, theirs].map(lines_of);
    let [base, ours, theirs] = &versions;
    let mut regions = regions(base, ours, theirs);
    widen(&mut regions, &versions);
    join_split_paragraphs(&mut regions, &versions);
    join_sentences(&mut regions, &versions, rules.one_statement);
    let mut merge = BodyMerge::default();
    for region in regions {
        let (base, ours, theirs) = (&base[region.base], &ours[region.ours], &theirs[region.theirs]);
        match region.resolution {
            Resolution::Unchanged | Resolution::Ours => merge.text.extend(ours.iter().copied()),
            Resolution::Theirs => merge.text.extend(theirs.iter().copied()),
            Resolution::Conflict => match merge.combine(base, ours, theirs, rules) {
                Some(text) => merge.text.push_str(&text),
                None => merge.clash(base, ours, theirs, rules),
            },
        }
    }
    merge
}

impl BodyMerge {
    /// Joins what both sides did to a stretch; `None` if the changes exclude each other.
    fn combine(&self, base: &[&str], ours: &[&str], theirs: &[&str], rules: BodyRules) -> Option<String> {
        if ours == theirs || theirs == base {
            return Some(ours.concat());
        }
        if ours == base {
            return Some(theirs.concat());
        }
        let is_at_statement = rules.one_statement && self.text.trim().is_empty();
        let first_line =
            |lines: &[&str]| lines.concat().lines().find(|line| !line.trim().is_empty()).map(str::to_owned);
        let may_join = !is_at_statement || first_line(ours) == first_line(theirs);
        let (our, their) = (AroundBase::of(base, ours), AroundBase::of(base, theirs));
        if our.is_base || their.is_base {
            let middle = match (our.is_base, their.is_base) {
                (false, _) => our.middle,
                (_, false) => their.middle,
                (true, true) => base,
            };
            let join = |ours: &[&str], theirs: &[&str]| {
                let both = !ours.is_empty() && !theirs.is_empty() && ours != theirs;
                (!both || may_join).then(|| union::of_lines(ours, theirs, rules.precedence))
            };
            let content = |lines: &[&str]| -> Vec<String> {
                lines.iter().filter(|line| !line.trim().is_empty()).map(|line| (*line).to_owned()).collect()
            };
            let there = content(middle);
            let more = |text: String| {
                let lines = content(&lines_of(&text));
                Some(text).filter(|_| lines.is_empty() || !union::contains(&there, &lines))
            };
            let before = more(join(our.before, their.before)?).unwrap_or_default();
            let after = more(join(our.after, their.after)?).unwrap_or_default();
            return Some(before + &middle.concat() + &after);
        }
        // One side already has what the other wrote.
        for (all, part) in [(ours, theirs), (theirs, ours)] {
            if union::contains(all, part) && !part.concat().trim().is_empty() {
                return Some(all.concat());
            }
        }
        rows::merge(base, ours, theirs, rules.precedence).or_else(|| words::merge(base, ours, theirs))
    }

    /// Records the clash of a stretch; of paragraphs, list items and table rows, only of those that clash.
    fn clash(&mut self, base: &[&str], ours: &[&str], theirs: &[&str], rules: BodyRules) {
        if rules.clash == Clash::Leftover
            && let Some(parts) = paragraphs::aligned(base, ours, theirs)
        {
            for [base, ours, theirs] in parts {
                match self.combine(base, ours, theirs, rules) {
                    Some(text) => self.push_paragraphs(&text),
                    None => self.clash(base, ours, theirs, rules),
                }
            }
            return;
        }
        let rows = rows::each(base, ours, theirs).unwrap_or_default();
        let merged = rows.iter().filter(|row| row.is_some()).count();
        if merged * 2 < rows.len() || rows.is_empty() {
            return self.clash_of_lines(base, ours, theirs, rules);
        }
        for (at, row) in rows.into_iter().enumerate() {
            match row {
                Some(row) => self.text.push_str(&row),
                None => self.clash_of_lines(&base[at..=at], &ours[at..=at], &theirs[at..=at], rules),
            }
        }
    }

    /// Appends paragraphs, with a blank line between them and the text before.
    fn push_paragraphs(&mut self, text: &str) {
        let is_blank = |line: &str| line.trim().is_empty();
        let is_apart =
            self.text.lines().next_back().is_none_or(is_blank) || text.lines().next().is_none_or(is_blank);
        if !is_apart {
            self.text.push_str(line_break(&self.text));
        }
        self.text.push_str(text);
    }

    /// Records a clash: as markers, or with one text standing and the other as a leftover. Where one
    /// side removed the text, the edit of the other stands.
    fn clash_of_lines(&mut self, base: &[&str], ours: &[&str], theirs: &[&str], rules: BodyRules) {
        if rules.clash != Clash::Leftover {
            self.markers = true;
            push_conflict(&mut self.text, [base, ours, theirs], rules.clash);
            return;
        }
        let (our, their) = (ours.concat(), theirs.concat());
        let winner = match (our.trim().is_empty(), their.trim().is_empty()) {
            (true, false) => SideName::Theirs,
            (false, true) => SideName::Ours,
            _ => rules.precedence.winner(&our, &their),
        };
        let (prevailing, other, from) = match winner {
            SideName::Ours => (our, their, SideName::Theirs),
            SideName::Theirs => (their, our, SideName::Ours),
        };
        self.text.push_str(&prevailing);
        let other = Some(other.trim_matches('\n').to_owned()).filter(|other| !other.trim().is_empty());
        self.leftovers.push(BodyLeftover { stands: prevailing.trim_matches('\n').to_owned(), other, from });
    }
}

/// One side's version of a stretch, as text before and after the unchanged base, or as other text.
struct AroundBase<'l, 't> {
    before: &'l [&'t str],
    /// The version, if it does not contain the base.
    middle: &'l [&'t str],
    after: &'l [&'t str],
    /// Whether the base is unchanged between `before` and `after`.
    is_base: bool,
}

impl<'l, 't> AroundBase<'l, 't> {
    fn of(base: &[&str], side: &'l [&'t str]) -> Self {
        let around = |at: usize| Self {
            before: &side[..at],
            middle: &[],
            after: &side[at + base.len()..],
            is_base: true,
        };
        if side.starts_with(base) {
            around(0)
        } else if side.ends_with(base) {
            around(side.len() - base.len())
        } else {
            Self { before: &[], middle: side, after: &[], is_base: false }
        }
    }
}

/// Extends conflicts that begin or end within a fenced block to the whole block, in all versions.
fn widen(regions: &mut Vec<MergeRegion>, versions: &[Vec<&str>; 3]) {
    if regions.iter().all(|region| region.resolution != Resolution::Conflict) {
        return;
    }
    let inside = [0, 1, 2].map(|version: usize| inside_fence(&versions[version]));
    let cuts =
        |base: usize, ours: usize, theirs: usize| inside[0][base] || inside[1][ours] || inside[2][theirs];
    let mut at = 0;
    while at < regions.len() {
        if regions[at].resolution == Resolution::Conflict {
            while at > 0 && cuts(regions[at].base.start, regions[at].ours.start, regions[at].theirs.start) {
                let before = regions[at - 1].clone();
                if before.resolution == Resolution::Unchanged && before.base.len() > 1 {
                    for_all(&mut regions[at - 1], |range| range.end -= 1);
                    for_all(&mut regions[at], |range| range.start -= 1);
                } else {
                    let region = regions.remove(at);
                    at -= 1;
                    regions[at] = joined(&before, &region);
                }
            }
            while at + 1 < regions.len()
                && cuts(regions[at].base.end, regions[at].ours.end, regions[at].theirs.end)
            {
                let after = regions[at + 1].clone();
                if after.resolution == Resolution::Unchanged && after.base.len() > 1 {
                    for_all(&mut regions[at + 1], |range| range.start += 1);
                    for_all(&mut regions[at], |range| range.end += 1);
                } else {
                    regions.remove(at + 1);
                    regions[at] = joined(&regions[at], &after);
                }
            }
        }
        at += 1;
    }
}

/// Joins a clash with the next change beside it, if that change is the other part of a paragraph that one side
/// split: both parts stand in the clash then, and none of them twice.
fn join_split_paragraphs(regions: &mut Vec<MergeRegion>, versions: &[Vec<&str>; 3]) {
    let lines = |region: &MergeRegion| {
        let MergeRegion { base, ours, theirs, .. } = region.clone();
        (&versions[0][base], &versions[1][ours], &versions[2][theirs])
    };
    let words = |lines: &[&str]| lines.concat().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    // Whether a region adds text that another one has in its base.
    let is_part = |part: &MergeRegion, whole: &MergeRegion| {
        let (added, base) = (lines(part), words(lines(whole).0));
        let is_in_base = |side: &[&str]| {
            let side = words(side);
            side.len() > 1 && union::contains(&base, &side)
        };
        words(added.0).is_empty() && (is_in_base(added.1) || is_in_base(added.2))
    };
    let is_split = |clash: &MergeRegion, gap: &MergeRegion, other: &MergeRegion| {
        let is_blank = gap.resolution == Resolution::Unchanged && words(lines(gap).0).is_empty();
        let is_changed = !matches!(other.resolution, Resolution::Unchanged | Resolution::Conflict);
        is_blank && is_changed && (is_part(other, clash) || is_part(clash, other))
    };
    let mut at = 0;
    while at < regions.len() {
        if regions[at].resolution == Resolution::Conflict {
            let clash = regions[at].clone();
            if at + 2 < regions.len() && is_split(&clash, &regions[at + 1], &regions[at + 2]) {
                regions[at] = joined(&clash, &regions[at + 2]);
                regions.drain(at + 1..=at + 2);
            }
            let clash = regions[at].clone();
            if at >= 2 && is_split(&clash, &regions[at - 1], &regions[at - 2]) {
                regions[at - 2] = joined(&regions[at - 2], &clash);
                regions.drain(at - 1..=at);
                at -= 2;
            }
        }
        at += 1;
    }
}

/// Length of a line, in characters, from which on the next one may continue its sentence.
const WRAPPED_LINE_CHARS: usize = 50;

/// Joins changes of different sides to different lines of one sentence. In texts that may have lines without a full stop,
/// only long lines are continued.
fn join_sentences(regions: &mut Vec<MergeRegion>, versions: &[Vec<&str>; 3], is_statement: bool) {
    let lines = |region: &MergeRegion| {
        let MergeRegion { base, ours, theirs, .. } = region.clone();
        (&versions[0][base], &versions[1][ours], &versions[2][theirs])
    };
    let is_change = |region: &MergeRegion| region.resolution != Resolution::Unchanged;
    let mut at = 0;
    while at + 1 < regions.len() {
        let next = at + 1 + usize::from(!is_change(&regions[at + 1]));
        let Some(other) = regions.get(next).filter(|_| is_change(&regions[at])) else {
            at += 1;
            continue;
        };
        let whole = joined(&regions[at], other);
        let (base, ours, theirs) = lines(&whole);
        let is_paragraph =
            base.iter().all(|line| !line.trim().is_empty() && fence_after(None, line).is_none());
        let (_, continued) = base.split_last().unwrap_or((&"", &[]));
        let is_wrapped =
            is_statement || continued.iter().all(|line| line.chars().count() >= WRAPPED_LINE_CHARS);
        if is_paragraph && is_wrapped && words::would_mix(base, ours, theirs) {
            regions[at] = whole;
            regions.drain(at + 1..=next);
        } else {
            at += 1;
        }
    }
}

fn for_all(region: &mut MergeRegion, mut change: impl FnMut(&mut Range<usize>)) {
    for range in [&mut region.base, &mut region.ours, &mut region.theirs] {
        change(range);
    }
}

fn joined(first: &MergeRegion, second: &MergeRegion) -> MergeRegion {
    MergeRegion {
        base: first.base.start..second.base.end,
        ours: first.ours.start..second.ours.end,
        theirs: first.theirs.start..second.theirs.end,
        resolution: Resolution::Conflict,
    }
}

/// For each boundary between lines, whether a fenced block is open there.
fn inside_fence(lines: &[&str]) -> Vec<bool> {
    let mut fence = None;
    let mut inside = vec![false];
    for line in lines {
        fence = fence_after(fence, line.trim_end());
        inside.push(fence.is_some());
    }
    // A fence that is never closed is no block.
    if fence.is_some() {
        let open = inside.iter().rposition(|inside| !inside).unwrap_or(0);
        inside[open + 1..].fill(false);
    }
    inside
}
