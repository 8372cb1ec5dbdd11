//! The notes of a vault in memory, for one version of its index.
//!
//! The cache decides nothing about freshness: the caller refreshes the index first, and asks with the
//! version that the index has then.

use std::sync::{Arc, Mutex, PoisonError};

use cm_index::IndexVersion;
use cm_note::graph::LinkedNotes;
use cm_note::note::Note;

/// The notes that were read last, with the version of the index that they came from.
#[derive(Debug, Default)]
pub(crate) struct NoteCache(Mutex<Option<(IndexVersion, Arc<LinkedNotes>)>>);

impl NoteCache {
    /// Returns the notes if they are of this version.
    pub(super) fn of_version(&self, version: &IndexVersion) -> Option<Arc<LinkedNotes>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|(of, _)| of == version).map(|(_, notes)| Arc::clone(notes))
    }

    /// Stores the notes of a version in place of those of another one, and returns them.
    pub(super) fn keep(&self, version: IndexVersion, notes: Vec<Note>) -> Arc<LinkedNotes> {
        let notes: Arc<LinkedNotes> = Arc::new(notes.into());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((version, Arc::clone(&notes)));
        notes
    }
}
