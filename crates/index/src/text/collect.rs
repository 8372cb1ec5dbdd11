//! Collects the best matches and the total number, independent of the order in which the index was
//! built.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use super::schema::{ORDER, UPDATED};

/// Sort key of a match: score, then time of the last change, then the hash of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    score: u32,
    updated: i64,
    order: u64,
}

/// The best matches with their scores, and the number of all matches.
pub(super) struct TopMatches {
    pub(super) matches: Vec<(Score, DocAddress)>,
    pub(super) total: usize,
}

/// Tantivy collector for the best `limit` matches.
pub(super) struct Top {
    pub(super) limit: usize,
    pub(super) scored: bool,
}

/// Collector for one segment.
pub(super) struct TopOfSegment {
    limit: usize,
    segment: SegmentOrdinal,
    updated: Arc<dyn ColumnValues<i64>>,
    order: Arc<dyn ColumnValues<u64>>,
    best: BinaryHeap<Reverse<(Rank, Reverse<DocAddress>)>>,
    total: usize,
}

/// Returns the bits of a positive score, rounded so that the order of summation makes no
/// difference.
pub(crate) fn rounded_bits(score: Score) -> u32 {
    (score.max(0.0).to_bits().saturating_add(0x80)) & !0xff
}

impl Collector for Top {
    type Fruit = TopMatches;
    type Child = TopOfSegment;

    fn for_segment(&self, segment: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<TopOfSegment> {
        Ok(TopOfSegment {
            limit: self.limit,
            segment,
            updated: reader.fast_fields().i64(UPDATED)?.first_or_default_col(i64::MIN),
            order: reader.fast_fields().u64(ORDER)?.first_or_default_col(0),
            best: BinaryHeap::new(),
            total: 0,
        })
    }

    fn requires_scoring(&self) -> bool {
        self.scored
    }

    fn merge_fruits(&self, segments: Vec<(Vec<(Rank, DocAddress)>, usize)>) -> tantivy::Result<TopMatches> {
        let total = segments.iter().map(|(_, total)| total).sum();
        let mut all: Vec<(Rank, DocAddress)> = segments.into_iter().flat_map(|(best, _)| best).collect();
        all.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
        all.truncate(self.limit);
        let matches =
            all.into_iter().map(|(rank, address)| (Score::from_bits(rank.score), address)).collect();
        Ok(TopMatches { matches, total })
    }
}

impl SegmentCollector for TopOfSegment {
    type Fruit = (Vec<(Rank, DocAddress)>, usize);

    fn collect(&mut self, doc: DocId, score: Score) {
        self.total += 1;
        let score = rounded_bits(score);
        let full = self.best.len() >= self.limit;
        if full && self.best.peek().is_none_or(|Reverse((worst, _))| score < worst.score) {
            return;
        }
        let order = self.order.get_val(doc);
        let rank = Rank { score, updated: self.updated.get_val(doc), order };
        let entry = Reverse((rank, Reverse(DocAddress::new(self.segment, doc))));
        if !full {
            self.best.push(entry);
        } else if let Some(mut worst) = self.best.peek_mut()
            && rank > worst.0.0
        {
            *worst = entry;
        }
    }

    fn harvest(self) -> Self::Fruit {
        (self.best.into_iter().map(|Reverse((rank, Reverse(address)))| (rank, address)).collect(), self.total)
    }
}
