//! Finds manual edits in the vault: differences between the work tree and HEAD.
//!
//! Stat data decide wherever Git allows it, so that an unchanged vault needs no hashing. Links,
//! submodules and nested repositories are not examined.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, FileType};
use std::path::Path;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::Entry;
use gix::index::entry::{Flags, Mode, Stage, Stat};

use crate::git::blobs::Blobs;
use crate::git::error::{Doing, Error, InPath, Result};
use crate::git::repo::Repo;
use crate::git::staging::{Staging, is_as_recorded, stat};
use crate::git::trees::GitTreeEntry;
use cm_note::path::NotePath;

/// How a file of the vault differs from HEAD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EditKind {
    /// HEAD does not have the file, and it is not ignored.
    Added,
    /// The content differs from HEAD.
    Modified,
    /// HEAD has the file, but it was removed.
    Deleted,
    /// A link or a folder took the file's place.
    Replaced,
}

struct StatusScan<'r> {
    repo: &'r Repo,
    blobs: Blobs<'r>,
    ignores: gix::AttributeStack<'r>,
    index: &'r gix::index::State,
    stat: gix::index::entry::stat::Options,
    /// Paths with an index entry that differs from HEAD, with their entry in HEAD.
    staged: HashMap<BString, Option<GitTreeEntry>>,
    found: Vec<(NotePath, EditKind)>,
}

impl Repo {
    /// Returns the files of the vault for which Git's index has several versions, sorted by path.
    pub fn unmerged(&self) -> Result<Vec<NotePath>> {
        let staging = Staging::open(self)?;
        let entries = staging.index().entries().iter().filter(|entry| entry.stage() != Stage::Unconflicted);
        let mut paths: Vec<NotePath> =
            entries.filter_map(|entry| self.note_path(entry.path(staging.index()))).collect();
        paths.dedup();
        Ok(paths)
    }

    /// Returns the files of the vault that differ from HEAD, sorted by path.
    pub fn hand_edits(&self) -> Result<Vec<(NotePath, EditKind)>> {
        let staging = Staging::open(self)?;
        let index = staging.index();
        let prefix: BString = self.prefix.clone().into();
        let all = index.prefixed_entries(prefix.as_ref()).unwrap_or_default();
        let mut survey = StatusScan {
            repo: self,
            blobs: Blobs::new(self)?,
            ignores: self.ignores()?,
            index,
            stat: self.inner.stat_options().doing("reading the configuration", self.git_dir())?,
            staged: self.staged_changes(index)?,
            found: Vec::new(),
        };
        survey.folder(&self.workdir.join(&self.prefix), &prefix, all)?;
        for (place, head) in std::mem::take(&mut survey.staged) {
            // Neither in the index nor met in the work tree.
            if head.is_some() && index.entry_by_path(place.as_ref()).is_none() {
                survey.note(&place, EditKind::Deleted);
            }
        }
        survey.found.sort();
        Ok(survey.found)
    }

    /// Returns the files that HEAD and the work tree have and Git's index does not, as after `git rm --cached`, sorted
    /// by path.
    pub fn unindexed(&self) -> Result<Vec<NotePath>> {
        let staging = Staging::open(self)?;
        let is_unindexed = |place: &BString| {
            let file = self.workdir.join(gix::path::from_bstr(place.as_bstr()).unwrap_or_default());
            staging.index().entry_by_path(place.as_ref()).is_none() && file.is_file()
        };
        let staged = self.staged_changes(staging.index())?;
        let places = staged.into_iter().filter(|(place, head)| head.is_some() && is_unindexed(place));
        let mut found: Vec<NotePath> = places.filter_map(|(place, _)| self.note_path(&place)).collect();
        found.sort();
        Ok(found)
    }

    /// Returns the paths whose index entry differs from HEAD, with their entry in HEAD.
    fn staged_changes(&self, index: &gix::index::State) -> Result<HashMap<BString, Option<GitTreeEntry>>> {
        let prefix: BString = self.prefix.clone().into();
        let head = self.head_id()?.map(|head| self.vault_tree(head)).transpose()?.flatten();
        let all = index.prefixed_entries(prefix.as_ref()).unwrap_or_default();
        let cached = self.prefix.is_empty().then(|| index.tree()).flatten();
        let mut staged = HashMap::new();
        self.staged(head, &prefix, index, all, cached, &mut staged)?;
        Ok(staged)
    }

