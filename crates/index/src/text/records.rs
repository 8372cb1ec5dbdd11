//! Brings stored records of notes up to date with the text index.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use tantivy::directory::OwnedBytes;
use tantivy::{DocAddress, Term};

use super::TextIndex;
use super::document::fact;
use crate::error::RebuildReason;
use crate::frame::unframed;
use cm_note::note::{Note, NoteKind};
use cm_note::query::LabelField;

/// The beginning of a file of records.
#[derive(Serialize, Deserialize)]
struct Head {
    basis: String,
    /// Ids of the segments, by ordinal.
    segments: Vec<String>,
}

/// A stored record with its segment and its document.
type StoredRecord<'a> = (u32, u32, &'a [u8]);

impl TextIndex {
    /// Returns the record of each note of a kind, in the order of the index, and the number of changes since
    /// they were stored.
    pub(crate) fn records(
        &self,
        stored: Option<OwnedBytes>,
        basis: &str,
        kind: NoteKind,
        record: &dyn Fn(&Note) -> Vec<u8>,
    ) -> Result<(Vec<(DocAddress, OwnedBytes)>, usize), RebuildReason> {
        self.guarded(|| {
            let mut stored_records =
                stored.and_then(|bytes| self.read_records(&bytes, basis)).unwrap_or_default();
            let term = Term::from_field_text(self.fields.facts, &fact(LabelField::Kind, kind.name()));
            let mut changes = 0;
            let mut list = Vec::new();
            for address in self.with_term(&term)? {
                let bytes = match stored_records.remove(&address) {
                    Some(bytes) => bytes,
                    None => {
                        changes += 1;
                        OwnedBytes::new(record(&self.note(address)?))
                    }
                };
                list.push((address, bytes));
            }
            Ok((list, changes.max(stored_records.len())))
        })
    }

    /// Returns the stored records of documents in segments that are still there; `None` if the file is
    /// unsound or of another basis. A segment never changes but for documents that are deleted.
    fn read_records(&self, bytes: &OwnedBytes, basis: &str) -> Option<HashMap<DocAddress, OwnedBytes>> {
        let (payload, end) = unframed(bytes, "records").ok()?;
        let (head, mut unread) = postcard::take_from_bytes::<Head>(payload).ok()?;
        if head.basis != basis || end != bytes.len() {
            return None;
        }
        let segments = self.segment_ids();
        let ordinals: Vec<Option<usize>> =
            head.segments.iter().map(|id| segments.iter().position(|segment| segment == id)).collect();
        let mut records = HashMap::new();
        while !unread.is_empty() {
            let ((segment, document, record), rest) =
                postcard::take_from_bytes::<StoredRecord<'_>>(unread).ok()?;
            let from = bytes.len() - rest.len() - record.len();
            unread = rest;
            if let Some(ordinal) = ordinals.get(segment as usize).copied().flatten() {
                let address = DocAddress::new(ordinal as u32, document);
                records.insert(address, bytes.slice(from..from + record.len()));
            }
        }
        Some(records)
    }

    /// Returns the payload of a file of records.
    pub(crate) fn stored_records(&self, list: &[(DocAddress, OwnedBytes)], basis: &str) -> Vec<u8> {
        let head = Head { basis: basis.to_owned(), segments: self.segment_ids() };
        // Writing to memory cannot fail.
        let mut bytes = postcard::to_allocvec(&head).unwrap_or_default();
        for (address, record) in list {
            let record: StoredRecord<'_> = (address.segment_ord, address.doc_id, record.as_slice());
            bytes = postcard::to_extend(&record, bytes).unwrap_or_default();
        }
        bytes
    }

    /// Loads the notes at these addresses, in their order.
    pub(crate) fn at_addresses(
        &self,
        addresses: impl Iterator<Item = DocAddress>,
    ) -> Result<Vec<Note>, RebuildReason> {
        self.guarded(|| addresses.map(|address| self.note(address)).collect())
    }
}
