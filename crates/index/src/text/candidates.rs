//! Finds candidate notes for a question: notes that contain its words, and notes with similar
//! passages.
//!
//! Candidates are not ranked here; combining the scores is the task of the ranking.

use std::collections::{BTreeMap, HashSet};

use tantivy::columnar::{Column, ColumnValues};
use tantivy::query::{EnableScoring, Query as _};
use tantivy::{DocAddress, DocId, SegmentOrdinal, SegmentReader, Term};

use super::TextIndex;
use super::collect::Top;
use super::document::speaker_of;
use super::schema::{ORDER, PASSAGES, SPEAKER, TURN, UPDATED};
use super::statistics::Statistics;
use super::translate::Translator;
use crate::error::RebuildReason;
use crate::vector::SimilarityScan;
use cm_note::note::Note;
use cm_note::note::turn::{Speaker, Turn};
use cm_note::passage::{PassageKey, PassageMap, PassageSet};
use cm_note::path::NotePath;
use cm_note::query::{Query, QueryNode};

/// Parameters of a candidate search.
#[derive(Clone, Copy)]
pub struct CandidateRequest<'a> {
    pub query: &'a Query,
    /// Whether to search for words as well as for similar passages.
    pub words: bool,
    /// Similarities of all passages to the question, one scan per model.
    pub scans: &'a [SimilarityScan],
    /// Maximum number of candidates that match the words of the query.
    pub pool: usize,
    /// Maximum number of candidates by similarity, for each scan.
    pub nearest: usize,
    /// Minimum cosine for a note to become a candidate by similarity alone.
    pub least: f32,
}

/// A candidate note with its scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub(crate) address: DocAddress,
    /// BM25 score over the note's fields; 0 if it contains none of the words.
    pub bm25: f32,
    /// The most similar passage by model; `None` where the model has not embedded the note.
    pub near: Vec<Option<PassageSimilarity>>,
    /// Time of the last change in Unix seconds. Breaks ties: newer notes come first.
    pub updated: i64,
    /// Final tie-breaker, derived from the path and thus equal in every index.
    pub order: u64,
    /// Place in a conversation, for a turn of one.
    pub turn: Option<Turn>,
    /// Who speaks in the turn.
    pub speaker: Option<Speaker>,
}

/// Candidates of an index.
#[derive(Debug, Default)]
pub(crate) struct FoundCandidates {
    /// The candidates, unordered.
    pub(crate) list: Vec<Candidate>,
    /// Number of notes that match the words of the query.
    pub(crate) total: usize,
    /// See [`Candidates::highest_score`](crate::Candidates::highest_score).
    pub(crate) highest_score: f32,
}

/// Number of best notes, by words and by each scan, whose neighbours in a conversation become candidates
/// too.
const NOTES_WITH_NEIGHBOURS: usize = 40;
/// Distances of these neighbours, in turns.
const NEIGHBOURS: [i64; 4] = [-2, -1, 1, 2];

/// A passage with its similarity to the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassageSimilarity {
    /// Cosine similarity, −1 to 1.
    pub cosine: f32,
    pub passage: PassageKey,
}

/// The passages of selected notes are gathered before the search if less than one of this many notes is
/// selected; else the nearest notes are looked at until enough of them are selected ones.
const NOTES_PER_SELECTED: usize = 4;

/// Notes that the filters of a query select.
struct SelectedNotes {
    /// By segment and document, deleted ones included.
    notes: Vec<Vec<bool>>,
    /// The passages of these notes, with the notes that contain them, if these are few.
    passages: Option<PassageMap<Vec<DocAddress>>>,
}

impl SelectedNotes {
    fn has(&self, address: DocAddress) -> bool {
        self.notes[address.segment_ord as usize][address.doc_id as usize]
    }
}

