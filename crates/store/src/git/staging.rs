//! Reads and changes the locked index. Entries of other paths stay unchanged, and Git still detects
//! all modifications.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode, Stage, Stat, stat};

use crate::git::error::{Doing, Error, InPath, Result};
use crate::git::lock::IndexLock;
use crate::git::repo::Repo;

/// Maximum number of racy files that are hashed; further ones are left to Git.
const MAX_HASHED_RACY_FILES: usize = 256;

/// The index in memory.
pub(super) struct Staging<'r> {
    repo: &'r Repo,
    file: gix::index::File,
    changed: bool,
    /// New entries, merged when the index is written, so that it is sorted only once.
    added: Vec<(BString, ObjectId, Mode, Stat)>,
    /// Paths among these whose file Git leaves out of the work tree.
    left_out: HashSet<BString>,
}

/// State of a path in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexSlot {
    /// No entry, or only an intent to add.
    Empty,
    /// A single staged blob.
    Staged { id: ObjectId, mode: Mode },
    /// Several conflicting versions.
    Conflict,
}

impl<'r> Staging<'r> {
    /// Reads the index; a missing one is empty. Like Git, it does not verify the checksum, which
    /// would take a fifth of the time of a commit.
    pub fn open(repo: &'r Repo) -> Result<Self> {
        let unverified = true;
        let file = gix::index::File::at_or_default(
            &repo.index,
            repo.inner.object_hash(),
            unverified,
            gix::index::decode::Options::default(),
        )
        .doing("reading the index", repo.git_dir())?;
        Ok(Self { repo, file, changed: false, added: Vec::new(), left_out: HashSet::new() })
    }

    pub fn index(&self) -> &gix::index::State {
        &self.file
    }

    /// Whether the index differs from the one on disk.
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// Returns the state of this path.
    pub fn slot(&mut self, place: &BStr) -> Result<IndexSlot> {
        self.expand(place)?;
        let Some(range) = self.file.entry_range(place) else { return Ok(IndexSlot::Empty) };
        Ok(match &self.file.entries()[range] {
            [entry] if entry.stage() != Stage::Unconflicted => IndexSlot::Conflict,
            [entry] if entry.flags.contains(Flags::INTENT_TO_ADD) => IndexSlot::Empty,
            [entry] => IndexSlot::Staged { id: entry.id, mode: entry.mode },
            _ => IndexSlot::Conflict,
        })
    }

    /// Returns a tracked path that conflicts with a file at this path: a file in place of one of
    /// its folders, or a folder at the path itself.
    pub fn collision(&self, place: &BStr) -> Option<BString> {
        let stays =
            |entry: &gix::index::Entry| !entry.flags.contains(Flags::REMOVE) && !entry.mode.is_sparse();
        let folders = place.find_iter(b"/").map(|at| place[..at].as_bstr());
        for folder in folders {
            if let Ok(at) = self.file.entry_index_by_path(folder)
                && stays(&self.file.entries()[at])
            {
                return Some(folder.to_owned());
            }
        }
        let mut below = place.to_owned();
        below.push(b'/');
        let inside = self.file.prefixed_entries(below.as_ref()).unwrap_or_default();
        inside.iter().any(stays).then_some(below)
    }

    /// Stages a blob. The flags of an existing entry are preserved.
    pub fn put(&mut self, place: &BStr, id: ObjectId, mode: Mode, stat: Option<Stat>) {
        let Some(at) = self.file.entry_range(place).map(|range| range.start) else {
            self.touch(place);
            self.added.push((place.to_owned(), id, mode, stat.unwrap_or_default()));
            return;
        };
        let entry = &self.file.entries()[at];
        let as_it_was = entry.id == id && entry.mode == mode && !entry.flags.contains(Flags::INTENT_TO_ADD);
        if as_it_was && stat.is_none_or(|stat| stat == entry.stat) {
            return;
        }
        self.touch(place);
        let entry = &mut self.file.entries_mut()[at];
        entry.id = id;
        entry.mode = mode;
        // Zeros match no file, so that git compares the contents.
        entry.stat = stat.unwrap_or_default();
        entry.flags.remove(Flags::INTENT_TO_ADD);
        if !entry.flags.contains(Flags::SKIP_WORKTREE) {
            entry.flags.remove(Flags::EXTENDED);
        }
    }

