//! Obsidian comments, `%%…%%`.
//!
//! This module only finds their ranges; the commented text stays part of the note's text.

use std::ops::Range;

/// Delimiter that opens and closes a comment.
const MARK: &str = "%%";

/// Returns the byte ranges of Obsidian comments (`%%…%%`) in a body. Delimiters inside `code`
/// (sorted ranges) and an unclosed delimiter are ignored.
pub(super) fn ranges(body: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut code = code.iter().peekable();
    let marks = body.match_indices(MARK).map(|(at, _)| at).filter(move |at| {
        while code.next_if(|code| code.end <= *at).is_some() {}
        code.peek().is_none_or(|code| !code.contains(at))
    });
    let marks: Vec<usize> = marks.collect();
    marks.as_chunks().0.iter().map(|[open, close]| *open..close + MARK.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_pair_up_outside_of_code() {
        let body = "a %%b%% `%%` c\n%%\nd\n%%\ne %% f";
        let code = 8..12;
        let found: Vec<&str> =
            ranges(body, std::slice::from_ref(&code)).into_iter().map(|range| &body[range]).collect();
        assert_eq!(found, ["%%b%%", "%%\nd\n%%"]);
    }
}
