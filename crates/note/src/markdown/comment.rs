//! Obsidian comments, `%%…%%`. The commented text is part of the note's text.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use super::{extensions, nested_too_deep};

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

/// Returns the byte ranges of the comments of a body that is not nested too deeply.
pub(super) fn of_body(body: &str) -> Vec<Range<usize>> {
    if !body.contains(MARK) {
        return Vec::new();
    }
    let events = Parser::new_ext(body, extensions()).into_offset_iter();
    let code = events.filter(|(event, _)| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))));
    let code: Vec<Range<usize>> = code.map(|(_, range)| range).collect();
    ranges(body, &code)
}

/// Returns the comments of a body without their delimiters; none of a body that is nested too deeply.
pub fn comments(body: &str) -> Vec<&str> {
    if nested_too_deep(body) {
        return Vec::new();
    }
    let inner = |range: Range<usize>| body.get(range.start + MARK.len()..range.end - MARK.len());
    of_body(body).into_iter().filter_map(inner).collect()
}

/// Returns the body without its comments, for readers for whom they are not meant. A body that is
/// nested too deeply stays as it is.
///
/// ```
/// use cm_note::markdown::without_comments;
/// assert_eq!(without_comments("a %%hidden%% b `%%c%%`"), "a  b `%%c%%`");
/// ```
pub fn without_comments(body: &str) -> Cow<'_, str> {
    if !body.contains(MARK) || nested_too_deep(body) {
        return Cow::Borrowed(body);
    }
    let (mut rest, mut at) = (String::with_capacity(body.len()), 0);
    for comment in of_body(body) {
        rest.push_str(&body[at..comment.start]);
        at = comment.end;
    }
    rest.push_str(&body[at..]);
    Cow::Owned(rest)
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