    /// Whether Git ignores this file.
    pub fn is_ignored(&self, path: &NotePath) -> Result<bool> {
        let place = self.place(path);
        let path = gix::path::from_bstr(place.as_bstr()).doing("reading a path", self.git_dir())?;
        let mut ignores = self.ignores()?;
        let entry = ignores.at_path(path, Some(Mode::FILE)).doing("reading .gitignore", self.git_dir())?;
        Ok(entry.is_excluded())
    }

    /// Collects the differences between a slice of the index and a tree, both in the same order. A
    /// valid cached tree allows skipping a whole folder.
    fn staged(
        &self,
        tree: Option<ObjectId>,
        prefix: &BString,
        index: &gix::index::State,
        mut entries: &[Entry],
        cached: Option<&gix::index::extension::Tree>,
        out: &mut HashMap<BString, Option<GitTreeEntry>>,
    ) -> Result<()> {
        if cached.is_some_and(|cached| cached.num_entries.is_some() && Some(cached.id) == tree) {
            return Ok(());
        }
        for (name, leaf) in self.entries(tree)? {
            let mut place = prefix.clone();
            place.extend_from_slice(&name);
            if leaf.mode.is_tree() {
                place.push(b'/');
            }
            let before = entries.partition_point(|entry| entry.path(index) < place.as_bstr());
            let inside = entries[before..].partition_point(|entry| entry.path(index).starts_with(&place));
            let (added, rest) = entries.split_at(before);
            out.extend(added.iter().map(|entry| (entry.path(index).to_owned(), None)));
            if leaf.mode.is_tree() {
                let (inside, after) = rest.split_at(inside);
                entries = after;
                // A folder that is not checked out has one entry for all of it.
                if !matches!(inside, [entry] if entry.mode.is_sparse() && entry.id == leaf.id) {
                    let child = cached.and_then(|cached| {
                        cached.children.iter().find(|child| child.name.as_slice() == name.as_slice())
                    });
                    self.staged(Some(leaf.id), &place, index, inside, child, out)?;
                }
                continue;
            }
            let same = rest.iter().take_while(|entry| entry.path(index) == place.as_bstr()).count();
            let plain = matches!(&rest[..same], [entry] if entry.id == leaf.id && entry.stage() == Stage::Unconflicted);
            if !plain {
                out.insert(place, Some(leaf));
            }
            entries = &rest[same..];
        }
        out.extend(entries.iter().map(|entry| (entry.path(index).to_owned(), None)));
        Ok(())
    }
}