impl TextIndex {
    /// Returns the candidate notes.
    pub(crate) fn candidates(&self, request: CandidateRequest<'_>) -> Result<FoundCandidates, RebuildReason> {
        self.guarded(|| {
            if self.count() == 0 {
                return Ok(FoundCandidates::default());
            }
            let fields = self.fields.weighted().map(|(field, _)| field);
            let statistics = Statistics::new(&self.searcher, &fields)?;
            let columns = self.columns()?;
            let mut found: BTreeMap<DocAddress, f32> = BTreeMap::new();
            let mut total = 0;
            let mut highest_score = 0.0;
            let mut best_notes: Vec<DocAddress> = Vec::new();
            if request.words {
                let mut translator = Translator::new(self.fields.places(), &statistics);
                let query = translator.root(&request.query.root)?;
                highest_score = translator.highest_score();
                let top = Top { limit: request.pool, scored: true };
                let best = self.searcher.search_with_statistics_provider(&*query, &top, &statistics)?;
                total = best.total;
                let first = best.matches.iter().take(NOTES_WITH_NEIGHBOURS);
                best_notes.extend(first.map(|(_, address)| *address));
                found.extend(best.matches.into_iter().map(|(score, address)| (address, score)));
            }
            let bounds = request.query.bounds();
            let within = match &bounds {
                Some(bounds) if !request.scans.is_empty() => {
                    Some(self.within(bounds, &statistics, columns)?)
                }
                _ => None,
            };
            for scan in request.scans {
                let nearest = self.nearest(scan, request, within.as_ref())?;
                best_notes.extend(nearest.iter().take(NOTES_WITH_NEIGHBOURS));
                for address in nearest {
                    found.entry(address).or_default();
                }
            }
            if bounds.is_none() || within.is_some() {
                for address in self.around(&best_notes, columns)? {
                    if within.as_ref().is_none_or(|within| within.has(address)) {
                        found.entry(address).or_default();
                    }
                }
            }
            let cosines = wanted(&found, columns, request.scans);
            let candidate = |(address, bm25): (DocAddress, f32)| columns.candidate(address, bm25, &cosines);
            Ok(FoundCandidates { list: found.into_iter().map(candidate).collect(), total, highest_score })
        })
    }

    /// Returns the notes selected by `bounds`.
    fn within(
        &self,
        bounds: &QueryNode,
        statistics: &Statistics<'_>,
        columns: &Columns,
    ) -> tantivy::Result<SelectedNotes> {
        let query = Translator::new(self.fields.places(), statistics).root(bounds)?;
        let weight = query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?;
        let mut notes: Vec<Vec<bool>> = Vec::new();
        for segment in self.searcher.segment_readers() {
            let mut is_selected = vec![false; segment.max_doc() as usize];
            weight.for_each_no_score(segment, &mut |docs| {
                docs.iter().for_each(|doc| is_selected[*doc as usize] = true);
            })?;
            notes.push(is_selected);
        }
        let mut selected = SelectedNotes { notes, passages: None };
        let all: Vec<DocAddress> = self.alive().filter(|address| selected.has(*address)).collect();
        if all.len() * NOTES_PER_SELECTED < self.count() {
            let mut passages: PassageMap<Vec<DocAddress>> = PassageMap::default();
            for address in all {
                for key in columns.passages(address) {
                    passages.entry(key).or_default().push(address);
                }
            }
            selected.passages = Some(passages);
        }
        Ok(selected)
    }

    /// Returns the neighbours of notes in their conversations.
    fn around(&self, notes: &[DocAddress], columns: &Columns) -> tantivy::Result<Vec<DocAddress>> {
        let turns: HashSet<Turn> = notes.iter().filter_map(|address| columns.turn(*address)).collect();
        let neighbours: HashSet<Turn> = turns
            .iter()
            .flat_map(|turn| NEIGHBOURS.into_iter().filter_map(|steps| turn.moved(steps)))
            .filter(|turn| !turns.contains(turn))
            .collect();
        let mut found = Vec::new();
        for turn in neighbours {
            found.extend(self.with_term(&Term::from_field_u64(self.fields.turn, turn.number()))?);
        }
        Ok(found)
    }

    /// Returns the notes with the most similar passages, nearest first, at most about
    /// `request.nearest`. With `within`, returns only notes selected there.
    fn nearest(
        &self,
        scan: &SimilarityScan,
        request: CandidateRequest<'_>,
        within: Option<&SelectedNotes>,
    ) -> tantivy::Result<Vec<DocAddress>> {
        let CandidateRequest { nearest: pool, least, .. } = request;
        let few = within.and_then(|within| within.passages.as_ref());
        let is_of_few = |key: &PassageKey| few.is_none_or(|few| few.contains_key(key));
        let mut notes = Vec::new();
        let mut seen = HashSet::new();
        let (mut taken, mut row_limit) = (0, pool.saturating_mul(2));
        // Several passages may be of one note, and some of notes that are gone; then more are looked at.
        loop {
            let rows = first_rows(scan, least, row_limit, is_of_few);
            for (_, key) in &rows[taken.min(rows.len())..] {
                if notes.len() >= pool {
                    break;
                }
                let of_key = match few {
                    Some(few) => few[key].clone(),
                    None => {
                        let term = Term::from_field_u64(self.fields.passages, key.number());
                        self.with_term(&term)?
                    }
                };
                let is_selected = |address: &DocAddress| within.is_none_or(|within| within.has(*address));
                notes.extend(
                    of_key.into_iter().filter(|address| is_selected(address) && seen.insert(*address)),
                );
            }
            if notes.len() >= pool || rows.len() < row_limit {
                return Ok(notes);
            }
            (taken, row_limit) = (row_limit, row_limit.saturating_mul(4));
        }
    }

