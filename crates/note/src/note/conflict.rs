//! Detects unresolved Git merge conflicts: two versions between conflict markers.

use crate::finding::{Finding, FindingCode, Severity};
use crate::path::NotePath;

const OURS: &str = "<<<<<<<";
const BETWEEN: &str = "=======";
const THEIRS: &str = ">>>>>>>";

/// Returns the line, from 1, on which an unresolved conflict begins. Conflict markers in fenced
/// code blocks do not count.
pub fn conflict_marker(text: &str) -> Option<u32> {
    let mut begin = None;
    let (mut divided, mut fence) = (false, None);
    for (line, number) in text.lines().zip(1_u32..) {
        match begin {
            None => {
                fence = fence_after(fence, line);
                if fence.is_none() && is_mark(line, OURS) {
                    (begin, divided) = (Some(number), false);
                }
            }
            Some(_) if line.trim_end() == BETWEEN => divided = true,
            Some(_) if divided && is_mark(line, THEIRS) => return begin,
            Some(_) => {}
        }
    }
    None
}

/// Returns the finding for a note with an unresolved conflict.
pub(super) fn finding(path: &NotePath, text: &str) -> Option<Finding> {
    let line = conflict_marker(text)?;
    let message = "the file contains an unresolved merge conflict";
    let finding =
        Finding::new(path, FindingCode::ConflictMarker, Severity::Error, message).with_location(line, 1);
    Some(finding.with_hint(
        "keep one of the two versions and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`",
    ))
}

/// Whether a line consists of the marker, optionally followed by a space and text.
fn is_mark(line: &str, mark: &str) -> bool {
    line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r']))
}

/// Returns the code fence that is open after a line: its character and length.
pub fn fence_after(open: Option<(char, usize)>, line: &str) -> Option<(char, usize)> {
    let line = line.trim_start_matches([' ', '>']);
    let Some(mark) = line.chars().next().filter(|c| matches!(c, '`' | '~')) else { return open };
    let count = line.chars().take_while(|c| *c == mark).count();
    match open {
        None if count >= 3 => Some((mark, count)),
        Some((known, least)) if known == mark && count >= least && line[count..].trim().is_empty() => None,
        open => open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_is_found_and_an_example_of_one_is_not() {
        let conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n";
        assert_eq!(conflict_marker(&format!("---\nid: x\n---\n\n{conflict}")), Some(5));
        assert_eq!(conflict_marker(&conflict.replace('\n', "\r\n")), Some(1));
        assert_eq!(conflict_marker("<<<<<<< a\n```\n||||||| b\n=======\n```\n>>>>>>> c"), Some(1));
        for text in [
            format!("```\n{conflict}```\n"),
            "Heading\n=======\n\n>>>>>>> quoted\n".to_owned(),
            "<<<<<<< HEAD\nnever ended\n".to_owned(),
            "<<<<<<<< eight\n=======\n>>>>>>>> eight\n".to_owned(),
        ] {
            assert_eq!(conflict_marker(&text), None, "{text}");
        }
    }
}
