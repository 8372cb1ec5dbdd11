//! The two sides of a merge, and which of them wins a clash.

use std::cmp::Ordering;

use cm_note::instant::Instant;

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SideName {
    Ours,
    Theirs,
}

/// Which side changed the note later, by `updated`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Precedence(Ordering);

impl Precedence {
    /// Compares the `updated` of our and their note; a note without one is the earlier.
    pub fn of(ours: Option<Instant>, theirs: Option<Instant>) -> Self {
        Self(ours.cmp(&theirs))
    }

    /// Returns the side whose value wins: the later one, on equal times the greater value by bytes.
    pub fn winner(self, ours: &str, theirs: &str) -> SideName {
        match self.0.then_with(|| ours.cmp(theirs)) {
            Ordering::Less => SideName::Theirs,
            Ordering::Equal | Ordering::Greater => SideName::Ours,
        }
    }
}
