//! Looks up the documents that have a term.

use std::sync::{Arc, OnceLock};

use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocSet, InvertedIndexReader, SegmentReader, TERMINATED, Term};

use super::TextIndex;

/// The opened posting lists of the fields of an index, per field and segment. Opening those of a field
/// that a segment lacks takes longer than a lookup.
pub(super) struct PostingLists(Vec<OnceLock<Vec<Arc<InvertedIndexReader>>>>);

impl PostingLists {
    /// Returns the lists of as many fields, to be opened on first use.
    pub(super) fn of(fields: usize) -> Self {
        Self((0..fields).map(|_| OnceLock::new()).collect())
    }
}

impl TextIndex {
    /// Returns the posting lists of a field, one a segment.
    fn posting_lists(&self, field: Field) -> tantivy::Result<&[Arc<InvertedIndexReader>]> {
        let of_field = &self.postings.0[field.field_id() as usize];
        if let Some(opened) = of_field.get() {
            return Ok(opened);
        }
        let segments = self.searcher.segment_readers().iter();
        let opened = segments.map(|segment| segment.inverted_index(field)).collect::<tantivy::Result<_>>()?;
        Ok(of_field.get_or_init(|| opened))
    }

    /// Returns the documents that have a term, in their order in the index.
    pub(super) fn with_term(&self, term: &Term) -> tantivy::Result<Vec<DocAddress>> {
        self.first_with_term(term, usize::MAX)
    }

    /// Returns the first documents that have a term, in their order in the index; at most `most`.
    pub(super) fn first_with_term(&self, term: &Term, most: usize) -> tantivy::Result<Vec<DocAddress>> {
        let mut found = Vec::new();
        let segments = self.searcher.segment_readers().iter();
        for ((segment, lists), ordinal) in segments.zip(self.posting_lists(term.field())?).zip(0..) {
            let Some(mut postings) = lists.read_postings(term, IndexRecordOption::Basic)? else { continue };
            while postings.doc() != TERMINATED && found.len() < most {
                if is_alive(segment, postings.doc()) {
                    found.push(DocAddress::new(ordinal, postings.doc()));
                }
                postings.advance();
            }
        }
        Ok(found)
    }
}

pub(super) fn is_alive(segment: &SegmentReader, document: u32) -> bool {
    segment.alive_bitset().is_none_or(|alive| alive.is_alive(document))
}
