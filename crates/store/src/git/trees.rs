//! Looks up paths in commits and compares trees.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::EntryMode;

use crate::git::blobs::Blobs;
use crate::git::error::{Doing, Result};
use crate::git::repo::{CommitId, Repo};
use cm_note::path::NotePath;
use rayon::prelude::*;

/// A file of the vault that differs between two commits, with its content as a checkout would write
/// it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeChange {
    /// Path in the vault.
    pub path: NotePath,
    /// Old content; `None` if the file did not exist.
    pub old: Option<Vec<u8>>,
    /// New content; `None` if the file was removed.
    pub new: Option<Vec<u8>>,
    /// Whether the new file is executable.
    pub executable: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GitTreeEntry {
    pub id: ObjectId,
    pub mode: EntryMode,
}

impl GitTreeEntry {
    /// Whether the entry is a regular file.
    pub fn is_file(&self) -> bool {
        self.mode.is_blob() && !self.mode.is_link()
    }
}

/// Tree entries along a path, from the root on. It ends early if the path does not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TreePath {
    root: Option<ObjectId>,
    steps: Vec<GitTreeEntry>,
    depth: usize,
}

impl TreePath {
    /// Returns the entry at the end of the path.
    pub fn leaf(&self) -> Option<GitTreeEntry> {
        (self.steps.len() == self.depth).then(|| self.steps.last().copied()).flatten()
    }

    /// Returns the file at the end of the path.
    pub fn file(&self) -> Option<GitTreeEntry> {
        self.leaf().filter(GitTreeEntry::is_file)
    }

    /// Returns the number of leading path components that exist, and the last entry among them.
    pub fn furthest(&self) -> Option<(usize, GitTreeEntry)> {
        self.steps.last().map(|leaf| (self.steps.len(), *leaf))
    }
}

/// Looks up a path with `entry`, which returns the entry of a tree with a name. See [`Repo::trail`].
fn trail(
    root: Option<ObjectId>,
    place: &BStr,
    cached: Option<&TreePath>,
    mut entry: impl FnMut(ObjectId, &BStr) -> Result<Option<GitTreeEntry>>,
) -> Result<TreePath> {
    let parts: Vec<&[u8]> = place.split(|byte| *byte == b'/').collect();
    let mut trail = TreePath { root, steps: Vec::with_capacity(parts.len()), depth: parts.len() };
    let Some(mut tree) = root else { return Ok(trail) };
    if let Some(cached) = cached.filter(|cached| cached.root == root) {
        return Ok(cached.clone());
    }
    for (at, part) in parts.iter().enumerate() {
        let Some(leaf) = entry(tree, part.as_bstr())? else { break };
        trail.steps.push(leaf);
        if cached.and_then(|cached| cached.steps.get(at)) == Some(&leaf) {
            let rest = cached.map(|cached| &cached.steps[at + 1..]).unwrap_or_default();
            trail.steps.extend(rest);
            break;
        }
        if !leaf.mode.is_tree() {
            break;
        }
        tree = leaf.id;
    }
    Ok(trail)
}

/// Looks up many paths in the same trees, which are parsed once.
pub(super) struct TreeCache<'r> {
    repo: &'r Repo,
    /// Entries by name; `None` after the first lookup in a tree, which reads no further than the entry it looks for.
    trees: HashMap<ObjectId, Option<HashMap<BString, GitTreeEntry>>>,
}

impl<'r> TreeCache<'r> {
    pub fn new(repo: &'r Repo) -> Self {
        Self { repo, trees: HashMap::new() }
    }

    pub fn repo(&self) -> &'r Repo {
        self.repo
    }

    /// Like [`Repo::trail`].
    pub fn trail(&mut self, root: Option<ObjectId>, place: &BStr) -> Result<TreePath> {
        trail(root, place, None, |tree, name| self.entry(tree, name))
    }

    fn entry(&mut self, tree: ObjectId, name: &BStr) -> Result<Option<GitTreeEntry>> {
        let cached = match self.trees.entry(tree) {
            Entry::Vacant(first) => {
                first.insert(None);
                return self.repo.entry(tree, name);
            }
            Entry::Occupied(cached) => cached.into_mut(),
        };
        let entries = match cached {
            Some(entries) => entries,
            None => cached.insert(self.repo.entries(Some(tree))?.into_iter().collect()),
        };
        Ok(entries.get(name).copied())
    }
}

