//! The two sides of a merge, and which of them wins a clash.

use std::cmp::Ordering;

use cm_note::instant::Instant;

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SideName {
    Ours,
    Theirs,
}

/// The newest commit that changed a file on one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeStamp {
    pub at: Instant,
    /// Name of the author.
    pub author: String,
}

/// Which side changed the note later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Precedence(Ordering);

impl Precedence {
    /// Compares the times of our and their change; a note without one is the earlier.
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
