//! The index folder: its current generation, and the files opened from it.
//!
//! ```text
//! _index/lock  queue  current      `current` holds the name of the current generation
//! _index/g…/manifest  manifest.log
//! _index/g…/text/                  the text index with its seal
//! ```

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::error::{Error, RebuildReason, at};
use super::frame;
use super::manifest::Manifest;
use super::queue::{Queue, QueueEntry};
use super::text::{Candidate, CandidateRequest, FoundCandidates, Neighbours, NoteHits, TextIndex, touched};
use super::vector::{IndexVersion, Vectors};
use cm_note::graph::EdgeFilter;
use cm_note::id::NoteId;
use cm_note::note::{Note, NoteKind};
use cm_note::passage::PassageSet;
use cm_note::path::NotePath;
use cm_note::query::{LabelField, Query};

/// The index of a vault. Cheap to create: files are opened on first use.
#[derive(Default)]
pub struct Index {
    folder: PathBuf,
    opened: Mutex<Option<Arc<OpenedIndex>>>,
    /// Temporary folder of an index that only this process uses, removed when the handle is
    /// dropped; `None` for a lasting index.
    pub(super) passing: Option<tempfile::TempDir>,
    /// Shared lock that keeps other processes from removing the folder.
    held: OnceLock<File>,
}

/// The text index of a generation, opened at one commit.
pub(super) struct OpenedIndex {
    pub(super) generation: PathBuf,
    stamp: [u64; 4],
    pub(super) text: TextIndex,
}

impl OpenedIndex {
    /// Version of the indexed notes.
    pub(super) fn version(&self) -> IndexVersion {
        let generation = self.generation.file_name().unwrap_or_default().to_string_lossy();
        format!("{generation}-{}", self.text.serial())
    }
}

/// Candidate notes for a question, at one state of the index.
pub struct Candidates {
    opened: Arc<OpenedIndex>,
    /// The candidates, unordered.
    pub list: Vec<Candidate>,
    /// Number of notes that match the words of the query.
    pub total: usize,
    /// BM25 score of an imaginary text that is full of all optional words of the query; 0 if it has none.
    pub highest_score: f32,
}

impl Candidates {
    /// Loads the note of a candidate.
    ///
    /// # Errors
    ///
    /// [`Error::Unusable`] if the index is damaged.
    pub fn note(&self, candidate: &Candidate) -> Result<Note, Error> {
        Ok(self.opened.text.note_of(candidate)?)
    }
}

/// The opened text index and the manifest, as a refresh needs them.
pub(super) struct IndexState {
    pub(super) opened: Arc<OpenedIndex>,
    pub(super) manifest: Manifest,
    /// Metadata of the manifest's files, taken before they were read.
    stamp: [Option<[u64; 4]>; 2],
}