/// Number of differences whose contents one thread reads at a time.
const DIFFERENCES_PER_THREAD: usize = 64;

/// A differing file: its path from the root of the work tree, and the old and new entries.
pub(super) type Difference = (BString, Option<GitTreeEntry>, Option<GitTreeEntry>);

impl Repo {
    pub(super) fn tree_of(&self, commit: ObjectId) -> Result<ObjectId> {
        let commit = self.inner.find_commit(commit).doing("reading a commit", self.git_dir())?;
        Ok(commit.tree_id().doing("reading a commit", self.git_dir())?.detach())
    }

    /// Looks up a path in a tree. Reuses the entries of `cached` from the first equal one on, which
    /// avoids reading most trees when one path is looked up in many consecutive commits.
    pub(super) fn trail(
        &self,
        root: Option<ObjectId>,
        place: &BStr,
        cached: Option<&TreePath>,
    ) -> Result<TreePath> {
        trail(root, place, cached, |tree, name| self.entry(tree, name))
    }

    fn entry(&self, tree: ObjectId, name: &BStr) -> Result<Option<GitTreeEntry>> {
        let tree = self.inner.find_tree(tree).doing("reading a tree", self.git_dir())?;
        for entry in tree.iter() {
            let entry = entry.doing("reading a tree", self.git_dir())?;
            if entry.filename() == name {
                return Ok(Some(GitTreeEntry { id: entry.oid().to_owned(), mode: entry.mode() }));
            }
        }
        Ok(None)
    }

    /// Returns the tree of the vault's folder in a commit.
    pub(super) fn vault_tree(&self, commit: ObjectId) -> Result<Option<ObjectId>> {
        let root = self.tree_of(commit)?;
        let folder = self.prefix.trim_end_matches('/');
        if folder.is_empty() {
            return Ok(Some(root));
        }
        let leaf = self.trail(Some(root), folder.into(), None)?.leaf();
        Ok(leaf.filter(|leaf| leaf.mode.is_tree()).map(|leaf| leaf.id))
    }

