//! Detects unresolved merge conflicts: versions between the conflict markers of Git or Jujutsu.

use crate::finding::{Finding, FindingCode, Severity};
use crate::path::NotePath;

/// Length of a conflict marker where the text itself needs no longer one.
const MARKER_CHARS: usize = 7;

/// Returns the line, from 1, on which an unresolved conflict begins. Conflict markers in fenced
/// code blocks do not count.
pub fn conflict_marker(text: &str) -> Option<u32> {
    // Line and marker length of the conflict that has begun.
    let mut begin = None;
    let (mut divided, mut fence) = (false, None);
    for (line, number) in text.lines().zip(1_u32..) {
        match begin {
            None => {
                fence = fence_after(fence, line);
                if let Some(length) = mark_length(line, '<').filter(|_| fence.is_none()) {
                    (begin, divided) = (Some((number, length)), false);
                }
            }
            Some((_, length)) if is_divider(line, length) => divided = true,
            Some((number, length)) if divided && mark_length(line, '>') == Some(length) => {
                return Some(number);
            }
            Some(_) => {}
        }
    }
    None
}

/// Returns the finding for a note with an unresolved conflict.
pub fn finding(path: &NotePath, text: &str) -> Option<Finding> {
    let line = conflict_marker(text)?;
    let message = "the file contains an unresolved merge conflict";
    let finding =
        Finding::new(path, FindingCode::ConflictMarker, Severity::Error, message).with_location(line, 1);
    Some(finding.with_hint("keep one of the versions and remove the lines with conflict markers"))
}

/// Returns the length of a conflict marker: a line of one character, optionally followed by a space
/// and text.
fn mark_length(line: &str, mark: char) -> Option<usize> {
    let rest = line.trim_start_matches(mark);
    let length = line.len() - rest.len();
    (length >= MARKER_CHARS && (rest.is_empty() || rest.starts_with([' ', '\r']))).then_some(length)
}

/// Whether a line begins another version: `=` stands alone in Git, `%`, `+` and `-` have a label in
/// Jujutsu.
fn is_divider(line: &str, length: usize) -> bool {
    let stands_alone = || line.trim_end().len() == length;
    (mark_length(line, '=') == Some(length) && stands_alone())
        || ['%', '+', '-'].into_iter().any(|mark| mark_length(line, mark) == Some(length))
}

/// Returns the code fence that is open after a line: its character and length.
pub fn fence_after(open: Option<(char, usize)>, line: &str) -> Option<(char, usize)> {
    let line = line.trim_start_matches([' ', '>']);
    let Some(mark) = line.chars().next().filter(|c| matches!(c, '`' | '~')) else { return open };
    let count = line.chars().take_while(|c| *c == mark).count();
    match open {
        None if count >= 3 => Some((mark, count)),
        Some((opening, least)) if opening == mark && count >= least && line[count..].trim().is_empty() => {
            None
        }
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
        let long = conflict.replace('<', "<<").replace('=', "==").replace('>', ">>");
        assert_eq!(conflict_marker(&long), Some(1));
        for text in [
            format!("```\n{conflict}```\n"),
            "Heading\n=======\n\n>>>>>>> quoted\n".to_owned(),
            "<<<<<<< HEAD\nnever ended\n".to_owned(),
            "<<<<<<<< eight\n=======\n>>>>>>>> eight\n".to_owned(),
        ] {
            assert_eq!(conflict_marker(&text), None, "{text}");
        }
    }

    #[test]
    fn the_markers_of_jujutsu_are_found_in_each_of_its_styles() {
        let diff = "%%%%%%% diff from: base\n\\\\\\\\\\\\\\        to: one\n-a\n+b\n+++++++ other\nc\n";
        let snapshot = "+++++++ one\nb\n------- base\na\n+++++++ other\nc\n";
        let git = "one\n||||||| base\na\n=======\nc\n";
        for sides in [diff, snapshot, git] {
            let conflict = format!("Text.\n<<<<<<< conflict 1 of 1\n{sides}>>>>>>> conflict 1 of 1 ends\n");
            assert_eq!(conflict_marker(&conflict), Some(2), "{conflict}");
        }
    }
}
