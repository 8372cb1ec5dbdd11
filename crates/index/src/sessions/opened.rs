//! The session index as of one commit, with data that is computed once and cached.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;
use tantivy::schema::document::{DeserializeError, DocumentDeserialize, DocumentDeserializer};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{
    DocAddress, DocId, DocSet, Index, IndexReader, ReloadPolicy, Searcher, SegmentReader, TERMINATED,
    TantivyError, Term,
};

use super::columns::{SessionColumns, StretchColumns};
use super::passages::SessionPassage;
use super::record::Session;
use super::schema::{self, Fields, IS_SESSION, SCHEMA_VERSION};
use crate::error::{Error, RebuildReason, at};
use crate::frame;
use crate::text::{FramedDirectory, OpenFailure, Statistics, guarded, guarded_open, seal, tokenizers};

/// Tantivy's metadata file, which lists the current segments.
pub(super) const META: &str = "meta.json";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommitPayload {
    /// Number of commits made to this index so far; increases by one per commit.
    pub(super) serial: u64,
    /// Whether sessions still have to be grouped into conversations.
    pub(super) unjoined: bool,
}

impl CommitPayload {
    pub(super) fn payload(self) -> String {
        format!("{SCHEMA_VERSION} {} {}", self.serial, u8::from(self.unjoined))
    }

    /// Parses the payload of a commit. An index without one has no commit yet: another process is
    /// creating it, or was killed while it did, so that the index counts as missing.
    fn of_payload(payload: &str) -> Result<Self, RebuildReason> {
        if payload.is_empty() {
            return Err(RebuildReason::Missing);
        }
        let mut numbers = payload.split(' ').map(str::parse::<u64>);
        match (numbers.next(), numbers.next(), numbers.next()) {
            (Some(Ok(layout)), _, _) if layout != u64::from(SCHEMA_VERSION) => Err(RebuildReason::Foreign),
            (Some(Ok(_)), Some(Ok(serial)), Some(Ok(unjoined))) => {
                Ok(Self { serial, unjoined: unjoined > 0 })
            }
            _ => Err(RebuildReason::damaged(META)),
        }
    }
}

/// A session index, opened at one commit.
pub(super) struct SessionIndex {
    pub(super) index: Index,
    pub(super) searcher: Searcher,
    pub(super) fields: Fields,
    pub(super) stamp: CommitPayload,
    book: OnceLock<Arc<SessionTable>>,
    columns: OnceLock<Vec<StretchColumns>>,
    pub(super) passages: OnceLock<Vec<SessionPassage>>,
    lengths: OnceLock<BTreeMap<Field, u64>>,
}

/// Main properties of all sessions, in memory.
#[derive(Debug, Default)]
pub(super) struct SessionTable {
    pub(super) sessions: HashMap<u64, SessionColumnsRow>,
}

/// Properties of one session, as stored in the columns of its document.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionColumnsRow {
    pub(super) address: DocAddress,
    pub(super) conversation: u64,
    pub(super) started: Option<i64>,
    pub(super) ended: Option<i64>,
    pub(super) forked_from: Option<u64>,
    pub(super) subagent: bool,
}

/// Stored text of a document.
pub(super) struct StoredText(pub(super) String);

impl DocumentDeserialize for StoredText {
    fn deserialize<'de, D: DocumentDeserializer<'de>>(mut fields: D) -> Result<Self, DeserializeError> {
        Ok(fields.next_field::<String>()?.map_or_else(|| Self(String::new()), |(_, text)| Self(text)))
    }
}

