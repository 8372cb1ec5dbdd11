//! Messages about leftovers of a merge. Of long texts they show the places where the two versions differ.

use cm_text::shorten::{one_line, shorten};
use cm_text::word_diff::{DiffKind, DiffPiece, diff};
use yaml_serde::Value;

use super::leftover::{Leftover, LeftoverPart};
use crate::frontmatter::parse::{FrontmatterFields, scalar_text};
use crate::frontmatter::write::flow_item;

/// Maximum number of characters of a text that is shown whole.
const MAX_WHOLE_TEXT_CHARS: usize = 120;
/// Maximum number of characters of the equal text before and after a difference.
const MAX_CONTEXT_CHARS: usize = 40;
/// Maximum number of characters of one difference.
const MAX_DIFFERENCE_CHARS: usize = 160;
/// Maximum number of characters of all differences of a text.
const MAX_EXCERPT_CHARS: usize = 480;

/// Describes a leftover of a note with this frontmatter.
pub(super) fn message(leftover: &Leftover, fields: &FrontmatterFields) -> String {
    let written = |value: &Value| match value {
        Value::Null => None,
        value => Some(scalar_text(value).unwrap_or_else(|| flow_item(value))),
    };
    let whole = |text: &str| shorten(&one_line(text), MAX_WHOLE_TEXT_CHARS).into_owned();
    let about = match (&leftover.part, written(&leftover.value)) {
        (LeftoverPart::Key(key), Some(other)) => {
            let own = fields.get(key).and_then(|field| written(&field.value)).unwrap_or_default();
            match is_long(&other) && !own.is_empty() {
                true => {
                    let [own, other] = excerpts(&own, &other);
                    format!("where `{key}` says \"{own}\", another version says \"{other}\"")
                }
                false => format!("another version has `{key}`: `{}`", whole(&other)),
            }
        }
        (LeftoverPart::Key(key), None) => format!("another version has no `{key}`"),
        (LeftoverPart::Paragraph(own), Some(other)) if one_line(own) == one_line(&other) => {
            format!("another version of \"{}\" has other white space", whole(own))
        }
        (LeftoverPart::Paragraph(own), Some(other)) => {
            let [own, other] = excerpts(own, &other);
            format!("where the note says \"{own}\", another version says \"{other}\"")
        }
        (LeftoverPart::Paragraph(own), None) => format!("another version is without \"{}\"", whole(own)),
        (LeftoverPart::File(path), Some(other)) if *path == other => {
            format!("two clones added a note at {path}")
        }
        (LeftoverPart::File(_), Some(other)) => {
            format!("another version of the file is in {}", whole(&other))
        }
        (LeftoverPart::File(path), None) => {
            format!("{path} was deleted in one clone and changed in the other")
        }
    };
    let by = leftover.author.as_deref().map(|author| format!(" by {author}")).unwrap_or_default();
    let at = leftover.updated.map(|at| format!(" ({})", at.day())).unwrap_or_default();
    format!("{about}{by}{at}")
}

fn is_long(text: &str) -> bool {
    one_line(text).chars().nth(MAX_WHOLE_TEXT_CHARS).is_some()
}

/// Puts two versions of a text on one line each. If one is long, only the differences remain, with some text around them.
fn excerpts(own: &str, other: &str) -> [String; 2] {
    let lines = [own, other].map(one_line);
    if !is_long(own) && !is_long(other) {
        return lines;
    }
    let pieces = diff(&lines[0], &lines[1]);
    [DiffKind::Removed, DiffKind::Added].map(|side| excerpt(&pieces, side))
}

fn excerpt(pieces: &[DiffPiece], side: DiffKind) -> String {
    let mut text = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece.kind {
            DiffKind::Same => text.push_str(&context(&piece.text, at > 0, at + 1 < pieces.len())),
            kind if kind == side => text.push_str(&shorten(&piece.text, MAX_DIFFERENCE_CHARS)),
            _ => {}
        }
    }
    shorten(&text, MAX_EXCERPT_CHARS).trim().to_owned()
}

/// Shortens text between differences to the words next to them.
fn context(text: &str, is_after: bool, is_before: bool) -> String {
    let count = text.chars().count();
    let wanted = MAX_CONTEXT_CHARS * (usize::from(is_after) + usize::from(is_before));
    if count <= wanted {
        return text.to_owned();
    }
    let at = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (&text[..at(MAX_CONTEXT_CHARS)], &text[at(count - MAX_CONTEXT_CHARS)..]);
    // A word that is cut through is left out.
    let head = head.rsplit_once(' ').map_or(head, |(words, _)| words);
    let tail = tail.split_once(' ').map_or(tail, |(_, words)| words);
    match (is_after, is_before) {
        (true, true) => format!("{head} … {tail}"),
        (true, false) => format!("{head}…"),
        (false, true) => format!("…{tail}"),
        (false, false) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontmatter::parse::parse;
    use crate::frontmatter::split::Split;

    fn of(part: LeftoverPart, other: &str, note: &str) -> String {
        let leftover = Leftover { part, value: Value::String(other.to_owned()), updated: None, author: None };
        message(&leftover, &parse(&Split::of(note)).fields)
    }

    #[test]
    fn of_long_texts_the_words_that_differ_are_shown() {
        let text = |time: &str| {
            format!(
                "{} Frauke anrufen, am besten vor {time} Uhr. {}",
                "Höchstens drei. ".repeat(20),
                "Danach nicht. ".repeat(20)
            )
        };
        let message = of(LeftoverPart::Paragraph(text("9")), &text("11"), "");
        let expected = "where the note says \"…Frauke anrufen, am besten vor 9 Uhr. Danach nicht. Danach nicht.…\", another version says \"…Frauke anrufen, am besten vor 11 Uhr. Danach nicht. Danach nicht.…\"";
        assert_eq!(message.replace("drei. Frauke", "Frauke"), expected);
        let note = format!("---\nsummary: {}\n---\n", text("9"));
        let message = of(LeftoverPart::Key("summary".to_owned()), &text("11"), &note);
        assert!(message.contains("vor 9 Uhr") && message.contains("vor 11 Uhr"), "{message}");
    }

    #[test]
    fn two_different_long_texts_are_shown_with_their_beginnings() {
        let message =
            of(LeftoverPart::Paragraph("One more time. ".repeat(40)), &"Never at night. ".repeat(40), "");
        assert!(message.contains("One") && message.contains("Never") && message.len() < 1_100, "{message}");
    }

    #[test]
    fn white_space_alone_is_said_to_differ() {
        let message = of(LeftoverPart::Paragraph("- a\n- b".to_owned()), "- a\n  - b", "");
        assert_eq!(message, "another version of \"- a - b\" has other white space");
    }
}