    /// Lets Git leave the file of a staged path out of the work tree.
    pub fn leave_out(&mut self, place: &BStr) {
        match self.file.entry_range(place) {
            Some(range) => {
                for entry in &mut self.file.entries_mut()[range] {
                    entry.flags.insert(Flags::EXTENDED | Flags::SKIP_WORKTREE);
                }
            }
            None => drop(self.left_out.insert(place.to_owned())),
        }
    }

    /// Removes a path from the index.
    pub fn remove(&mut self, place: &BStr) {
        let Some(range) = self.file.entry_range(place) else { return };
        self.touch(place);
        for entry in &mut self.file.entries_mut()[range] {
            entry.flags.insert(Flags::REMOVE);
        }
    }

    /// Prepares a change: resolves racy entries before the first change, and invalidates the cached
    /// trees along the path.
    fn touch(&mut self, place: &BStr) {
        if !self.changed {
            self.settle();
            self.changed = true;
        }
        self.invalidate(place);
    }

    /// Expands a sparse directory entry that contains the path into the entries of its files.
    fn expand(&mut self, place: &BStr) -> Result<()> {
        if !self.file.is_sparse() {
            return Ok(());
        }
        let folder = self.file.entries().iter().position(|entry| {
            entry.mode.is_sparse() && {
                let path = entry.path(&self.file);
                place.starts_with(path) && (path.ends_with(b"/") || place.get(path.len()) == Some(&b'/'))
            }
        });
        let Some(at) = folder else { return Ok(()) };
        let mut prefix = self.file.entries()[at].path(&self.file).to_owned();
        if !prefix.ends_with(b"/") {
            prefix.push(b'/');
        }
        let tree = self.file.remove_entry_at_index(at).id;
        let files =
            self.repo.inner.index_from_tree(&tree).doing("expanding a folder", self.repo.git_dir())?;
        for entry in files.entries() {
            let mut path = prefix.clone();
            path.extend_from_slice(entry.path(&files));
            let flags = Flags::EXTENDED | Flags::SKIP_WORKTREE;
            self.file.dangerously_push_entry(Stat::default(), entry.id, flags, entry.mode, path.as_ref());
        }
        self.file.sort_entries();
        self.touch(place);
        // The cached trees count the folder as a single entry.
        self.file.remove_tree();
        Ok(())
    }

    /// Invalidates the cached trees along a path. With an outdated one, `git commit` would write an
    /// old version of the folder.
    fn invalidate(&mut self, place: &BStr) {
        let Some(mut node) = self.file.tree_mut() else { return };
        node.num_entries = None;
        let mut parts: Vec<&[u8]> = place.split(|byte| *byte == b'/').collect();
        parts.pop();
        for part in parts {
            match node.children.iter_mut().find(|child| child.name.as_slice() == part) {
                Some(child) => node = child,
                None => return,
            }
            node.num_entries = None;
        }
    }

