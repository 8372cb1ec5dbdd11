//! Collection statistics for ranking, without deleted documents. Otherwise an updated index would
//! rank differently from a rebuilt one.

use std::collections::BTreeMap;

use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, SegmentReader, Term};

/// Statistics of one commit for the BM25 scores of its documents.
pub(crate) struct Statistics<'a> {
    searcher: &'a Searcher,
    tokens: BTreeMap<Field, u64>,
}

impl<'a> Statistics<'a> {
    /// Computes the total length of each field, in tokens.
    pub(crate) fn new(searcher: &'a Searcher, fields: &[Field]) -> tantivy::Result<Self> {
        let mut tokens = BTreeMap::new();
        for field in fields {
            let mut sum = 0;
            for segment in searcher.segment_readers() {
                sum += length(segment, *field)?;
            }
            tokens.insert(*field, sum);
        }
        Ok(Self { searcher, tokens })
    }

    /// Creates the statistics from total field lengths, in tokens, that were computed before.
    pub(crate) fn with_lengths(searcher: &'a Searcher, tokens: BTreeMap<Field, u64>) -> Self {
        Self { searcher, tokens }
    }

    pub(super) fn searcher(&self) -> &'a Searcher {
        self.searcher
    }

    pub(super) fn segments(&self) -> &'a [SegmentReader] {
        self.searcher.segment_readers()
    }
}

/// Total number of tokens of a field over the live notes of a segment, at the reduced precision of
/// the stored lengths.
fn length(segment: &SegmentReader, field: Field) -> tantivy::Result<u64> {
    let lengths = segment.get_fieldnorms_reader(field)?;
    let sum = |total: u64, document| total + u64::from(lengths.fieldnorm(document));
    Ok(match segment.alive_bitset() {
        Some(alive) => alive.iter_alive().fold(0, sum),
        None => (0..segment.max_doc()).fold(0, sum),
    })
}

impl Bm25StatisticsProvider for Statistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        Ok(self.tokens.get(&field).copied().unwrap_or(1))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.searcher.num_docs())
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let mut count = 0;
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(term.field())?;
            count += u64::from(match segment.alive_bitset() {
                None => index.doc_freq(term)?,
                Some(alive) => index
                    .read_postings(term, IndexRecordOption::Basic)?
                    .map_or(0, |postings| postings.doc_freq_given_deletes(alive)),
            });
        }
        Ok(count)
    }
}