impl SessionIndex {
    /// Opens the index in `folder` after verifying every file that changed since the last
    /// verification.
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        let meta = folder.join(META);
        frame::read(&meta).map_err(at(&meta))?.ok_or(RebuildReason::Missing)??;
        guarded_open("the session index", folder, Self::open_checked)
    }

    fn open_checked(folder: &Path) -> Result<Self, OpenFailure> {
        let mut index = Index::open(FramedDirectory::open(folder)?)?;
        let (schema, _) = schema::schema();
        if index.schema() != schema {
            return Err(OpenFailure::Unusable(RebuildReason::Foreign));
        }
        seal::check(&index, folder)?;
        index.set_tokenizers(tokenizers());
        Self::of(index)
    }

    /// Opens a searcher on the index; the caller has checked the checksums of its files.
    pub(super) fn of(index: Index) -> Result<Self, OpenFailure> {
        let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let stamp = CommitPayload::of_payload(&index.load_metas()?.payload.unwrap_or_default())?;
        let (_, fields) = schema::schema();
        let searcher = reader.searcher();
        Ok(Self {
            index,
            searcher,
            fields,
            stamp,
            book: OnceLock::new(),
            columns: OnceLock::new(),
            passages: OnceLock::new(),
            lengths: OnceLock::new(),
        })
    }

    /// Returns the table of all sessions, which the first call computes.
    pub(super) fn book(&self) -> tantivy::Result<Arc<SessionTable>> {
        if let Some(book) = self.book.get() {
            return Ok(Arc::clone(book));
        }
        let mut book = SessionTable::default();
        for (segment, ordinal) in self.searcher.segment_readers().iter().zip(0..) {
            let columns = SessionColumns::open(segment)?;
            each_with(segment, &self.fields.fact(IS_SESSION), |doc| {
                if let Some((number, line)) = columns.line(DocAddress::new(ordinal, doc)) {
                    book.sessions.insert(number, line);
                }
            })?;
        }
        Ok(Arc::clone(self.book.get_or_init(|| Arc::new(book))))
    }

    /// Returns the columns of stretches, one per segment.
    pub(super) fn columns(&self) -> tantivy::Result<&[StretchColumns]> {
        if let Some(columns) = self.columns.get() {
            return Ok(columns);
        }
        let segments = self.searcher.segment_readers().iter();
        let columns = segments.map(StretchColumns::open).collect::<tantivy::Result<_>>()?;
        Ok(self.columns.get_or_init(|| columns))
    }

    /// Returns the statistics for ranking. If few stretches have a field, its mean length over all
    /// stretches would be too low, so the length is extrapolated from the stretches that have it.
    pub(super) fn statistics(&self) -> tantivy::Result<Statistics<'_>> {
        let lengths = match self.lengths.get() {
            Some(lengths) => lengths.clone(),
            None => {
                let lengths = lengths(&self.searcher, &self.fields.words)?;
                self.lengths.get_or_init(|| lengths).clone()
            }
        };
        Ok(Statistics::with_lengths(&self.searcher, lengths))
    }

    /// Loads a session.
    pub(super) fn session(&self, address: DocAddress) -> tantivy::Result<Session> {
        self.json(address)
    }

    /// Parses the stored JSON of a document.
    pub(super) fn json<T: DeserializeOwned>(&self, address: DocAddress) -> tantivy::Result<T> {
        let StoredText(text) = self.searcher.doc(address)?;
        serde_json::from_str(&text).map_err(|error| TantivyError::InternalError(error.to_string()))
    }

    /// Returns the live documents that contain a term, in storage order.
    pub(super) fn having(&self, term: &Term) -> tantivy::Result<Vec<DocAddress>> {
        let mut found = Vec::new();
        for (segment, ordinal) in self.searcher.segment_readers().iter().zip(0..) {
            each_with(segment, term, |doc| found.push(DocAddress::new(ordinal, doc)))?;
        }
        Ok(found)
    }

    /// Runs `ask` and reports failures and panics of the search library as damage.
    pub(super) fn guarded<T>(
        &self,
        ask: impl FnOnce(&Self) -> tantivy::Result<T>,
    ) -> Result<T, RebuildReason> {
        guarded("the session index", || ask(self))
    }
}

/// Calls `see` for every live document of a segment that contains the term.
pub(super) fn each_with(
    segment: &SegmentReader,
    term: &Term,
    mut see: impl FnMut(DocId),
) -> tantivy::Result<()> {
    let index = segment.inverted_index(term.field())?;
    let Some(mut postings) = index.read_postings(term, IndexRecordOption::Basic)? else { return Ok(()) };
    let mut doc = postings.doc();
    while doc != TERMINATED {
        if !segment.is_deleted(doc) {
            see(doc);
        }
        doc = postings.advance();
    }
    Ok(())
}

fn lengths(searcher: &Searcher, fields: &[Field]) -> tantivy::Result<BTreeMap<Field, u64>> {
    let mut lengths = BTreeMap::new();
    for field in fields {
        let (mut tokens, mut having) = (0u64, 0u64);
        for segment in searcher.segment_readers() {
            let norms = segment.get_fieldnorms_reader(*field)?;
            let mut see = |doc| {
                let length = u64::from(norms.fieldnorm(doc));
                tokens += length;
                having += u64::from(length > 0);
            };
            match segment.alive_bitset() {
                Some(alive) => alive.iter_alive().for_each(see),
                None => (0..segment.max_doc()).for_each(&mut see),
            }
        }
        let scaled = u128::from(tokens) * u128::from(searcher.num_docs()) / u128::from(having.max(1));
        lengths.insert(*field, u64::try_from(scaled).unwrap_or(u64::MAX));
    }
    Ok(lengths)
}

/// Returns the exact index terms that start with `beginning`, sorted and without duplicates.
pub(super) fn fact_range(opened: &SessionIndex, beginning: &str) -> tantivy::Result<Vec<String>> {
    let mut facts = Vec::new();
    for segment in opened.searcher.segment_readers() {
        let index = segment.inverted_index(opened.fields.facts)?;
        let mut stream = index.terms().range().ge(beginning).into_stream()?;
        while stream.advance() && stream.key().starts_with(beginning.as_bytes()) {
            facts.extend(std::str::from_utf8(stream.key()).ok().map(str::to_owned));
        }
    }
    facts.sort_unstable();
    facts.dedup();
    Ok(facts)
}