impl StatusScan<'_> {
    fn note(&mut self, place: &[u8], changed: EditKind) {
        if let Some(path) = self.repo.note_path(place) {
            self.found.push((path, changed));
        }
    }

    /// Compares a folder with the index entries below it.
    fn folder(&mut self, folder: &Path, prefix: &BString, entries: &[Entry]) -> Result<()> {
        let mut matched = vec![false; entries.len()];
        for (name, kind) in list(folder)? {
            let Ok(name) = gix::path::os_string_into_bstring(name) else { continue };
            if name == ".git" {
                continue;
            }
            let mut place = prefix.clone();
            place.extend_from_slice(&name);
            let at = entries.partition_point(|entry| entry.path(self.index) < place.as_bstr());
            let count =
                entries[at..].iter().take_while(|entry| entry.path(self.index) == place.as_bstr()).count();
            matched[at..at + count].fill(true);
            match entries[at..at + count].first() {
                Some(entry) => self.tracked(&place, entry, kind)?,
                None if kind.is_file() => self.untracked(&place)?,
                None => {}
            }
            let is_submodule = entries.get(at).is_some_and(|entry| count > 0 && entry.mode == Mode::COMMIT);
            if kind.is_dir() && !is_submodule {
                place.push(b'/');
                let from = entries.partition_point(|entry| entry.path(self.index) < place.as_bstr());
                let inside =
                    entries[from..].partition_point(|entry| entry.path(self.index).starts_with(&place));
                matched[from..from + inside].fill(true);
                let below = folder.join(gix::path::from_bstr(name.as_bstr()).unwrap_or_default());
                self.subfolder(&below, &place, &entries[from..from + inside])?;
            }
        }
        for (entry, matched) in entries.iter().zip(matched) {
            let left_out = entry.flags.intersects(Flags::SKIP_WORKTREE | Flags::ASSUME_VALID);
            let is_file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
            if !matched && !left_out && is_file {
                let place = entry.path(self.index).to_owned();
                if self.head_of(&place, Some(entry.id)).is_some() {
                    self.note(&place, EditKind::Deleted);
                }
            }
        }
        Ok(())
    }

    fn subfolder(&mut self, folder: &Path, place: &BString, entries: &[Entry]) -> Result<()> {
        let own_repository = || folder.join(".git").exists();
        if entries.is_empty()
            && (own_repository() || self.is_ignored(place[..place.len() - 1].as_bstr(), Mode::DIR)?)
        {
            return Ok(());
        }
        self.folder(folder, place, entries)
    }

    /// Returns the blob in HEAD at a path, given its blob in the index.
    fn head_of(&self, place: &BString, index: Option<ObjectId>) -> Option<ObjectId> {
        match self.staged.get(place) {
            Some(head) => head.map(|leaf| leaf.id),
            None => index,
        }
    }

    fn tracked(&mut self, place: &BString, entry: &Entry, kind: FileType) -> Result<()> {
        if !matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE) {
            return Ok(());
        }
        let head = self.head_of(place, Some(entry.id));
        if !kind.is_file() {
            self.note(place, EditKind::Replaced);
            return Ok(());
        }
        // A person hid the edits of this file from Git.
        let is_hidden = entry.flags.intersects(Flags::ASSUME_VALID | Flags::SKIP_WORKTREE);
        if is_hidden && head == Some(entry.id) {
            return Ok(());
        }
        let file = self.path(place);
        let Some(found) = stat(&file)? else { return Ok(()) };
        let certain = entry.stage() == Stage::Unconflicted
            && !entry.flags.contains(Flags::INTENT_TO_ADD)
            && self.is_unchanged(entry, &found);
        let now = match certain {
            true => Some(entry.id),
            false => self.hash(&file, place, entry.id)?,
        };
        match (head, now) {
            (None, Some(_)) => self.note(place, EditKind::Added),
            (Some(head), Some(now)) if head != now => self.note(place, EditKind::Modified),
            _ => {}
        }
        Ok(())
    }

    /// Whether the stat data tell that the file is as when it was entered into the index.
    fn is_unchanged(&self, entry: &Entry, found: &Stat) -> bool {
        if !entry.stat.matches(found, self.stat) {
            return false;
        }
        !entry.stat.is_racy(self.index.timestamp(), self.stat)
            || is_as_recorded(&entry.stat, found, self.index, self.stat)
    }

    fn untracked(&mut self, place: &BString) -> Result<()> {
        match self.staged.remove(place).flatten() {
            // A person took it out of the index and ignores it: its content is not to be committed again.
            Some(_) if self.is_ignored(place.as_ref(), Mode::FILE)? => {}
            Some(head) => {
                let file = self.path(place);
                if self.hash(&file, place, head.id)?.is_some_and(|now| now != head.id) {
                    self.note(place, EditKind::Modified);
                }
            }
            None if !self.is_ignored(place.as_ref(), Mode::FILE)? => self.note(place, EditKind::Added),
            None => {}
        }
        Ok(())
    }

    fn path(&self, place: &BString) -> std::path::PathBuf {
        self.repo.workdir.join(gix::path::from_bstr(place.as_bstr()).unwrap_or_default())
    }

    /// Returns the id of the blob that the file would be stored as, or `None` if it no longer
    /// exists or is not a regular file.
    fn hash(&mut self, file: &Path, place: &BString, stored: ObjectId) -> Result<Option<ObjectId>> {
        // A pipe in its place would be waited for; a link is stored as what it leads to.
        if file.metadata().is_ok_and(|stat| !stat.is_file()) {
            return Ok(None);
        }
        let bytes = match fs::read(file) {
            Ok(bytes) => bytes,
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::Io { path: file.to_owned(), source }),
        };
        let bytes = self.blobs.clean(place.as_ref(), &bytes, Some(stored))?;
        self.repo.blob_id(&bytes).map(Some)
    }

    fn is_ignored(&mut self, place: &BStr, mode: Mode) -> Result<bool> {
        let path = gix::path::from_bstr(place).doing("reading a path", self.repo.git_dir())?;
        let entry =
            self.ignores.at_path(path, Some(mode)).doing("reading .gitignore", self.repo.git_dir())?;
        Ok(entry.is_excluded())
    }
}

/// Lists the names in a folder; empty if the folder does not exist.
fn list(folder: &Path) -> Result<Vec<(OsString, FileType)>> {
    let names = match fs::read_dir(folder) {
        Ok(names) => names,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(Error::Io { path: folder.to_owned(), source }),
    };
    let mut out = Vec::new();
    for entry in names {
        let entry = entry.in_path(folder)?;
        let kind = entry.file_type().in_path(&entry.path())?;
        out.push((entry.file_name(), kind));
    }
    Ok(out)
}