impl Index {
    /// Returns a handle to the index in `folder`, which need not exist.
    pub fn open(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), ..Self::default() }
    }

    /// Searches the state of the last refresh and returns at most `limit` matches starting at
    /// `offset`.
    ///
    /// # Errors
    ///
    /// [`Error::Unusable`] if there is no sound index; a refresh or a rebuild repairs it.
    pub fn search(&self, query: &Query, offset: usize, limit: usize) -> Result<NoteHits, Error> {
        Ok(self.text()?.text.search(query, offset, limit)?)
    }

    /// Returns the candidate notes by words and by meaning. Fails like [`Index::search`].
    pub fn candidates(&self, request: CandidateRequest<'_>) -> Result<Candidates, Error> {
        let opened = self.text()?;
        let FoundCandidates { list, total, highest_score } = opened.text.candidates(request)?;
        Ok(Candidates { opened, list, total, highest_score })
    }

    /// Returns the vectors stored inside the index folder, which are deleted with it.
    pub fn vectors(&self) -> Vectors {
        Vectors::open(&self.folder.join("vectors"))
    }

    /// Returns the version of the indexed notes, which differs after every change.
    ///
    /// # Errors
    ///
    /// Fails like [`Index::search`].
    pub fn version(&self) -> Result<IndexVersion, Error> {
        Ok(self.text()?.version())
    }

    /// Returns the passages of all notes. Fails like [`Index::search`].
    pub fn passages(&self) -> Result<PassageSet, Error> {
        Ok(self.text()?.text.passages()?)
    }

    /// Returns at most `most` notes that have passages missing from `embedded`, the most recently
    /// changed first, and the total number of missing passages. Fails like [`Index::search`].
    pub fn without(&self, embedded: &PassageSet, most: usize) -> Result<(Vec<NotePath>, usize), Error> {
        Ok(self.text()?.text.without(embedded, most)?)
    }

    /// Returns all notes as of the last refresh, sorted by path. Fails like [`Index::search`].
    pub fn notes(&self) -> Result<Vec<Note>, Error> {
        Ok(self.text()?.text.notes()?)
    }

    /// Returns path and id of all notes that have an id, unordered. Fails like [`Index::search`].
    pub fn ids(&self) -> Result<Vec<(NotePath, NoteId)>, Error> {
        Ok(self.text()?.text.ids()?)
    }

    /// Returns the notes of these kinds as of the last refresh, sorted by path. Fails like
    /// [`Index::search`].
    pub fn notes_of(&self, kinds: &[NoteKind]) -> Result<Vec<Note>, Error> {
        Ok(self.text()?.text.of_kinds(kinds)?)
    }

    /// Returns the values of a label, in lower case, that start with `prefix`, as of the last
    /// refresh; at most `most`. Fails like [`Index::search`].
    pub fn labels(&self, label: LabelField, prefix: &str, most: usize) -> Result<Vec<String>, Error> {
        Ok(self.text()?.text.labels(label, prefix, most)?)
    }

    /// Returns the notes one edge away from these as of the last refresh, at bounded cost. Fails
    /// like [`Index::search`].
    pub fn neighbours(&self, notes: &[&Note]) -> Result<Neighbours, Error> {
        Ok(self.text()?.text.neighbours(notes)?)
    }

    /// Returns the note at a path and the notes around it as of the last refresh, sorted by path. Their
    /// graph has all edges of the notes that are less than `hops` edges away on this route. Empty if
    /// there is no such note; `None` if a large part of the vault would be needed. Fails like
    /// [`Index::search`].
    pub fn surroundings(
        &self,
        path: &NotePath,
        hops: u8,
        route: &EdgeFilter,
    ) -> Result<Option<Vec<Note>>, Error> {
        Ok(self.text()?.text.surroundings(path, hops, route)?)
    }

    /// Returns all notes that a name, a path or the beginning of an id may refer to as of the last
    /// refresh, sorted by path, and perhaps others. Fails like [`Index::search`].
    pub fn possible_targets(&self, reference: &str) -> Result<Vec<Note>, Error> {
        Ok(self.text()?.text.possible_targets(reference)?)
    }

    /// Returns the notes, queued or indexed, with an id that starts with `prefix`. They may have
    /// moved or been deleted since; the caller must check.
    pub fn lookup(&self, prefix: &str) -> Result<Vec<(NoteId, NotePath)>, Error> {
        let lower = prefix.to_lowercase();
        let mut found: Vec<(NoteId, NotePath)> = self
            .queue_file()
            .entries()
            .into_iter()
            .filter_map(|(path, id)| Some((id?, path)))
            .filter(|(id, _)| id.as_str().to_lowercase().starts_with(&lower))
            .collect();
        match self.text() {
            Ok(opened) => {
                let notes = opened.text.with_id(prefix)?.into_iter();
                found.extend(notes.filter_map(|note| Some((note.id?, note.path))));
            }
            Err(Error::Unusable(_)) => {}
            Err(error) => return Err(error),
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Whether the queue holds files that no refresh has processed yet.
    pub fn has_queued(&self) -> bool {
        !self.queue_file().is_empty()
    }

    /// Returns the queued files that no refresh has processed yet.
    pub fn queued(&self) -> Vec<NotePath> {
        self.queue_file().entries().into_iter().map(|(path, _)| path).collect()
    }

    /// Queues written files, with the ids of their notes, for the next refresh and for
    /// [`Index::lookup`], without blocking.
    pub fn queue(&self, written: &[QueueEntry]) -> Result<(), Error> {
        std::fs::create_dir_all(&self.folder).map_err(at(&self.folder))?;
        let queue = self.queue_file();
        queue.push(written).map_err(at(queue.path()))
    }

    pub(super) fn hold(&self, lock: File) {
        let _ = self.held.set(lock);
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn queue_file(&self) -> Queue {
        Queue::in_folder(&self.folder)
    }

    pub(super) fn current_file(&self) -> PathBuf {
        self.folder.join("current")
    }

    /// Closes the opened text index, so that the next query opens it again.
    pub(super) fn reopen(&self) {
        *self.opened.lock() = None;
    }

    /// Returns the folder name of the current generation, the complete index that is in use.
    pub(super) fn current(&self) -> Result<String, Error> {
        let current = self.current_file();
        let name = frame::read(&current).map_err(at(&current))?.ok_or(RebuildReason::Missing)??;
        match String::from_utf8(name) {
            Ok(name) if name.chars().all(char::is_alphanumeric) => Ok(name),
            _ => Err(RebuildReason::damaged("current").into()),
        }
    }

    /// Returns the folder of the current generation.
    fn generation(&self) -> Result<PathBuf, Error> {
        Ok(self.folder.join(self.current()?))
    }

    /// Returns the text index, reopening it only if it changed.
    pub(super) fn text(&self) -> Result<Arc<OpenedIndex>, Error> {
        self.open_text().map_err(misshapen_is_damaged)
    }

    fn open_text(&self) -> Result<Arc<OpenedIndex>, Error> {
        let mut opened = self.opened.lock();
        let mut generation = self.generation()?;
        loop {
            match open(opened.as_ref(), &generation) {
                Ok(now) => {
                    *opened = Some(Arc::clone(&now));
                    return Ok(now);
                }
                // A rebuild may have cleared it away while it was being opened.
                Err(Error::Unusable(why)) => {
                    let current = self.generation()?;
                    if current == generation {
                        return Err(why.into());
                    }
                    generation = current;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Loads the text index and the manifest, and checks that they agree.
    pub(super) fn load(&self) -> Result<IndexState, Error> {
        self.load_parts().map_err(misshapen_is_damaged)
    }

    fn load_parts(&self) -> Result<IndexState, Error> {
        let generation = self.generation()?;
        let stamp = Manifest::stamp(&generation);
        let manifest = Manifest::load(&generation)?;
        let opened = self.text()?;
        if opened.generation != generation || opened.text.serial() != manifest.serial() {
            return Err(RebuildReason::damaged("an update was interrupted").into());
        }
        Ok(IndexState { opened, manifest, stamp })
    }

    /// Like [`Index::load`], but reuses a state loaded before if nothing changed. The caller must
    /// hold the lock.
    pub(super) fn reload(&self, before: Option<IndexState>) -> Result<IndexState, Error> {
        if let (Some(state), Ok(opened)) = (before, self.text())
            && Arc::ptr_eq(&opened, &state.opened)
            && Manifest::stamp(&opened.generation) == state.stamp
        {
            return Ok(state);
        }
        self.load()
    }
}

/// Returns the text index of a generation, reusing the opened one if it is current.
fn open(before: Option<&Arc<OpenedIndex>>, generation: &Path) -> Result<Arc<OpenedIndex>, Error> {
    let folder = generation.join("text");
    // Taken before opening: a commit in between makes the next question open it again.
    let stamp = touched(&folder.join("meta.json")).map_err(|_| RebuildReason::damaged("no text index"))?;
    if let Some(before) = before.filter(|before| before.generation == generation && before.stamp == stamp) {
        return Ok(Arc::clone(before));
    }
    let text = TextIndex::open(&folder)?;
    Ok(Arc::new(OpenedIndex { generation: generation.to_owned(), stamp, text }))
}

/// Reports a folder in place of a file, or the reverse, as damage that a rebuild repairs.
pub(super) fn misshapen_is_damaged(error: Error) -> Error {
    match error {
        Error::Io { path, source }
            if matches!(source.kind(), ErrorKind::IsADirectory | ErrorKind::NotADirectory) =>
        {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            RebuildReason::damaged(name).into()
        }
        error => error,
    }
}
