//! Compares a branch with another history: common ancestors, commits of one side only, and the
//! references that record what was seen of a remote.

use std::collections::HashSet;
use std::path::Path;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};

use crate::git::error::{Doing, Error, InPath, Result};
use crate::git::repo::{CommitId, Repo};

/// Paths that differ between two commits and that are no regular files of the vault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForeignPaths {
    /// Paths outside the vault's folder.
    pub outside: Vec<String>,
    /// Symbolic links and submodules in the vault.
    pub special: Vec<String>,
}

impl Repo {
    /// Returns the commit of a reference such as `refs/remotes/origin/main`.
    pub fn reference(&self, name: &str) -> Result<Option<CommitId>> {
        let found = self.inner.try_find_reference(name).doing("reading a reference", self.git_dir())?;
        let Some(mut found) = found else { return Ok(None) };
        let id = found.peel_to_id().doing("reading a reference", self.git_dir())?;
        Ok(Some(CommitId(id.detach())))
    }

    /// Sets a reference, whatever it was before. Git sets it: it locks that reference alone, and goes on
    /// if this process is killed, so that no lock is left.
    ///
    /// # Errors
    /// [`Error::Program`].
    pub fn set_reference(&self, name: &str, commit: CommitId) -> Result<()> {
        if self.reference(name)? == Some(commit) {
            return Ok(());
        }
        self.update_reference(name, &["-m", "cm sync", "--", name, &commit.to_string()])
    }

    /// Removes a reference, if it exists.
    ///
    /// # Errors
    /// [`Error::Program`].
    pub(super) fn remove_reference(&self, name: &str) -> Result<()> {
        self.update_reference(name, &["-d", "--", name])
    }

    fn update_reference(&self, name: &str, arguments: &[&str]) -> Result<()> {
        let mut command = self.git_without_hooks();
        command.arg("update-ref").args(arguments);
        let ended = command.output().in_path(Path::new("git"))?;
        if ended.status.success() {
            return Ok(());
        }
        Err(Error::Program {
            command: format!("git update-ref {name}"),
            status: ended.status.to_string(),
            output: String::from_utf8_lossy(&ended.stderr).trim().to_owned(),
        })
    }

    /// Returns the best common ancestors of two commits, oldest first. There is none if the histories
    /// are unrelated, and more than one if both sides have merged each other before.
    pub fn merge_bases(&self, one: CommitId, other: CommitId) -> Result<Vec<CommitId>> {
        let found = self.inner.merge_bases_many(one.0, &[other.0]);
        let found = found.doing("looking for the common ancestor", self.git_dir())?;
        let dated = found.into_iter().map(|id| Ok((self.info(id.detach())?.time, id.detach())));
        let mut dated = dated.collect::<Result<Vec<_>>>()?;
        dated.sort();
        Ok(dated.into_iter().map(|(_, id)| CommitId(id)).collect())
    }

    /// Whether `older` is the same commit as `newer` or one of its ancestors.
    pub fn contains(&self, newer: CommitId, older: CommitId) -> Result<bool> {
        if newer == older || self.merge_bases(newer, older)? == [older] {
            return Ok(true);
        }
        // The search for common ancestors trusts the clocks of those who committed; this one does not.
        let is_shallow = self.is_shallow();
        let (mut seen, mut next) = (HashSet::from([newer.0]), vec![newer.0]);
        while let Some(id) = next.pop() {
            for parent in self.links(id, is_shallow)?.parents {
                if parent == older.0 {
                    return Ok(true);
                }
                if seen.insert(parent) {
                    next.push(parent);
                }
            }
        }
        Ok(false)
    }

    /// Returns the number of commits reachable from `tip` and not from `hidden`.
    pub fn count_commits(&self, tip: CommitId, hidden: Option<CommitId>) -> Result<usize> {
        let mut count = 0;
        for id in self.walk(tip.0, hidden.map(|hidden| hidden.0), None)? {
            id?;
            count += 1;
        }
        Ok(count)
    }

    /// Returns the paths that differ between two commits and cannot be merged as files of the vault.
    pub fn foreign_paths(&self, old: Option<CommitId>, new: CommitId) -> Result<ForeignPaths> {
        let mut found = ForeignPaths::default();
        let root = |commit: ObjectId| self.tree_of(commit);
        let old = old.map(|commit| root(commit.0)).transpose()?;
        let mut all = Vec::new();
        self.compare(old, Some(root(new.0)?), &BString::default(), &mut all)?;
        for (place, old, new) in all {
            let name = place.to_str_lossy().into_owned();
            let is_special = [old, new].into_iter().flatten().any(|leaf| !leaf.is_file());
            match self.note_path(&place) {
                None => found.outside.push(name),
                Some(_) if is_special => found.special.push(name),
                Some(_) => {}
            }
        }
        Ok(found)
    }
}
