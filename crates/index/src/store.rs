//! The folder of the index: which generation of it counts, and what is open of it.
//!
//! ```text
//! _index/lock  queue  current      current names the generation that counts
//! _index/g…/manifest  manifest.log
//! _index/g…/text/                  the text index with its seal
//! ```

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::error::{Error, Unusable, at};
use super::frame;
use super::manifest::Manifest;
use super::queue::Queue;
use super::text::{Asked, Candidate, Found, Neighbours, Text, touched};
use super::vector::{Vectors, Version};
use cm_note::id::NoteId;
use cm_note::note::{Kind, Note};
use cm_note::passage::PassageSet;
use cm_note::path::NotePath;
use cm_note::query::Query;

/// The index of a vault. Cheap to make: files are opened when they are first needed.
#[derive(Default)]
pub struct Index {
    folder: PathBuf,
    opened: Mutex<Option<Arc<Opened>>>,
    /// Removes the folder with the handle, where the index is for this process alone.
    pub(super) passing: Option<tempfile::TempDir>,
    /// What keeps others from removing the folder while the handle lives.
    held: OnceLock<File>,
}

/// The text index of a generation, as of one commit.
pub(super) struct Opened {
    pub(super) generation: PathBuf,
    stamp: [u64; 4],
    pub(super) text: Text,
}

/// The notes that may answer a question, as of one state of the index.
pub struct Candidates {
    opened: Arc<Opened>,
    /// The notes, in no order that means anything.
    pub list: Vec<Candidate>,
    /// How many notes have words of the question.
    pub total: usize,
}

impl Candidates {
    /// The note of a candidate.
    ///
    /// # Errors
    /// [`Error::Unusable`] where the index is damaged.
    pub fn note(&self, candidate: &Candidate) -> Result<Note, Error> {
        Ok(self.opened.text.note_of(candidate)?)
    }
}

/// All that a refresh starts from.
pub(super) struct State {
    pub(super) opened: Arc<Opened>,
    pub(super) manifest: Manifest,
    /// What the manifest's files looked like before they were read.
    stamp: [Option<[u64; 4]>; 2],
}

