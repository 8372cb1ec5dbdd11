//! The index entry of a note.

use cm_note::note::read::Reading;
use cm_note::passage::PassageKey;

/// A parsed note and the keys of its passages.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub reading: Reading,
    /// Keys of the passages in the order of the text. The vectors are stored separately.
    pub passages: Vec<PassageKey>,
}
