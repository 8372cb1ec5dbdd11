//! Vectors of the coarse model, which cover every version of the index completely.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_embed::Embedder;
use cm_embed::builtin::StaticModel;
use cm_index::{IndexVersion, RefreshReport, VectorTable, VectorWriter, Vectors};
use cm_note::passage::{Passage, PassageSet};

/// Number of passages that are sent to the embedding thread at once.
const BATCH_PASSAGES: usize = 256;
/// Number of batches that can wait for the embedding thread.
const MAX_QUEUED_BATCHES: usize = 64;
/// A vector table is compacted if it has more rows than `MAX_ROW_RATIO` × the current passages + `SPARE_ROWS`.
const MAX_ROW_RATIO: usize = 2;
const SPARE_ROWS: usize = 1_000;

/// Number of added rows after which the table is compared with the passages of all notes again, and
/// compacted if it is much larger than needed.
const ROWS_PER_CHECK: usize = 512;

/// Sender of passage batches, and the embedding thread, which returns the vectors that it added.
type Thread = (SyncSender<Vec<Passage>>, JoinHandle<Option<CoarseUpdate>>);

/// Embeds passages with the coarse model while the index is refreshed: many of them on their own
/// thread.
pub(crate) struct CoarseEmbedder {
    vectors: Vectors,
    model: &'static StaticModel,
    gathered: Vec<Passage>,
    thread: Option<Thread>,
}

impl CoarseEmbedder {
    pub fn new(open: &OpenVault, model: &'static StaticModel) -> Self {
        Self { vectors: open.coarse_vectors(), model, gathered: Vec::new(), thread: None }
    }

    /// Adds the passages of one note; sends them to the embedding thread in batches.
    pub fn take(&mut self, passages: Vec<Passage>) {
        self.gathered.extend(passages);
        if self.gathered.len() >= BATCH_PASSAGES {
            let bundle = std::mem::take(&mut self.gathered);
            let (vectors, model) = (self.vectors.clone(), self.model);
            let (sender, _) = self.thread.get_or_insert_with(|| begin(vectors, model));
            // A thread that gave up has nothing to say; what is missing is found and made up for afterwards.
            let _ = sender.send(bundle);
        }
    }

    /// Embeds the last batch and saves the new vectors of a refresh.
    ///
    /// # Errors
    /// Returns an error if the vectors cannot be stored, for example on a full disk.
    pub fn finish(self, refreshed: &RefreshReport) -> Result<()> {
        let update = match self.thread {
            Some((sender, thread)) => {
                let _ = sender.send(self.gathered);
                drop(sender);
                thread.join().ok().flatten()
            }
            None if self.gathered.is_empty() => None,
            None => {
                let wanted = self.gathered.iter().map(|passage| passage.key).collect();
                let stored = |table: &VectorTable| table.keys_among(&wanted);
                let mut update = CoarseUpdate::begin(&self.vectors, self.model, stored)?;
                if let Some(update) = &mut update {
                    self.gathered.iter().try_for_each(|passage| update.take(passage))?;
                }
                update
            }
        };
        update.map_or(Ok(()), |update| update.finish(refreshed))
    }
}

/// Starts the embedding thread; it returns `None` if another process writes or the disk is full.
fn begin(vectors: Vectors, model: &'static StaticModel) -> Thread {
    let (sender, receiver) = sync_channel::<Vec<Passage>>(MAX_QUEUED_BATCHES);
    let thread = std::thread::spawn(move || {
        let mut update = CoarseUpdate::begin(&vectors, model, VectorTable::keys).ok().flatten()?;
        receiver.into_iter().flatten().try_for_each(|passage| update.take(&passage)).ok()?;
        Some(update)
    });
    (sender, thread)
}

/// Vectors that are being added to the table of the coarse model.
struct CoarseUpdate {
    model: &'static StaticModel,
    writer: VectorWriter,
    /// Passages that have a vector, of those that may be added.
    embedded: PassageSet,
    /// Version of the index that the table covered before.
    covered: Option<IndexVersion>,
    /// Number of rows before, and of those added.
    rows: [usize; 2],
}

impl CoarseUpdate {
    /// Opens the table for appending; `None` if another process writes. `stored` returns the passages
    /// of a table that must not be added again.
    fn begin(
        vectors: &Vectors,
        model: &'static StaticModel,
        stored: impl FnOnce(&VectorTable) -> PassageSet,
    ) -> Result<Option<Self>> {
        let dimension = model.of("").dimension();
        // Read after the lock is taken, so that no other process adds rows in between.
        let Some(writer) = vectors.writer(model.name(), dimension)? else { return Ok(None) };
        let table = vectors.table(model.name(), dimension)?;
        let rows = [table.as_ref().map_or(0, |table| table.len()), 0];
        let covered = table.as_ref().and_then(|table| table.complete().cloned());
        let embedded = table.map_or_else(PassageSet::default, |table| stored(&table));
        Ok(Some(Self { model, writer, embedded, covered, rows }))
    }

