//! Suggests the title that a dangling link probably meant.
//!
//! One pass over short signatures selects the few titles that are compared in full.

use crate::note::{Note, NoteKind};
use cm_text::spelling::edit_distance;

/// Maximum length of a compared name, in characters.
const MAX_NAME_CHARS: u32 = 80;

/// Maximum number of edits, whatever the length of the name.
const MAX_EDITS: u32 = 4;

/// Maximum number of titles compared in full, for vaults with many similar titles.
const MAX_COMPARED_TITLES: usize = 500;

/// Titles of a vault with their signatures.
pub(super) struct TitleMatcher<'n> {
    notes: &'n [Note],
    marks: Vec<(TitleSignature, u32)>,
}

/// Summary of a title that rules out most titles without a comparison.
#[derive(Clone, Copy, Default)]
struct TitleSignature {
    /// Bit set of the letters; one edit changes at most two bits.
    letters: u64,
    /// Length in characters.
    length: u32,
    /// Low bytes of the first four characters, in lower case.
    begin: [u8; 4],
}

impl<'n> TitleMatcher<'n> {
    pub(super) fn of(notes: &'n [Note]) -> Self {
        let titled = notes.iter().zip(0..).filter(|(note, _)| note.kind != NoteKind::Edge);
        let marks = titled.map(|(note, position)| (TitleSignature::of(&note.title), position));
        Self { notes, marks: marks.filter(|(mark, _)| mark.length <= MAX_NAME_CHARS).collect() }
    }

    /// Returns the title with the fewest edits (at most one per four characters), else the shortest
    /// title that begins with the name. Ties are resolved alphabetically.
    pub(super) fn to(&self, reference: &str) -> Option<&'n str> {
        let name = reference.rsplit('/').next().unwrap_or(reference);
        let name = name.strip_suffix(".md").unwrap_or(name);
        let mark = TitleSignature::of(name);
        if mark.length == 0 || mark.length > MAX_NAME_CHARS {
            return None;
        }
        let edits = (mark.length / 4).clamp(1, MAX_EDITS);
        let lower_name = lower(name);
        let likely =
            self.marks.iter().filter(|(title, _)| title.may_be_within(mark, edits)).take(MAX_COMPARED_TITLES);
        let slips = likely.filter_map(|(_, note)| {
            let title = self.title(*note);
            let distance = edit_distance(&lower_name, &lower(title));
            (distance <= edits as usize).then_some((distance, title))
        });
        slips.min().map(|(_, title)| title).or_else(|| self.beginning_with(&lower_name, mark))
    }

    fn beginning_with(&self, wanted: &str, mark: TitleSignature) -> Option<&'n str> {
        let begins = self.marks.iter().filter(|(title, _)| mark.may_begin(*title));
        let begins = begins.map(|(title, note)| (title.length, self.title(*note))).filter(|(_, title)| {
            let mut rest = title.chars().map(lower_case);
            wanted.chars().all(|c| rest.next() == Some(c))
                && rest.next().is_some_and(|c| !c.is_alphanumeric())
        });
        begins.min().map(|(_, title)| title)
    }

    fn title(&self, note: u32) -> &'n str {
        &self.notes[note as usize].title
    }
}

impl TitleSignature {
    fn of(text: &str) -> Self {
        let mut mark = Self::default();
        for c in text.chars().map(lower_case) {
            let bit = match c {
                'a'..='z' => c as u32 - 'a' as u32,
                _ => 26 + c as u32 % 38,
            };
            mark.letters |= 1 << bit;
            if let Some(first) = mark.begin.get_mut(mark.length as usize) {
                *first = c as u8;
            }
            mark.length += 1;
        }
        mark
    }

    fn may_begin(self, longer: Self) -> bool {
        let shared = self.length.min(4) as usize;
        longer.length > self.length
            && self.letters & !longer.letters == 0
            && self.begin[..shared] == longer.begin[..shared]
    }

    fn may_be_within(self, other: Self, edits: u32) -> bool {
        self.length.abs_diff(other.length) <= edits
            && (self.letters ^ other.letters).count_ones() <= 2 * edits
    }
}

/// Lower-cases a character to exactly one character, which is fast and accurate enough for
/// comparison.
fn lower_case(c: char) -> char {
    if c.is_ascii() { c.to_ascii_lowercase() } else { c.to_lowercase().next().unwrap_or(c) }
}

fn lower(text: &str) -> String {
    text.chars().map(lower_case).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::sample::note;

    #[test]
    fn slips_and_short_forms_are_recognised_and_strangers_are_not() {
        let notes =
            [note("a.md", "Kubernetes probes"), note("b.md", "Retry with jitter"), note("c.md", "Retry")];
        let nearest = TitleMatcher::of(&notes);
        assert_eq!(nearest.to("kuberntes probes"), Some("Kubernetes probes"));
        assert_eq!(nearest.to("notes/Retri.md"), Some("Retry"));
        assert_eq!(nearest.to("retry with"), Some("Retry with jitter"));
        for stranger in ["Postgres", "R", "", "Kubernetes in production"] {
            assert_eq!(nearest.to(stranger), None, "{stranger}");
        }
    }
}
