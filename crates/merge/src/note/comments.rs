//! Merges the comment behind a value apart from the value, so that a side that changes one does not
//! undo the other's change of the other.

use std::ops::Range;

use cm_note::frontmatter::layout::YamlLayout;
use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;
use yaml_serde::Value;

use super::keys::KeyVersions;
use crate::file_shape::OTHER_END;
use crate::three_way::one_sided;

/// Puts the merged comment of a key into its merged lines. Where the value leaves no room for it on its
/// line, the lines stay as they are.
pub(super) fn merged(lines: String, versions: KeyVersions<'_, '_>) -> String {
    let (Some(ours), Some(theirs)) = (versions.ours, versions.theirs) else { return lines };
    let base = versions.base.map_or("", |chunk| comment(chunk.text));
    let (ours, theirs) = (comment(ours.text), comment(theirs.text));
    let merged_comment = one_sided(&base, ours, theirs).map_or_else(|| joined(ours, theirs), str::to_owned);
    if comment(&lines) == merged_comment {
        return lines;
    }
    let place = range(&lines).unwrap_or_else(|| {
        let end = lines.find('\n').unwrap_or(lines.len());
        let end = lines[..end].trim_end_matches(ends_line).len();
        end..end
    });
    let gap = if place.is_empty() && !merged_comment.is_empty() { " " } else { "" };
    let before = lines[..place.start].trim_end_matches(|c| merged_comment.is_empty() && c == ' ');
    let with = format!("{before}{gap}{merged_comment}{}", &lines[place.end..]);
    if value(&with) == value(&lines) && comment(&with) == merged_comment { with } else { lines }
}

/// Both comments in one line; one of them if it contains the other.
fn joined(ours: &str, theirs: &str) -> String {
    let (first, second) = (ours.min(theirs), ours.max(theirs));
    if first.contains(second) {
        first.to_owned()
    } else if second.contains(first) {
        second.to_owned()
    } else {
        format!("{first} {second}")
    }
}

/// The comment on the line of the key, from its `#`; empty if there is none.
fn comment(lines: &str) -> &str {
    range(lines).map_or("", |range| &lines[range])
}

fn range(lines: &str) -> Option<Range<usize>> {
    let layout = YamlLayout::of(lines);
    let hash = layout.entries.first()?.comment?;
    let end = lines[hash..].find('\n').map_or(lines.len(), |length| hash + length);
    Some(hash..hash + lines[hash..end].trim_end_matches(ends_line).len())
}

/// Whether a character stands between the text of a line and the next one.
fn ends_line(c: char) -> bool {
    c.is_whitespace() || c == OTHER_END
}

fn value(lines: &str) -> Option<Value> {
    let note = format!("---\n{lines}---\n");
    let parsed = parse(&Split::of(&note));
    parsed.faults.is_empty().then(|| parsed.fields.iter().next().map(|field| field.value.clone()))?
}
