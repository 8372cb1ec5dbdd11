//! Searches the text index.

use std::collections::BTreeSet;

use tantivy::collector::DocSetCollector;
use tantivy::query::{BooleanQuery, Query as TantivyQuery, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, Term};

use super::TextIndex;
use super::collect::Top;
use super::document::{StoredNote, fact};
use super::guard::guarded;
use super::statistics::Statistics;
use super::translate::Translator;
use crate::error::RebuildReason;
use cm_note::id::NoteId;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_note::query::{LabelField, Query};

/// Result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NoteHits {
    /// Best matches, best first.
    pub hits: Vec<NoteHit>,
    /// Total number of matching notes.
    pub total: usize,
}

/// A matching note.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteHit {
    /// The note, as of its indexing.
    pub note: Note,
    /// BM25 score over the note's fields; 0 if the query only filters.
    pub score: f32,
}

/// Maximum number of ids that match a prefix.
const MAX_IDS: usize = 100;

impl TextIndex {
    /// Returns at most `limit` matches starting at `offset`. Queries without ranking return the
    /// newest notes first.
    pub(crate) fn search(
        &self,
        query: &Query,
        offset: usize,
        limit: usize,
    ) -> Result<NoteHits, RebuildReason> {
        self.guarded(|| {
            if self.count() == 0 {
                return Ok(NoteHits::default());
            }
            let fields = self.fields.weighted().map(|(field, _)| field);
            let scored = query.ranks();
            let statistics = Statistics::new(&self.searcher, if scored { &fields } else { &[] })?;
            let translated = Translator::new(self.fields.places(), &statistics).root(&query.root)?;
            let top = Top { limit: offset.saturating_add(limit), scored };
            let best = self.searcher.search_with_statistics_provider(&*translated, &top, &statistics)?;
            let hits = best.matches.into_iter().skip(offset);
            let hits = hits.map(|(score, address)| Ok(NoteHit { note: self.note(address)?, score }));
            Ok(NoteHits { hits: hits.collect::<tantivy::Result<_>>()?, total: best.total })
        })
    }

    /// Returns all notes, sorted by path.
    pub(crate) fn notes(&self) -> Result<Vec<Note>, RebuildReason> {
        self.guarded(|| {
            let mut notes = Vec::with_capacity(self.count());
            for segment in self.searcher.segment_readers() {
                let store = segment.get_store_reader(0)?;
                for stored in store.iter::<StoredNote>(segment.alive_bitset()) {
                    notes.push(stored?.note()?);
                }
            }
            // Stable sorting is the faster one here: notes lie in long runs that are sorted already.
            notes.sort_by(|a, b| a.path.cmp(&b.path));
            Ok(notes)
        })
    }

    /// Returns path and id of all notes that have an id, unordered. Only one note at a time is held
    /// in memory.
    pub(crate) fn ids(&self) -> Result<Vec<(NotePath, NoteId)>, RebuildReason> {
        self.guarded(|| {
            let mut ids = Vec::with_capacity(self.count());
            for segment in self.searcher.segment_readers() {
                for stored in segment.get_store_reader(0)?.iter::<StoredNote>(segment.alive_bitset()) {
                    let note = stored?.note()?;
                    ids.extend(note.id.map(|id| (note.path, id)));
                }
            }
            Ok(ids)
        })
    }

    /// Returns the notes of these kinds, sorted by path.
    pub(crate) fn of_kinds(&self, kinds: &[NoteKind]) -> Result<Vec<Note>, RebuildReason> {
        self.guarded(|| {
            let term = |kind: &NoteKind| {
                Term::from_field_text(self.fields.facts, &fact(LabelField::Kind, kind.name()))
            };
            let queries = kinds.iter().map(|kind| {
                Box::new(TermQuery::new(term(kind), IndexRecordOption::Basic)) as Box<dyn TantivyQuery>
            });
            let found = self.searcher.search(&BooleanQuery::union(queries.collect()), &DocSetCollector)?;
            // In the order in which they are stored, so that each block of the store is unpacked once.
            let mut addresses: Vec<DocAddress> = found.into_iter().collect();
            addresses.sort_unstable();
            let notes = addresses.into_iter().map(|address| self.note(address));
            let mut notes = notes.collect::<tantivy::Result<Vec<_>>>()?;
            notes.sort_by(|a, b| a.path.cmp(&b.path));
            Ok(notes)
        })
    }

    /// Returns the notes with an id that starts with `prefix`, ignoring case.
    pub(crate) fn with_id(&self, prefix: &str) -> Result<Vec<Note>, RebuildReason> {
        self.guarded(|| {
            let from = fact(LabelField::Id, &LabelField::Id.folded(prefix));
            let mut terms = Vec::new();
            for segment in self.searcher.segment_readers() {
                let index = segment.inverted_index(self.fields.facts)?;
                let mut stream = index.terms().range().ge(&from).into_stream()?;
                while terms.len() < MAX_IDS && stream.advance() && stream.key().starts_with(from.as_bytes()) {
                    if let Ok(term) = std::str::from_utf8(stream.key()) {
                        terms.push(Term::from_field_text(self.fields.facts, term));
                    }
                }
            }
            terms.sort_unstable();
            terms.dedup();
            let queries = terms.into_iter().map(|term| {
                Box::new(TermQuery::new(term, IndexRecordOption::Basic)) as Box<dyn TantivyQuery>
            });
            let found = self.searcher.search(&BooleanQuery::union(queries.collect()), &DocSetCollector)?;
            let mut notes =
                found.into_iter().map(|address| self.note(address)).collect::<tantivy::Result<Vec<_>>>()?;
            notes.sort_unstable_by(|a, b| (&a.id, &a.path).cmp(&(&b.id, &b.path)));
            Ok(notes)
        })
    }

    /// Returns the values of a label, in lower case, that start with `prefix`, in the order of
    /// characters; at most `most`. They include values of notes that were deleted since the last
    /// merge of segments.
    pub(crate) fn labels(
        &self,
        label: LabelField,
        prefix: &str,
        most: usize,
    ) -> Result<Vec<String>, RebuildReason> {
        self.guarded(|| {
            let name = fact(label, "");
            let from = fact(label, &label.folded(prefix));
            let mut values = BTreeSet::new();
            for segment in self.searcher.segment_readers() {
                let index = segment.inverted_index(self.fields.facts)?;
                let mut stream = index.terms().range().ge(&from).into_stream()?;
                for _ in 0..most {
                    if !stream.advance() || !stream.key().starts_with(from.as_bytes()) {
                        break;
                    }
                    let value =
                        std::str::from_utf8(stream.key()).ok().and_then(|term| term.strip_prefix(&name));
                    values.extend(value.map(str::to_owned));
                }
            }
            Ok(values.into_iter().take(most).collect())
        })
    }

    pub(super) fn note(&self, address: DocAddress) -> tantivy::Result<Note> {
        self.searcher.doc::<StoredNote>(address)?.note()
    }

    /// Runs `ask` and reports failures and panics of the search library as damage.
    pub(super) fn guarded<T>(&self, ask: impl FnOnce() -> tantivy::Result<T>) -> Result<T, RebuildReason> {
        guarded("text index", ask)
    }
}
