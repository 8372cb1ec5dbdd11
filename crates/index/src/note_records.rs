//! Records that a caller computes from each note of a kind, stored beside the index: what later commands
//! need of thousands of notes without reading them.
//!
//! The file describes one commit of the text index. At a later commit, only the records of notes that
//! changed since are computed. The file is written anew after many changes.

use std::sync::Arc;

use tantivy::DocAddress;
use tantivy::directory::OwnedBytes;

use super::error::Error;
use super::frame;
use super::store::{Index, OpenedIndex};
use super::text::mapped;
use cm_note::note::{Note, NoteKind};

/// The file is rewritten after more than one change per `RECORDS_PER_CHANGE` records.
const RECORDS_PER_CHANGE: usize = 400;

/// One record of each note of a kind, at one state of the index.
pub struct NoteRecords {
    opened: Arc<OpenedIndex>,
    list: Vec<(DocAddress, OwnedBytes)>,
}

impl NoteRecords {
    /// Iterates over the records, in the order of the index.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.list.iter().map(|(_, record)| record.as_slice())
    }

    /// Loads the notes of the records at these indices, in their order.
    ///
    /// # Errors
    ///
    /// [`Error::Unusable`] if the index is damaged.
    pub fn notes(&self, indices: impl Iterator<Item = usize>) -> Result<Vec<Note>, Error> {
        let addresses = indices.filter_map(|at| Some(self.list.get(at)?.0));
        Ok(self.opened.text.at_addresses(addresses)?)
    }
}

impl Index {
    /// Returns the record of each note of a kind as of the last refresh. `name` names the file, `basis`
    /// everything beside the notes on which the records depend.
    ///
    /// # Errors
    ///
    /// Fails like [`Index::search`].
    pub fn note_records(
        &self,
        name: &str,
        basis: &str,
        kind: NoteKind,
        record: &dyn Fn(&Note) -> Vec<u8>,
    ) -> Result<NoteRecords, Error> {
        let opened = self.text()?;
        // A file that is missing or unsound is made from the notes.
        let (list, changes) = opened.text.records(mapped(self.folder(), name), basis, kind, record)?;
        if changes > list.len() / RECORDS_PER_CHANGE {
            // Where nothing can be written, the next command computes them again.
            let _ = frame::write(&self.folder().join(name), &opened.text.stored_records(&list, basis));
        }
        Ok(NoteRecords { opened, list })
    }
}
