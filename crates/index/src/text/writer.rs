//! Adds and removes documents in one atomic commit.

use std::path::Path;

use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::{Index, IndexWriter};

use super::directory::FramedDirectory;
use super::schema::{self, Fields};
use super::{TextIndex, seal, tokenizer};
use crate::entry::IndexedNote;
use crate::error::{Error, at};
use cm_note::path::NotePath;

/// Memory budget in bytes for large builds.
const LARGE_BUDGET_BYTES: usize = 200_000_000;
/// Smallest memory budget that the library accepts, in bytes.
const SMALL_BUDGET_BYTES: usize = 15_000_000;
/// Number of documents from which the large budget is used.
const LARGE_BUILD_DOCUMENTS: usize = 2_000;

/// Collects changes until they are committed.
pub(crate) struct TextIndexWriter {
    writer: IndexWriter,
    fields: Fields,
}

impl TextIndexWriter {
    /// Creates an empty index in `folder`. `documents` is the expected number of documents.
    pub(crate) fn create(folder: &Path, documents: usize) -> Result<Self, Error> {
        let (schema, fields) = schema::schema();
        let directory = FramedDirectory::open(folder).map_err(at(folder))?;
        let mut index = Index::create(directory, schema, tantivy::IndexSettings::default())?;
        index.set_tokenizers(tokenizer::manager());
        Ok(Self { writer: writer(&index, documents)?, fields })
    }

    /// Opens a writer for an existing index. `documents` is the expected number of changes.
    pub(crate) fn over(text: &TextIndex, documents: usize) -> Result<Self, Error> {
        Ok(Self { writer: writer(&text.index, documents)?, fields: text.fields })
    }

    pub(crate) fn add(&self, entry: &IndexedNote) -> Result<(), Error> {
        self.writer.add_document(self.fields.document(entry))?;
        Ok(())
    }

    /// Removes the previously committed note at a path.
    pub(crate) fn remove(&self, path: &NotePath) {
        self.writer.delete_term(self.fields.key_term(path));
    }

    /// Commits the changes with this serial number and writes the seal in `folder`.
    pub(crate) fn commit(mut self, folder: &Path, serial: u64) -> Result<(), Error> {
        let index = self.writer.index().clone();
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&serial.to_string());
        commit.commit()?;
        self.writer.wait_merging_threads()?;
        seal::write(&index, folder)
    }
}

fn writer(index: &Index, documents: usize) -> Result<IndexWriter, Error> {
    let budget = if documents < LARGE_BUILD_DOCUMENTS { SMALL_BUDGET_BYTES } else { LARGE_BUDGET_BYTES };
    let options = IndexWriterOptions::builder()
        .num_worker_threads(1)
        .num_merge_threads(1)
        .memory_budget_per_thread(budget)
        .build();
    let writer = index.writer_with_options(options)?;
    let mut policy = LogMergePolicy::default();
    // Edits come one by one: merging them must not drag the large segment along.
    policy.set_min_layer_size(100);
    policy.set_del_docs_ratio_before_merge(0.3);
    writer.set_merge_policy(Box::new(policy));
    Ok(writer)
}