    /// Resolves racy entries. Git trusts stat data only of files older than the index. Writing a
    /// newer index without checking these entries would hide an edit within the same second.
    fn settle(&mut self) {
        let since = self.file.timestamp().unix_seconds();
        let doubtful: Vec<usize> = self
            .file
            .entries()
            .iter()
            .enumerate()
            .filter(|(.., entry)| {
                i64::from(entry.stat.mtime.secs) >= since
                    && entry.stat.size != 0
                    && matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE)
            })
            .map(|(at, ..)| at)
            .collect();
        let options = self.repo.inner.stat_options().unwrap_or_default();
        let mut hashes = MAX_HASHED_RACY_FILES;
        for at in doubtful {
            let entry = &self.file.entries()[at];
            let path =
                self.repo.workdir.join(gix::path::from_bstr(entry.path(&self.file)).unwrap_or_default());
            let found = stat(&path).ok().flatten();
            let same = match found {
                None => false,
                Some(found) if is_as_recorded(&entry.stat, &found, &self.file, options) => true,
                Some(_) if hashes == 0 => false,
                Some(_) => {
                    hashes -= 1;
                    std::fs::read(path)
                        .is_ok_and(|bytes| self.repo.blob_id(&bytes).is_ok_and(|id| id == entry.id))
                }
            };
            if !same {
                self.file.entries_mut()[at].stat.size = 0;
            }
        }
    }

    /// Writes the index to the lock file.
    pub fn write(&mut self, lock: &IndexLock) -> Result<()> {
        if !self.added.is_empty() {
            for (place, id, mode, stat) in self.added.drain(..) {
                let mut flags = Flags::from_stage(Stage::Unconflicted);
                flags.set(Flags::EXTENDED | Flags::SKIP_WORKTREE, self.left_out.contains(&place));
                self.file.dangerously_push_entry(stat, id, flags, mode, place.as_ref());
            }
            self.file.sort_entries();
        }
        // Hashed as a whole: the file's own `write_to` hashes each field of an entry by itself, which takes longer.
        let state: &gix::index::State = &self.file;
        // An entry has 62 bytes, or 74 with SHA-256, up to eight zeros, and its path.
        let mut bytes = Vec::with_capacity(state.entries().len() * 82 + state.path_backing().len() + 4096);
        state.write_to(&mut bytes, Default::default()).doing("writing the index", self.repo.git_dir())?;
        let kind = state.object_hash();
        let hash = if self.repo.inner.config_snapshot().boolean("index.skipHash").unwrap_or(false) {
            kind.null()
        } else {
            let mut hasher = gix::hash::hasher(kind);
            hasher.update(&bytes);
            hasher.try_finalize().doing("hashing the index", self.repo.git_dir())?
        };
        bytes.extend_from_slice(hash.as_slice());
        lock.file().write_all(&bytes).in_path(&self.repo.index)
    }
}

/// Whether the fractions of seconds tell that a file is as when it was entered into the index, though
/// that was in the second in which the index was written. Git ignores fractions unless it is built
/// for them.
pub(super) fn is_as_recorded(
    recorded: &Stat,
    found: &Stat,
    index: &gix::index::State,
    options: stat::Options,
) -> bool {
    let options = stat::Options { use_nsec: true, ..options };
    // Elsewhere than on Unix, the ctime is the time at which the file was made, and tells no change. Where
    // there is no fraction, the file system or the program that wrote the index has none.
    cfg!(unix)
        && options.trust_ctime
        && recorded.mtime.nsecs != 0
        && recorded.matches(found, options)
        && !recorded.is_racy(index.timestamp(), options)
}

impl Repo {
    /// Returns the stat data of a file with this content, or `None` if the content differs by now.
    pub(super) fn stat_of(&self, file: &Path, bytes: &[u8]) -> Result<Option<Stat>> {
        let Some(before) = stat(file)? else { return Ok(None) };
        match std::fs::read(file) {
            Ok(found) if found == bytes => {}
            Ok(_) => return Ok(None),
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::Io { path: file.to_owned(), source }),
        }
        Ok(stat(file)?.filter(|after| *after == before))
    }
}

/// Returns the stat data of a regular file in Git's format, or `None` if there is no such file.
pub(super) fn stat(file: &Path) -> Result<Option<Stat>> {
    match gix::index::fs::Metadata::from_path_no_follow(file) {
        Ok(meta) if meta.is_file() => {
            Stat::from_fs(&meta).map(Some).map_err(std::io::Error::other).in_path(file)
        }
        Ok(_) => Ok(None),
        Err(err)
            if matches!(err.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(source) => Err(Error::Io { path: file.to_owned(), source }),
    }
}
