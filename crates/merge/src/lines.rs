//! Merges text by lines, as git does. Does not know notes.

use std::borrow::Cow;

use crate::three_way::{MergeRegion, Resolution, regions};
use crate::{Clash, Merged, Versions};

/// Merges three versions by lines. Clashes get conflict markers whatever `clash` says, because text
/// has no place for leftovers. Of binary files, the greater by bytes stands, or ours in a merge
/// driver; that counts as a clash, too.
pub(crate) fn merge(versions: &Versions<'_>, clash: Clash) -> Merged {
    let base = versions.base.unwrap_or_default();
    if [base, versions.ours, versions.theirs].into_iter().any(|bytes| bytes.contains(&0)) {
        let bytes = match clash {
            Clash::Leftover => versions.ours.max(versions.theirs),
            Clash::Markers | Clash::MarkersWithBase => versions.ours,
        };
        return Merged { bytes: bytes.to_vec(), markers: true };
    }
    let all = [base, versions.ours, versions.theirs];
    let texts = all.map(|bytes| std::str::from_utf8(bytes).ok());
    if let [Some(base), Some(ours), Some(theirs)] = texts {
        let (text, markers) = merge_text(base, ours, theirs, clash);
        return Merged { bytes: text.into_bytes(), markers };
    }
    // Each byte as one character, so that any encoding comes back as it was.
    let [base, ours, theirs] =
        all.map(|bytes| bytes.iter().map(|byte| char::from(*byte)).collect::<String>());
    let (text, markers) = merge_text(&base, &ours, &theirs, clash);
    let byte = |c: char| u8::try_from(c).unwrap_or(b'?');
    Merged { bytes: text.chars().map(byte).collect(), markers }
}

/// Splits a text into lines with their line breaks.
pub(crate) fn lines_of(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Merges three texts by lines; returns the result and whether it has conflict markers.
pub(crate) fn merge_text(base: &str, ours: &str, theirs: &str, clash: Clash) -> (String, bool) {
    let [base, our, their] = [base, ours, theirs].map(lines_of);
    let mut text = String::new();
    let mut markers = false;
    for MergeRegion { base: old, ours, theirs, resolution } in regions(&base, &our, &their) {
        match resolution {
            Resolution::Unchanged | Resolution::Ours => push(&mut text, &our[ours]),
            Resolution::Theirs => push(&mut text, &their[theirs]),
            Resolution::Conflict => {
                markers = true;
                push_conflict(&mut text, [&base[old], &our[ours], &their[theirs]], clash);
            }
        }
    }
    (text, markers)
}

/// Merges three lists with one entry a line. Where lines clash, those of both sides stand, ours first,
/// without those that a side removed.
pub(crate) fn union(base: &str, ours: &str, theirs: &str) -> String {
    let [base, our, their] = [base, ours, theirs].map(lines_of);
    let mut text = String::new();
    for MergeRegion { base: old, ours, theirs, resolution } in regions(&base, &our, &their) {
        let (old, ours, theirs) = (&base[old], &our[ours], &their[theirs]);
        match resolution {
            Resolution::Unchanged | Resolution::Ours => push(&mut text, ours),
            Resolution::Theirs => push(&mut text, theirs),
            Resolution::Conflict => {
                let stays = |line: &&str, other: &[&str]| !old.contains(line) || other.contains(line);
                for line in ours.iter().filter(|line| stays(line, theirs)) {
                    push(&mut text, &[line]);
                }
                for line in theirs.iter().filter(|line| stays(line, ours) && !ours.contains(line)) {
                    push(&mut text, &[line]);
                }
            }
        }
    }
    text
}

fn push(text: &mut String, lines: &[&str]) {
    for line in lines {
        end_line(text, line);
        text.push_str(line);
    }
}

/// Ends the last line, if something follows it.
fn end_line(text: &mut String, next: &str) {
    if !text.is_empty() && !text.ends_with('\n') && !next.is_empty() {
        text.push_str(line_break(text));
    }
}

/// Appends two versions between git's conflict markers, without the lines that they share at their
/// ends; with [`Clash::MarkersWithBase`] three whole versions.
pub(crate) fn push_conflict(text: &mut String, [base, ours, theirs]: [&[&str]; 3], clash: Clash) {
    let with_base = clash == Clash::MarkersWithBase;
    let same = |(a, b): &(&&str, &&str)| !with_base && a == b;
    let head = ours.iter().zip(theirs).take_while(same).count();
    let (ours_rest, theirs_rest) = (&ours[head..], &theirs[head..]);
    let tail = ours_rest.iter().rev().zip(theirs_rest.iter().rev()).take_while(same).count();
    push(text, &ours[..head]);
    let end = if ours.iter().chain(theirs).any(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let marked = [
        Some(("<<<<<<< ours", &ours_rest[..ours_rest.len() - tail])),
        with_base.then_some(("||||||| base", base)),
        Some(("=======", &theirs_rest[..theirs_rest.len() - tail])),
    ];
    for (marker, lines) in marked.into_iter().flatten() {
        let marker: Cow<'_, str> = format!("{marker}{end}").into();
        push(text, &[&marker]);
        push(text, lines);
    }
    push(text, &[&format!(">>>>>>> theirs{end}")]);
    push(text, &ours[ours.len() - tail..]);
}

/// The line break of a text, that of its first line.
pub(crate) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
