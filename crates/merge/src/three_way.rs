//! Compares three sequences of tokens: which stretches did neither side, one side or both change?

use std::ops::Range;

use similar::{Algorithm, MergeResolution, TextMergeConfig};

/// A stretch of three sequences, as ranges of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MergeRegion {
    pub base: Range<usize>,
    pub ours: Range<usize>,
    pub theirs: Range<usize>,
    pub resolution: Resolution,
}

/// Which version a region of the result is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// Neither side changed it.
    Unchanged,
    /// Changed by our side alone, or by both alike.
    Ours,
    Theirs,
    Conflict,
}

/// Divides three sequences into regions, in order and without gaps.
pub(crate) fn regions(base: &[&str], ours: &[&str], theirs: &[&str]) -> Vec<MergeRegion> {
    let [base, ours, theirs] = [base, ours, theirs].map(one_a_line);
    // Lines that are there once, unlike blank ones, say where a paragraph went.
    let merge = TextMergeConfig::default().algorithm(Algorithm::Patience).merge_lines(
        base.as_str(),
        ours.as_str(),
        theirs.as_str(),
    );
    let region = |region: &similar::MergeRegion| MergeRegion {
        base: region.base_range(),
        ours: region.ours_range(),
        theirs: region.theirs_range(),
        resolution: match region.resolution() {
            MergeResolution::Unchanged => Resolution::Unchanged,
            MergeResolution::Ours | MergeResolution::Both => Resolution::Ours,
            MergeResolution::Theirs => Resolution::Theirs,
            _ => Resolution::Conflict,
        },
    };
    merge.regions().iter().map(region).collect()
}

/// Writes one token a line. Line breaks within a token become characters that text does not have.
fn one_a_line(tokens: &[&str]) -> String {
    let mut text = String::new();
    for token in tokens {
        text.extend(token.chars().map(|c| match c {
            '\n' => '\u{fdd0}',
            '\r' => '\u{fdd1}',
            c => c,
        }));
        text.push('\n');
    }
    text
}

/// Returns the version of a value that only one side changed, or that both changed alike; `None` if
/// both changed it differently.
pub(crate) fn one_sided<T: PartialEq>(base: &T, ours: T, theirs: T) -> Option<T> {
    if ours == theirs || theirs == *base {
        Some(ours)
    } else if ours == *base {
        Some(theirs)
    } else {
        None
    }
}

/// Merges comment lines; where both sides changed them, the lines of both stay.
pub(crate) fn both_lines(base: &str, ours: &str, theirs: &str) -> String {
    if let Some(one) = one_sided(&base, ours, theirs) {
        return one.to_owned();
    }
    let (first, second) = (ours.min(theirs), ours.max(theirs));
    let is_new = |line: &&str| !first.lines().any(|other| other == line.trim_end_matches(['\r', '\n']));
    first.to_owned() + &second.split_inclusive('\n').filter(is_new).collect::<String>()
}