    /// Loads the note of a candidate.
    pub(crate) fn note_of(&self, candidate: &Candidate) -> Result<Note, RebuildReason> {
        self.guarded(|| self.note(candidate.address))
    }

    /// Returns the passages of all notes, without duplicates.
    pub(crate) fn passages(&self) -> Result<PassageSet, RebuildReason> {
        self.guarded(|| {
            let columns = self.columns()?;
            Ok(self.alive().flat_map(|address| columns.passages(address).collect::<Vec<_>>()).collect())
        })
    }

    /// Returns at most `most` notes with a passage missing from `embedded`, the most recently
    /// changed first, and the total number of missing passages.
    pub(crate) fn without(
        &self,
        embedded: &PassageSet,
        most: usize,
    ) -> Result<(Vec<NotePath>, usize), RebuildReason> {
        self.guarded(|| {
            let columns = self.columns()?;
            let mut lacking: Vec<(i64, u64, DocAddress)> = Vec::new();
            let mut missing = PassageSet::default();
            for address in self.alive() {
                let before = missing.len();
                missing.extend(columns.passages(address).filter(|key| !embedded.contains(key)));
                if missing.len() > before {
                    let of = columns.of(address);
                    lacking.push((of.updated.get_val(address.doc_id), columns.order(address), address));
                }
            }
            lacking.sort_unstable_by(|a, b| b.cmp(a));
            lacking.truncate(most);
            let paths = lacking.into_iter().map(|(_, _, address)| Ok(self.note(address)?.path));
            Ok((paths.collect::<tantivy::Result<_>>()?, missing.len()))
        })
    }

    fn alive(&self) -> impl Iterator<Item = DocAddress> {
        let segments = self.searcher.segment_readers().iter().zip(0..);
        segments.flat_map(|(segment, ordinal)| {
            segment.doc_ids_alive().map(move |doc| DocAddress::new(ordinal, doc))
        })
    }

    /// Returns the columns of all segments, opened on first use.
    pub(super) fn columns(&self) -> tantivy::Result<&Columns> {
        if let Some(opened) = self.columns.get() {
            return Ok(opened);
        }
        let segments = self.searcher.segment_readers().iter();
        let opened = Columns(segments.map(SegmentColumns::open).collect::<tantivy::Result<_>>()?);
        Ok(self.columns.get_or_init(|| opened))
    }
}

/// Columns of all segments, for fast access to numeric fields.
pub(super) struct Columns(Vec<SegmentColumns>);

struct SegmentColumns {
    passages: Column<u64>,
    updated: std::sync::Arc<dyn ColumnValues<i64>>,
    order: std::sync::Arc<dyn ColumnValues<u64>>,
    turn: std::sync::Arc<dyn ColumnValues<u64>>,
    speaker: std::sync::Arc<dyn ColumnValues<u64>>,
}

impl SegmentColumns {
    fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        let fields = segment.fast_fields();
        Ok(Self {
            passages: fields.u64(PASSAGES)?,
            updated: fields.i64(UPDATED)?.first_or_default_col(i64::MIN),
            order: fields.u64(ORDER)?.first_or_default_col(0),
            turn: fields.u64(TURN)?.first_or_default_col(0),
            speaker: fields.u64(SPEAKER)?.first_or_default_col(0),
        })
    }
}

impl Columns {
    fn of(&self, address: DocAddress) -> &SegmentColumns {
        &self.0[address.segment_ord as SegmentOrdinal as usize]
    }

    fn passages(&self, address: DocAddress) -> impl Iterator<Item = PassageKey> {
        let doc: DocId = address.doc_id;
        self.of(address).passages.values_for_doc(doc).map(PassageKey::from_number)
    }

    /// The final tie-breaker of a note, see [`Candidate::order`].
    pub(super) fn order(&self, address: DocAddress) -> u64 {
        self.of(address).order.get_val(address.doc_id)
    }

    fn turn(&self, address: DocAddress) -> Option<Turn> {
        Turn::from_number(self.of(address).turn.get_val(address.doc_id))
    }

