//! The index entry of a note.

use cm_note::note::read::ParsedNote;
use cm_note::passage::PassageKey;

/// A parsed note and the keys of its passages.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedNote {
    pub reading: ParsedNote,
    /// Keys of the passages in the order of the text. The vectors are stored separately.
    pub passages: Vec<PassageKey>,
}
