//! Differences between two texts, by words and by lines.

use similar::{ChangeTag, TextDiff};

/// Whether a piece of text is common, added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffKind {
    /// In both texts.
    Same,
    /// Only in the new text.
    Added,
    /// Only in the old text.
    Removed,
    /// Omitted text in the middle of a long unchanged run.
    Gap,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPiece {
    pub kind: DiffKind,
    /// The text; empty for a gap.
    pub text: String,
}

/// Splits two texts into common, added and removed pieces. Without the added pieces the result is
/// the old text, without the removed ones the new text.
pub fn diff(old: &str, new: &str) -> Vec<DiffPiece> {
    let mut pieces: Vec<DiffPiece> = Vec::new();
    for change in TextDiff::from_unicode_words(old, new).iter_all_changes() {
        let kind = match change.tag() {
            ChangeTag::Equal => DiffKind::Same,
            ChangeTag::Insert => DiffKind::Added,
            ChangeTag::Delete => DiffKind::Removed,
        };
        match pieces.last_mut().filter(|last| last.kind == kind) {
            Some(last) => last.text.push_str(change.value()),
            None => pieces.push(DiffPiece { kind, text: change.value().to_owned() }),
        }
    }
    pieces
}

/// Returns the changed lines of a file as a unified diff, with two lines around each change.
pub fn unified(from: &str, to: &str, before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(2).header(from, to).to_string()
}

/// Similarity of two texts by lines, 0–1.
pub fn line_similarity(old: &str, new: &str) -> f32 {
    TextDiff::from_lines(old, new).ratio()
}

/// Returns the lines that both texts have in common, as pairs of line indices in the old and in the
/// new text, from 0 and ascending.
pub fn common_lines(old: &str, new: &str) -> Vec<(usize, usize)> {
    let diff = TextDiff::from_lines(old, new);
    let changes = diff.iter_all_changes();
    changes.filter_map(|change| change.old_index().zip(change.new_index())).collect()
}

/// Shortens long unchanged runs to `lines` lines before and after each change.
pub fn shorten(pieces: &[DiffPiece], lines: usize) -> Vec<DiffPiece> {
    let mut out = Vec::with_capacity(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        if piece.kind != DiffKind::Same {
            out.push(piece.clone());
            continue;
        }
        let head = if at == 0 { 0 } else { start_of_rest(&piece.text, lines) };
        let tail = if at + 1 == pieces.len() { piece.text.len() } else { end_of_rest(&piece.text, lines) };
        if head >= tail {
            out.push(piece.clone());
            continue;
        }
        let same = |text: &str| DiffPiece { kind: DiffKind::Same, text: text.to_owned() };
        let pieces_around = [
            same(&piece.text[..head]),
            DiffPiece { kind: DiffKind::Gap, text: String::new() },
            same(&piece.text[tail..]),
        ];
        out.extend(
            pieces_around.into_iter().filter(|piece| piece.kind == DiffKind::Gap || !piece.text.is_empty()),
        );
    }
    out
}

/// Returns the byte offset after the first line of `text` and `lines` further lines.
fn start_of_rest(text: &str, lines: usize) -> usize {
    text.match_indices('\n').nth(lines).map_or(text.len(), |(at, _)| at + 1)
}

/// Returns the byte offset of the last line of `text`, or of the line `lines` lines before it.
fn end_of_rest(text: &str, lines: usize) -> usize {
    text.rmatch_indices('\n').nth(lines).map_or(0, |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(pieces: &[DiffPiece]) -> String {
        let mark = |piece: &DiffPiece| match piece.kind {
            DiffKind::Same => piece.text.clone(),
            DiffKind::Added => format!("{{+{}+}}", piece.text),
            DiffKind::Removed => format!("[-{}-]", piece.text),
            DiffKind::Gap => "…".to_owned(),
        };
        pieces.iter().map(mark).collect()
    }

    #[test]
    fn only_the_words_that_changed_are_marked() {
        let pieces = diff("Retry twice, then fail.\n", "Retry thrice, then fail.\n");
        assert_eq!(shown(&pieces), "Retry [-twice-]{+thrice+}, then fail.\n");
        assert_eq!(shown(&diff("same", "same")), "same");
        assert_eq!(diff("", ""), []);
    }

    #[test]
    fn far_lines_give_way_to_a_gap() {
        let old = "a\nb\nc\nd\none two\ne\nf\ng\n";
        let pieces = diff(old, &old.replace("two", "three"));
        assert_eq!(shown(&shorten(&pieces, 1)), "…d\none [-two-]{+three+}\ne\n…");
        assert_eq!(shown(&shorten(&pieces, 9)), shown(&pieces));
    }

    #[test]
    fn lines_that_stay_are_paired_by_their_places() {
        assert_eq!(common_lines("a\nb\nc\n", "x\na\nc\n"), [(0, 1), (2, 2)]);
        assert_eq!(common_lines("", "a\n"), []);
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_back(old in ".{0,80}", new in ".{0,80}") {
            let pieces = diff(&old, &new);
            let without = |kind: DiffKind| {
                pieces.iter().filter(|piece| piece.kind != kind).map(|piece| piece.text.as_str()).collect::<String>()
            };
            prop_assert_eq!(without(DiffKind::Added), old);
            prop_assert_eq!(without(DiffKind::Removed), new);
        }
    }
}
