//! The text index: full-text search, and stored notes that can be shown without reading their
//! files.

mod admits;
mod candidates;
mod collect;
mod directory;
mod document;
mod expand;
mod guard;
mod neighbours;
mod overview;
mod postings;
mod records;
mod schema;
pub(super) mod seal;
mod search;
mod snippet;
mod statistics;
mod surroundings;
mod tokenizer;
mod translate;
mod writer;

use std::path::Path;
use std::sync::OnceLock;

use tantivy::{Index, Searcher};

use super::error::{Error, RebuildReason};
use candidates::Columns;
use postings::PostingLists;
use schema::Fields;

pub use admits::admits;
pub(crate) use candidates::FoundCandidates;
pub use candidates::{Candidate, CandidateRequest, PassageSimilarity};
pub(crate) use collect::rounded_bits;
pub(super) use directory::{FramedDirectory, mapped, touched};
pub(super) use document::{KEY, fact};
pub(crate) use guard::{OpenFailure, guarded, guarded_open};
pub use neighbours::Neighbours;
pub(super) use overview::{OverviewFindings, ReferenceFindings};
pub use search::{NoteHit, NoteHits};
pub use snippet::{Snippets, beginning};
pub(super) use statistics::Statistics;
pub(super) use tokenizer::{RAW, TEXT, manager as tokenizers};
pub(super) use translate::{SearchFields, Translator};
pub(super) use writer::TextIndexWriter;

/// A text index, opened at one commit.
pub(super) struct TextIndex {
    index: Index,
    searcher: Searcher,
    fields: Fields,
    postings: PostingLists,
    columns: OnceLock<Columns>,
    serial: u64,
    sealed: bool,
}

/// Number of decompressed blocks of stored notes (about 16 KiB each) to cache while the index is
/// open.
const CACHED_BLOCKS: usize = 512;

impl TextIndex {
    /// Opens the index in `folder` after verifying every file that changed since the last
    /// verification.
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        if !folder.is_dir() {
            return Err(RebuildReason::damaged("no text index").into());
        }
        guarded_open("text index", folder, Self::open_checked)
    }

    fn open_checked(folder: &Path) -> Result<Self, OpenFailure> {
        let mut index = Index::open(FramedDirectory::open(folder)?)?;
        let (schema, fields) = schema::schema();
        if index.schema() != schema {
            return Err(OpenFailure::Unusable(RebuildReason::Foreign));
        }
        let sealed = seal::check(&index, folder)?;
        index.set_tokenizers(tokenizer::manager());
        let reader = index.reader_builder().reload_policy(tantivy::ReloadPolicy::Manual);
        let reader = reader.doc_store_cache_num_blocks(CACHED_BLOCKS).try_into()?;
        let payload = index.load_metas()?.payload.unwrap_or_default();
        let serial = payload.parse().map_err(|_| RebuildReason::damaged("meta.json"))?;
        let postings = PostingLists::of(schema.num_fields());
        let (searcher, columns) = (reader.searcher(), OnceLock::new());
        Ok(Self { searcher, index, fields, postings, columns, serial, sealed })
    }

    /// Serial number of the commit.
    pub(super) fn serial(&self) -> u64 {
        self.serial
    }

    /// Whether all files match the seal and need no checksum verification at the next opening.
    pub(super) fn is_sealed(&self) -> bool {
        self.sealed
    }

    /// Records the current files as verified. The caller must hold the lock.
    pub(super) fn seal(&self, folder: &Path) -> Result<(), Error> {
        seal::write(&self.index, folder)
    }

    /// Number of notes.
    pub(super) fn count(&self) -> usize {
        usize::try_from(self.searcher.num_docs()).unwrap_or(usize::MAX)
    }
}
