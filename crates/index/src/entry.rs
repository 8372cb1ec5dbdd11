//! What a file becomes in the index.

use cm_note::note::read::Reading;
use cm_note::passage::PassageKey;

/// A note that was read, and which passages of it are embedded.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The note and its body.
    pub reading: Reading,
    /// Its passages, in order; the vectors are kept elsewhere.
    pub passages: Vec<PassageKey>,
}