impl Index {
    /// The index in `folder`, which need not exist.
    pub fn open(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), ..Self::default() }
    }

    /// Searches as of the last refresh: the matches from place `offset` on, at most `limit`.
    ///
    /// # Errors
    ///
    /// [`Error::Unusable`] where there is nothing sound to search; a refresh or, where that finds nothing amiss, a
    /// rebuild mends it.
    pub fn search(&self, query: &Query, offset: usize, limit: usize) -> Result<Found, Error> {
        Ok(self.text()??.text.search(query, offset, limit)?)
    }

    /// The notes that may answer, by their words and by what they mean; errors as for [`Index::search`].
    pub fn candidates(&self, asked: Asked<'_>) -> Result<Candidates, Error> {
        let opened = self.text()??;
        let (list, total) = opened.text.candidates(asked)?;
        Ok(Candidates { opened, list, total })
    }

    /// Vectors that go when the index goes.
    pub fn vectors(&self) -> Vectors {
        Vectors::open(&self.folder.join("vectors"))
    }

    /// Which state of the notes it answers for: another after every change.
    ///
    /// # Errors
    /// Those of [`Index::search`].
    pub fn version(&self) -> Result<Version, Error> {
        let opened = self.text()??;
        let generation = opened.generation.file_name().unwrap_or_default().to_string_lossy();
        Ok(format!("{generation}-{}", opened.text.serial()))
    }

    /// The passages of all notes; errors as for [`Index::search`].
    pub fn passages(&self) -> Result<PassageSet, Error> {
        Ok(self.text()??.text.passages()?)
    }

    /// The notes with passages that are not among these, the latest changed first and at most `most`, and how many such
    /// passages there are in all; errors as for [`Index::search`].
    pub fn without(&self, known: &PassageSet, most: usize) -> Result<(Vec<NotePath>, usize), Error> {
        Ok(self.text()??.text.without(known, most)?)
    }

    /// All notes as of the last refresh, sorted by path; errors as for [`Index::search`].
    pub fn notes(&self) -> Result<Vec<Note>, Error> {
        Ok(self.text()??.text.notes()?)
    }

    /// Where each note with an id lies as of the last refresh, in no order; errors as for [`Index::search`].
    pub fn ids(&self) -> Result<Vec<(NotePath, NoteId)>, Error> {
        Ok(self.text()??.text.ids()?)
    }

    /// The notes of these kinds as of the last refresh, sorted by path; errors as for [`Index::search`].
    pub fn notes_of(&self, kinds: &[Kind]) -> Result<Vec<Note>, Error> {
        Ok(self.text()??.text.of_kinds(kinds)?)
    }

    /// The notes one edge away from these as of the last refresh, at a bounded cost; errors as for [`Index::search`].
    pub fn neighbours(&self, notes: &[&Note]) -> Result<Neighbours, Error> {
        Ok(self.text()??.text.neighbours(notes)?)
    }

    /// The notes whose id begins with `prefix`: those just written and those indexed. They may have moved or gone
    /// since, which the caller checks.
    pub fn lookup(&self, prefix: &str) -> Result<Vec<(NoteId, NotePath)>, Error> {
        let lower = prefix.to_lowercase();
        let mut found: Vec<(NoteId, NotePath)> = self
            .queue_file()
            .entries()
            .into_iter()
            .filter_map(|(path, id)| Some((id?, path)))
            .filter(|(id, _)| id.as_str().to_lowercase().starts_with(&lower))
            .collect();
        if let Ok(opened) = self.text()? {
            found.extend(
                opened.text.with_id(prefix)?.into_iter().filter_map(|note| Some((note.id?, note.path))),
            );
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Whether files were written that no refresh has taken up yet.
    pub fn has_queued(&self) -> bool {
        !self.queue_file().is_empty()
    }

    /// Files that were written and that no refresh has taken up yet.
    pub fn queued(&self) -> Vec<NotePath> {
        self.queue_file().entries().into_iter().map(|(path, _)| path).collect()
    }

    /// Notes that a note was written, for the next refresh and for [`Index::lookup`]; it waits for nobody.
    pub fn queue(&self, path: &NotePath, id: Option<&NoteId>) -> Result<(), Error> {
        std::fs::create_dir_all(&self.folder).map_err(at(&self.folder))?;
        let queue = self.queue_file();
        queue.push(path, id).map_err(at(queue.path()))
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

    /// Forgets what is open, so that the next question opens what is there.
    pub(super) fn reopen(&self) {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The name of the generation that counts.
    pub(super) fn current(&self) -> Result<Result<String, Unusable>, Error> {
        let current = self.current_file();
        Ok(match frame::read(&current).map_err(at(&current))? {
            None => Err(Unusable::Missing),
            Some(Err(why)) => Err(why),
            Some(Ok(name)) => match String::from_utf8(name) {
                Ok(name) if name.chars().all(char::is_alphanumeric) => Ok(name),
                _ => Err(Unusable::damaged("current")),
            },
        })
    }

    /// The folder of the generation that counts.
    fn generation(&self) -> Result<Result<PathBuf, Unusable>, Error> {
        Ok(self.current()?.map(|name| self.folder.join(name)))
    }

    /// The text index, opened anew only where somebody changed it.
    pub(super) fn text(&self) -> Result<Result<Arc<Opened>, Unusable>, Error> {
        misshapen_is_damaged(self.open_text())
    }

    fn open_text(&self) -> Result<Result<Arc<Opened>, Unusable>, Error> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let mut generation = self.generation()?;
        loop {
            let folder = match generation {
                Ok(folder) => folder,
                Err(why) => return Ok(Err(why)),
            };
            match open(opened.as_ref(), &folder)? {
                Ok(now) => {
                    *opened = Some(Arc::clone(&now));
                    return Ok(Ok(now));
                }
                // A rebuild may have cleared it away while it was being opened.
                Err(why) => {
                    generation = self.generation()?;
                    if generation.as_ref() == Ok(&folder) {
                        return Ok(Err(why));
                    }
                }
            }
        }
    }

    /// Everything, where it is sound and its parts agree.
    pub(super) fn load(&self) -> Result<Result<State, Unusable>, Error> {
        misshapen_is_damaged(self.load_parts())
    }

    fn load_parts(&self) -> Result<Result<State, Unusable>, Error> {
        let generation = match self.generation()? {
            Ok(generation) => generation,
            Err(why) => return Ok(Err(why)),
        };
        let stamp = Manifest::stamp(&generation);
        let manifest = match Manifest::load(&generation)? {
            Ok(manifest) => manifest,
            Err(why) => return Ok(Err(why)),
        };
        let opened = match self.text()? {
            Ok(opened) => opened,
            Err(why) => return Ok(Err(why)),
        };
        if opened.generation != generation || opened.text.serial() != manifest.serial() {
            return Ok(Err(Unusable::damaged("an update was interrupted")));
        }
        Ok(Ok(State { opened, manifest, stamp }))
    }

    /// What [`Index::load`] would give, for a state that was loaded before; nobody else may be writing meanwhile.
    pub(super) fn reload(&self, before: Result<State, Unusable>) -> Result<Result<State, Unusable>, Error> {
        if let (Ok(state), Ok(Ok(opened))) = (&before, self.text())
            && Arc::ptr_eq(&opened, &state.opened)
            && Manifest::stamp(&opened.generation) == state.stamp
        {
            return Ok(before);
        }
        self.load()
    }
}

/// The text index of a generation: the one that is open, or one opened anew.
fn open(before: Option<&Arc<Opened>>, generation: &Path) -> Result<Result<Arc<Opened>, Unusable>, Error> {
    let folder = generation.join("text");
    // Taken before opening: a commit in between makes the next question open it again.
    let Ok(stamp) = touched(&folder.join("meta.json")) else {
        return Ok(Err(Unusable::damaged("no text index")));
    };
    if let Some(before) = before.filter(|before| before.generation == generation && before.stamp == stamp) {
        return Ok(Ok(Arc::clone(before)));
    }
    let text = Text::open(&folder)?;
    Ok(text.map(|text| Arc::new(Opened { generation: generation.to_owned(), stamp, text })))
}

/// A folder where a file should be, or the other way round, is one more damage that a rebuild mends.
pub(super) fn misshapen_is_damaged<T>(
    answer: Result<Result<T, Unusable>, Error>,
) -> Result<Result<T, Unusable>, Error> {
    match answer {
        Err(Error::Io { path, source })
            if matches!(source.kind(), ErrorKind::IsADirectory | ErrorKind::NotADirectory) =>
        {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            Ok(Err(Unusable::damaged(name)))
        }
        answer => answer,
    }
}
