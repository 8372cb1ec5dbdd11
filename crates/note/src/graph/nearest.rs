//! The title that a link which leads nowhere probably meant.
//!
//! One pass over short signatures finds the few titles that are worth a true comparison.

use crate::note::{Kind, Note};

/// Longer names are not compared, in characters.
const LONGEST: u32 = 80;

/// The most edits that still are a slip, whatever the length.
const MOST_EDITS: u32 = 4;

/// So many titles of the same letters are compared at most, for vaults whose titles are all alike.
const MOST_COMPARED: usize = 500;

/// The titles of a vault, ready to be compared.
pub(super) struct Nearest<'n> {
    notes: &'n [Note],
    marks: Vec<(Signature, u32)>,
}

/// What tells most titles apart without looking at them.
#[derive(Clone, Copy, Default)]
struct Signature {
    /// Which letters occur, as bits. One edit changes two of them at most.
    letters: u64,
    /// How many characters there are.
    length: u32,
    /// The low bytes of the first characters, in lower case.
    begin: [u8; 4],
}

impl<'n> Nearest<'n> {
    pub(super) fn of(notes: &'n [Note]) -> Self {
        let titled = notes.iter().zip(0..).filter(|(note, _)| note.kind != Kind::Edge);
        let marks = titled.map(|(note, position)| (Signature::of(&note.title), position));
        Self { notes, marks: marks.filter(|(mark, _)| mark.length <= LONGEST).collect() }
    }

    /// The title with the fewest edits, at most one in four characters; else the shortest that begins with
    /// the name. Ties go to the alphabet.
    pub(super) fn to(&self, reference: &str) -> Option<&'n str> {
        let name = reference.rsplit('/').next().unwrap_or(reference);
        let name = name.strip_suffix(".md").unwrap_or(name);
        let mark = Signature::of(name);
        if mark.length == 0 || mark.length > LONGEST {
            return None;
        }
        let edits = (mark.length / 4).clamp(1, MOST_EDITS);
        let wanted = lower(name);
        let likely =
            self.marks.iter().filter(|(title, _)| title.may_be_within(mark, edits)).take(MOST_COMPARED);
        let slips = likely.filter_map(|(_, note)| {
            let title = self.title(*note);
            Some((distance(&wanted, &lower(title), edits as usize)?, title))
        });
        slips.min().map(|(_, title)| title).or_else(|| self.beginning_with(&wanted, mark))
    }

    fn beginning_with(&self, wanted: &[char], mark: Signature) -> Option<&'n str> {
        let begins = self.marks.iter().filter(|(title, _)| mark.may_begin(*title));
        let begins = begins.map(|(title, note)| (title.length, self.title(*note))).filter(|(_, title)| {
            let mut rest = title.chars().map(lower_case);
            wanted.iter().all(|c| rest.next() == Some(*c))
                && rest.next().is_some_and(|c| !c.is_alphanumeric())
        });
        begins.min().map(|(_, title)| title)
    }

    fn title(&self, note: u32) -> &'n str {
        &self.notes[note as usize].title
    }
}

impl Signature {
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

/// One character for one, which is near enough to compare by and fast.
fn lower_case(c: char) -> char {
    if c.is_ascii() { c.to_ascii_lowercase() } else { c.to_lowercase().next().unwrap_or(c) }
}

fn lower(text: &str) -> Vec<char> {
    text.chars().map(lower_case).collect()
}

/// The number of characters to insert, remove or replace; `None` above `most`.
fn distance(a: &[char], b: &[char], most: usize) -> Option<usize> {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
        if row.iter().all(|edits| *edits > most) {
            return None;
        }
    }
    row.last().copied().filter(|edits| *edits <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::sample::note;

    #[test]
    fn slips_and_short_forms_are_recognised_and_strangers_are_not() {
        let notes =
            [note("a.md", "Kubernetes probes"), note("b.md", "Retry with jitter"), note("c.md", "Retry")];
        let nearest = Nearest::of(&notes);
        assert_eq!(nearest.to("kuberntes probes"), Some("Kubernetes probes"));
        assert_eq!(nearest.to("notes/Retri.md"), Some("Retry"));
        assert_eq!(nearest.to("retry with"), Some("Retry with jitter"));
        for stranger in ["Postgres", "R", "", "Kubernetes in production"] {
            assert_eq!(nearest.to(stranger), None, "{stranger}");
        }
    }

    #[test]
    fn distance_counts_edits_up_to_its_bound() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(distance(&chars("kitten"), &chars("sitting"), 3), Some(3));
        assert_eq!(distance(&chars("kitten"), &chars("sitting"), 2), None);
        assert_eq!(distance(&chars(""), &chars("ab"), 2), Some(2));
    }
}