    fn take(&mut self, passage: &Passage) -> Result<()> {
        if self.embedded.insert(passage.key) {
            self.writer.push(passage.key, &self.model.of(&passage.text))?;
            self.rows[1] += 1;
        }
        Ok(())
    }

    /// Saves the vectors. A table that covered the index before the refresh covers it afterwards too.
    fn finish(self, refreshed: &RefreshReport) -> Result<()> {
        let [before, added] = self.rows;
        let is_due = before / ROWS_PER_CHECK != (before + added) / ROWS_PER_CHECK;
        let is_covered = self.covered.is_some() && self.covered == refreshed.base && !is_due;
        Ok(self.writer.finish(refreshed.version.as_ref().filter(|_| is_covered))?)
    }
}

impl Context {
    /// Embeds every passage of the current index with the coarse model. If the vectors cannot be
    /// stored, a notice explains that the search uses words only.
    pub(crate) fn complete(&self, open: &OpenVault) {
        let Some(model) = self.models().coarse() else { return };
        if let Err(error) = complete(open, model) {
            self.notice(format!("searched by words only: {error}"));
        }
    }
}

fn complete(open: &OpenVault, model: &'static StaticModel) -> Result<()> {
    let version = open.index().version()?;
    let vectors = open.coarse_vectors();
    let dimension = model.of("").dimension();
    let table = vectors.table(model.name(), dimension)?;
    if table.as_ref().is_some_and(|table| table.complete() == Some(&version)) {
        return Ok(());
    }
    // Another process holds the lock and embeds the same passages.
    let Some(mut writer) = vectors.writer(model.name(), dimension)? else { return Ok(()) };
    let table = vectors.table(model.name(), dimension)?;
    let rows = table.as_ref().map_or(0, |table| table.len());
    let embedded = table.map_or_else(PassageSet::default, |table| table.keys());
    let (paths, missing) = open.index().without(&embedded, usize::MAX)?;
    let live = open.index().passages()?;
    if missing > 0 {
        let mut written = embedded;
        for passage in paths.iter().flat_map(|path| open.passages_of(path)) {
            if live.contains(&passage.key) && written.insert(passage.key) {
                writer.push(passage.key, &model.of(&passage.text))?;
            }
        }
    }
    if rows > live.len() * MAX_ROW_RATIO + SPARE_ROWS {
        writer.keep(&|key| live.contains(&key), Some(&version))?;
    } else {
        writer.finish(Some(&version))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::passage::PassageKey;

    fn refresh(vectors: &Vectors, texts: &[&str], base: &str, version: &str) -> Option<IndexVersion> {
        let model = StaticModel::shipped();
        let mut update = CoarseUpdate::begin(vectors, model, VectorTable::keys).unwrap().unwrap();
        for text in texts {
            let passage =
                Passage { key: PassageKey::of(text), text: (*text).to_owned(), range: 0..text.len() };
            update.take(&passage).unwrap();
        }
        let [base, version] = [base, version].map(|version| Some(version.to_owned()));
        update.finish(&RefreshReport { base, version, ..RefreshReport::default() }).unwrap();
        let table = vectors.table(model.name(), model.of("").dimension()).unwrap().unwrap();
        table.complete().cloned()
    }

    #[test]
    fn a_table_covers_the_index_after_a_refresh_only_if_it_covered_what_the_refresh_started_from() {
        let folder = tempfile::tempdir().unwrap();
        let vectors = Vectors::open(folder.path());
        assert_eq!(refresh(&vectors, &["a cache"], "0", "1"), None, "nothing was covered yet");
        let model = StaticModel::shipped();
        let writer = vectors.writer(model.name(), model.of("").dimension()).unwrap().unwrap();
        writer.finish(Some(&"1".to_owned())).unwrap();
        assert_eq!(refresh(&vectors, &["a queue", "a cache"], "1", "2").as_deref(), Some("2"));
        assert_eq!(refresh(&vectors, &["a lock"], "1", "3"), None, "another process added notes");
    }

    #[test]
    fn a_table_that_grew_much_is_checked_against_all_notes() {
        let folder = tempfile::tempdir().unwrap();
        let vectors = Vectors::open(folder.path());
        let model = StaticModel::shipped();
        vectors
            .writer(model.name(), model.of("").dimension())
            .unwrap()
            .unwrap()
            .finish(Some(&"1".to_owned()))
            .unwrap();
        let texts: Vec<String> = (0..ROWS_PER_CHECK).map(|number| format!("note {number}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(refresh(&vectors, &texts[1..], "1", "2").as_deref(), Some("2"));
        assert_eq!(refresh(&vectors, &texts[..1], "2", "3"), None);
    }
}