    fn candidate(&self, address: DocAddress, bm25: f32, cosines: &[PassageMap<f32>]) -> Candidate {
        let of = self.of(address);
        let near = cosines.iter().map(|cosines| {
            let passages = self.passages(address);
            let near = passages
                .filter_map(|passage| Some(PassageSimilarity { cosine: *cosines.get(&passage)?, passage }));
            near.max_by(|a, b| a.cosine.total_cmp(&b.cosine))
        });
        Candidate {
            address,
            bm25,
            near: near.collect(),
            updated: of.updated.get_val(address.doc_id),
            order: self.order(address),
            turn: self.turn(address),
            speaker: speaker_of(of.speaker.get_val(address.doc_id)),
        }
    }
}

/// Returns the rows with the highest cosines, highest first, then by key; at most `most`, and only those
/// with a cosine of at least `least` and a key that passes.
fn first_rows(
    scan: &SimilarityScan,
    mut least: f32,
    most: usize,
    passes: impl Fn(&PassageKey) -> bool,
) -> Vec<(f32, PassageKey)> {
    /// Number of rows that are compared with `least` at once, which the compiler vectorizes.
    const BLOCK_ROWS: usize = 32;
    let nearer =
        |a: &(f32, PassageKey), b: &(f32, PassageKey)| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1));
    let mut first: Vec<(f32, PassageKey)> = Vec::new();
    if most == 0 {
        return first;
    }
    for (cosines, keys) in scan.cosines.chunks(BLOCK_ROWS).zip(scan.keys.chunks(BLOCK_ROWS)) {
        if !cosines.iter().fold(false, |any, cosine| any | (*cosine >= least)) {
            continue;
        }
        for (cosine, key) in cosines.iter().zip(keys) {
            if *cosine >= least && passes(key) {
                first.push((*cosine, *key));
            }
        }
        if first.len() >= most.saturating_mul(2) {
            first.select_nth_unstable_by(most - 1, nearer);
            first.truncate(most);
            // A later row below this cosine is not among the first ones.
            least = first[most - 1].0;
        }
    }
    first.sort_unstable_by(nearer);
    first.truncate(most);
    first
}

/// A set of the lowest 16 bits of keys: rules out most other keys faster than a lookup in a hash table.
struct KeyFilter(Vec<u64>);

impl KeyFilter {
    fn of<'k>(keys: impl Iterator<Item = &'k PassageKey>) -> Self {
        let mut bits = vec![0; 1 << 10];
        for key in keys {
            let (word, bit) = Self::place(*key);
            bits[word] |= bit;
        }
        Self(bits)
    }

    /// Returns `false` only for a key that is not in the set.
    fn may_have(&self, key: PassageKey) -> bool {
        let (word, bit) = Self::place(key);
        self.0[word] & bit != 0
    }

    fn place(key: PassageKey) -> (usize, u64) {
        let low = key.number() & 0xffff;
        ((low >> 6) as usize, 1 << (low & 63))
    }
}

/// Returns, for each scan, the cosines of all passages of the notes in `found`.
fn wanted(
    found: &BTreeMap<DocAddress, f32>,
    columns: &Columns,
    scans: &[SimilarityScan],
) -> Vec<PassageMap<f32>> {
    if scans.is_empty() {
        return Vec::new();
    }
    let passages: PassageSet = found.keys().flat_map(|address| columns.passages(*address)).collect();
    let filter = KeyFilter::of(passages.iter());
    let of = |scan: &SimilarityScan| {
        let rows = scan.keys.iter().zip(&scan.cosines);
        let is_wanted = |key: &PassageKey| filter.may_have(*key) && passages.contains(key);
        rows.filter(|(key, _)| is_wanted(key)).map(|(key, cosine)| (*key, *cosine)).collect()
    };
    scans.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn the_first_rows_are_those_of_a_complete_sort(
            cosines in proptest::collection::vec(-3_i8..=3, 0..200),
            most in 0_usize..20,
            least in -4_i8..=3,
            left_out in 0_u64..8,
        ) {
            let scan = SimilarityScan {
                keys: (0..cosines.len() as u64).map(|key| PassageKey::from_number(key % 7)).collect(),
                cosines: cosines.iter().map(|cosine| f32::from(*cosine)).collect(),
            };
            let passes = |key: &PassageKey| key.number() != left_out;
            let rows = scan.cosines.iter().copied().zip(scan.keys.iter().copied());
            let mut all: Vec<(f32, PassageKey)> =
                rows.filter(|(cosine, key)| *cosine >= f32::from(least) && passes(key)).collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            all.truncate(most);
            proptest::prop_assert_eq!(first_rows(&scan, f32::from(least), most, passes), all);
        }
    }
}