    /// Returns the files of the vault that differ between two commits. `None` is the empty state
    /// before the first commit.
    pub(super) fn differences(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<Vec<Difference>> {
        let tree = |commit: Option<ObjectId>| Ok(commit.map(|id| self.vault_tree(id)).transpose()?.flatten());
        let mut out = Vec::new();
        self.compare(tree(old)?, tree(new)?, &self.prefix.clone().into(), &mut out)?;
        Ok(out)
    }

    /// Appends the differing non-tree entries of two trees, sorted by path.
    pub(super) fn compare(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        prefix: &BString,
        out: &mut Vec<Difference>,
    ) -> Result<()> {
        if old == new {
            return Ok(());
        }
        let mut names: BTreeMap<BString, (Option<GitTreeEntry>, Option<GitTreeEntry>)> = BTreeMap::new();
        for (name, leaf) in self.entries(old)? {
            names.entry(name).or_default().0 = Some(leaf);
        }
        for (name, leaf) in self.entries(new)? {
            names.entry(name).or_default().1 = Some(leaf);
        }
        let file = |leaf: &GitTreeEntry| !leaf.mode.is_tree();
        let tree = |leaf: Option<GitTreeEntry>| leaf.filter(|leaf| leaf.mode.is_tree()).map(|leaf| leaf.id);
        for (name, (old, new)) in names {
            if old == new {
                continue;
            }
            let mut place = prefix.clone();
            place.extend_from_slice(&name);
            let (old_file, new_file) = (old.filter(file), new.filter(file));
            if old_file.is_some() || new_file.is_some() {
                out.push((place.clone(), old_file, new_file));
            }
            place.push(b'/');
            self.compare(tree(old), tree(new), &place, out)?;
        }
        Ok(())
    }

    /// Returns the entries of a tree; empty for `None`.
    pub(super) fn entries(&self, tree: Option<ObjectId>) -> Result<Vec<(BString, GitTreeEntry)>> {
        let Some(tree) = tree else { return Ok(Vec::new()) };
        let tree = self.inner.find_tree(tree).doing("reading a tree", self.git_dir())?;
        let entries = tree.iter().map(|entry| {
            let entry = entry.doing("reading a tree", self.git_dir())?;
            Ok((entry.filename().to_owned(), GitTreeEntry { id: entry.oid().to_owned(), mode: entry.mode() }))
        });
        entries.collect()
    }

    /// Adds the contents to the differences, and omits entries that are not files of the vault.
    pub(super) fn with_bytes(&self, differences: &[Difference]) -> Result<Vec<TreeChange>> {
        if differences.len() <= DIFFERENCES_PER_THREAD {
            return self.read_differences(differences);
        }
        let parts = differences.par_chunks(DIFFERENCES_PER_THREAD);
        let parts = parts.map_with(self.clone(), |repo, part| repo.read_differences(part));
        Ok(parts.collect::<Result<Vec<_>>>()?.concat())
    }

    fn read_differences(&self, differences: &[Difference]) -> Result<Vec<TreeChange>> {
        let mut blobs = Blobs::new(self)?;
        let mut changes = Vec::with_capacity(differences.len());
        for (place, old, new) in differences {
            let (old, new) = (old.filter(GitTreeEntry::is_file), new.filter(GitTreeEntry::is_file));
            let Some(path) = self.note_path(place).filter(|_| old.is_some() || new.is_some()) else {
                continue;
            };
            let mut read =
                |leaf: Option<GitTreeEntry>| leaf.map(|leaf| blobs.read(place.as_ref(), leaf.id)).transpose();
            let executable = new.is_some_and(|leaf| leaf.mode.is_executable());
            let (old, new) = (read(old)?, read(new)?);
            changes.push(TreeChange { path, old, new, executable });
        }
        Ok(changes)
    }

    /// Returns the files of the vault that differ between two commits. `None` is the empty state
    /// before the first commit.
    pub fn changed_between(&self, old: Option<CommitId>, new: CommitId) -> Result<Vec<TreeChange>> {
        self.with_bytes(&self.differences(old.map(|old| old.0), Some(new.0))?)
    }

    /// Returns the paths in the vault that differ between two commits. `None` is the empty state
    /// before the first commit.
    pub fn paths_between(&self, old: Option<CommitId>, new: Option<CommitId>) -> Result<Vec<NotePath>> {
        let differences = self.differences(old.map(|id| id.0), new.map(|id| id.0))?;
        Ok(differences.into_iter().filter_map(|(place, ..)| self.note_path(&place)).collect())
    }

    /// Returns the files of the vault that one of two commits has and the other has not: added ones
    /// with `true`, removed ones with `false`. `None` is the empty state before the first commit.
    pub fn files_between(&self, old: Option<CommitId>, new: CommitId) -> Result<Vec<(NotePath, bool)>> {
        let is_file = |leaf: Option<GitTreeEntry>| leaf.is_some_and(|leaf| leaf.is_file());
        let differences = self.differences(old.map(|id| id.0), Some(new.0))?.into_iter();
        let moved = differences.filter(|(_, old, new)| is_file(*old) != is_file(*new));
        Ok(moved.filter_map(|(place, _, new)| Some((self.note_path(&place)?, is_file(new)))).collect())
    }

    /// Returns a file of the vault at a commit, or `None` if it does not exist there.
    pub fn read_at(&self, commit: CommitId, path: &NotePath) -> Result<Option<Vec<u8>>> {
        let place = self.place(path);
        let trail = self.trail(Some(self.tree_of(commit.0)?), place.as_ref(), None)?;
        let Some(leaf) = trail.file() else { return Ok(None) };
        Blobs::new(self)?.read(place.as_ref(), leaf.id).map(Some)
    }

    /// Whether a commit contains the file.
    pub fn has_at(&self, commit: CommitId, path: &NotePath) -> Result<bool> {
        let trail = self.trail(Some(self.tree_of(commit.0)?), self.place(path).as_ref(), None)?;
        Ok(trail.file().is_some())
    }

    /// Returns all files of the vault in a commit, with their blob ids.
    pub fn list_at(&self, commit: CommitId) -> Result<Vec<(NotePath, String)>> {
        let mut all = Vec::new();
        self.compare(None, self.vault_tree(commit.0)?, &self.prefix.clone().into(), &mut all)?;
        let files = all.into_iter().filter_map(|(place, _, new)| {
            let leaf = new.filter(GitTreeEntry::is_file)?;
            Some((self.note_path(&place)?, leaf.id.to_string()))
        });
        Ok(files.collect())
    }
}
