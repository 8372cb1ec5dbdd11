//! Vectors of the coarse model, which cover every version of the index completely.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_embed::Embedder;
use cm_embed::builtin::StaticModel;
use cm_index::{VectorWriter, Vectors};
use cm_note::passage::{Passage, PassageSet};

/// Number of passages that are sent to the embedding thread at once.
const TOGETHER: usize = 256;
/// Number of batches that can wait for the embedding thread.
const WAITING: usize = 64;
/// A vector table is compacted if it has more rows than `SLACK` × the current passages + `SPARE`.
const SLACK: usize = 2;
const SPARE: usize = 1_000;

/// Sender of passage batches, and the embedding thread, which returns the writer of the vectors.
type Thread = (SyncSender<Vec<Passage>>, JoinHandle<Option<VectorWriter>>);

/// Embeds passages with the coarse model on its own thread while the index is refreshed.
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
        if self.gathered.len() >= TOGETHER {
            let bundle = std::mem::take(&mut self.gathered);
            let (vectors, model) = (self.vectors.clone(), self.model);
            let (sender, _) = self.thread.get_or_insert_with(|| begin(vectors, model));
            // A thread that gave up has nothing to say; what is missing is found and made up for afterwards.
            let _ = sender.send(bundle);
        }
    }

    /// Sends the last batch, waits for the thread and commits the new vectors.
    ///
    /// # Errors
    /// Returns an error if the vectors cannot be stored, for example on a full disk.
    pub fn finish(mut self) -> Result<()> {
        if self.thread.is_none() && self.gathered.is_empty() {
            return Ok(());
        }
        let (vectors, model) = (self.vectors.clone(), self.model);
        let (sender, thread) = self.thread.take().unwrap_or_else(|| begin(vectors, model));
        let _ = sender.send(self.gathered);
        drop(sender);
        match thread.join() {
            Ok(Some(writer)) => Ok(writer.finish(None)?),
            _ => Ok(()),
        }
    }
}

/// Starts the embedding thread; it returns `None` if another process writes or the disk is full.
fn begin(vectors: Vectors, model: &'static StaticModel) -> Thread {
    let (sender, receiver) = sync_channel::<Vec<Passage>>(WAITING);
    let thread = std::thread::spawn(move || {
        let dimension = model.of("").dimension();
        let table = vectors.table(model.name(), dimension).ok().flatten();
        let mut known = table.map_or_else(PassageSet::default, |table| table.keys());
        let mut writer = vectors.writer(model.name(), dimension).ok().flatten()?;
        for passage in receiver.into_iter().flatten() {
            if known.insert(passage.key) {
                writer.push(passage.key, &model.of(&passage.text)).ok()?;
            }
        }
        Some(writer)
    });
    (sender, thread)
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
    let rows = table.as_ref().map_or(0, |table| table.len());
    let known = table.map_or_else(PassageSet::default, |table| table.keys());
    let (paths, missing) = open.index().without(&known, usize::MAX)?;
    let live = open.index().passages()?;
    // Another process is at it, and will have done it.
    let Some(mut writer) = vectors.writer(model.name(), dimension)? else { return Ok(()) };
    if missing > 0 {
        let mut written = known;
        for passage in paths.iter().flat_map(|path| open.passages_of(path)) {
            if live.contains(&passage.key) && written.insert(passage.key) {
                writer.push(passage.key, &model.of(&passage.text))?;
            }
        }
    }
    if rows > live.len() * SLACK + SPARE {
        writer.keep(&|key| live.contains(&key), Some(&version))?;
    } else {
        writer.finish(Some(&version))?;
    }
    Ok(())
}
