//! Compares a branch with another history: common ancestors, commits of one side only, and the
//! references that record what was seen of a remote.

use std::path::Path;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};

use crate::git::error::{Doing, Error, InPath, Result};
use crate::git::repo::{CommitId, Repo};
use crate::git::transport::FETCHED;

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
        Err(Error::program(&format!("git update-ref {name}"), &ended))
    }

    /// Returns the best common ancestors of two commits, oldest first. There is none if the histories
    /// are unrelated, and more than one if both sides have merged each other before.
    pub fn merge_bases(&self, one: CommitId, other: CommitId) -> Result<Vec<CommitId>> {
        let found = self.inner.merge_bases_many(one.0, &[other.0]);
        let found = found.doing("looking for the common ancestor", self.git_dir())?;
        let mut found: Vec<CommitId> = found.into_iter().map(|id| CommitId(id.detach())).collect();
        if found.len() > 1 {
            found = self.merge_bases_by_git(one, other)?;
        }
        let dated = found.into_iter().map(|id| Ok((self.info(id.0)?.time, id.0)));
        let mut dated = dated.collect::<Result<Vec<_>>>()?;
        dated.sort();
        Ok(dated.into_iter().map(|(_, id)| CommitId(id)).collect())
    }

    /// Asks Git for the best common ancestors. Where clocks differ, gix also returns ancestors of better ones
    /// (gix-revision 0.52).
    fn merge_bases_by_git(&self, one: CommitId, other: CommitId) -> Result<Vec<CommitId>> {
        let mut command = self.git_without_hooks();
        command.args(["merge-base", "--all", &one.to_string(), &other.to_string()]);
        let ended = command.output().in_path(Path::new("git"))?;
        let text = String::from_utf8_lossy(&ended.stdout);
        let found: Option<Vec<CommitId>> = text.lines().map(CommitId::parse).collect();
        match found.filter(|_| ended.status.success()) {
            Some(found) => Ok(found),
            None => Err(Error::program("git merge-base", &ended)),
        }
    }

    /// Whether `older` is the same commit as `newer` or one of its ancestors.
    pub fn contains(&self, newer: CommitId, older: CommitId) -> Result<bool> {
        Ok(newer == older || self.merge_bases(newer, older)? == [older])
    }

    /// Returns the number of commits reachable from `tip` and not from `hidden`. Where the clocks of those
    /// who committed differ it may be too large, but it is 0 exactly if there is none.
    pub fn count_commits(&self, tip: CommitId, hidden: Option<CommitId>) -> Result<usize> {
        let mut count = 0;
        for id in self.walk(tip.0, hidden.map(|hidden| hidden.0), None)? {
            id?;
            count += 1;
        }
        Ok(count)
    }

    /// Whether a commit has a common ancestor with one of `tips` or with a branch that was fetched from the remote. Commits
    /// that are not in this clone are passed over.
    pub fn is_related(&self, commit: CommitId, remote: &str, tips: &[CommitId]) -> Result<bool> {
        const DOING: &str = "reading the branches";
        let references = self.inner.references().doing(DOING, self.git_dir())?;
        let mut tips: Vec<ObjectId> = tips.iter().map(|tip| tip.0).collect();
        for prefix in [format!("refs/remotes/{remote}/"), format!("{FETCHED}/{remote}/")] {
            let prefixed = references.prefixed(prefix.as_str()).doing(DOING, self.git_dir())?;
            tips.extend(prefixed.filter_map(|found| found.ok()?.peel_to_id().ok().map(gix::Id::detach)));
        }
        for tip in tips.into_iter().filter(|tip| self.inner.has_object(tip)) {
            if !self.merge_bases(commit, CommitId(tip))?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the number of commits of a detached HEAD that no branch, remote branch or tag has; 0 on a branch,
    /// in the middle of a rebase or the like, and with Jujutsu, which records its commits by itself.
    pub fn count_unreferenced_commits(&self) -> Result<usize> {
        const DOING: &str = "reading the branches";
        let head = self.head()?;
        let (None, Some(tip), false) = (head.branch, head.commit, self.is_jujutsu()) else { return Ok(0) };
        if self.state().is_some() {
            return Ok(0);
        }
        let references = self.inner.references().doing(DOING, self.git_dir())?;
        let local = references.local_branches().doing(DOING, self.git_dir())?;
        let remote = references.remote_branches().doing(DOING, self.git_dir())?;
        let tags = references.tags().doing(DOING, self.git_dir())?;
        let mut tips = Vec::new();
        for found in local.chain(remote).chain(tags) {
            let mut found = found.map_err(std::io::Error::other).in_path(self.git_dir())?;
            // A tag of a blob hides nothing.
            tips.extend(found.peel_to_id().ok().map(gix::Id::detach));
        }
        let walk = self.inner.rev_walk([tip.0]).with_hidden(tips).all();
        Ok(walk.doing("walking the history", self.git_dir())?.filter(|found| found.is_ok()).count())
    }

    /// Whether a merge that cm did not make is reachable from `tip` and not from `hidden`.
    pub fn has_merge_by_hand(&self, tip: CommitId, hidden: CommitId) -> Result<bool> {
        for id in self.walk(tip.0, Some(hidden.0), None)? {
            let info = self.info(id?)?;
            if info.parents.len() > 1 && info.message.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
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
