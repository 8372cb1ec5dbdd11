//! Tells which files Git leaves out of the work tree: those outside of a sparse checkout, and those that a person hid
//! with `git update-index --skip-worktree`.

use std::collections::HashSet;

use gix::bstr::ByteSlice;
use gix::index::Entry;
use gix::index::entry::Flags;

use crate::git::error::Result;
use crate::git::repo::Repo;
use crate::git::staging::Staging;
use cm_note::path::NotePath;

impl Repo {
    /// Whether a person hid the changes of this file from Git, with `git update-index`.
    pub fn is_hidden(&self, path: &NotePath) -> Result<bool> {
        let staging = Staging::open(self)?;
        let entry = staging.index().entry_by_path(self.place(path).as_bstr());
        Ok(entry.is_some_and(|entry| entry.flags.intersects(Flags::SKIP_WORKTREE | Flags::ASSUME_VALID)))
    }

    /// Returns those of the paths whose file Git does not expect in the work tree. Whether there is one all the same is
    /// not examined. In a sparse checkout, a new file belongs to them if all files of its folder do.
    pub fn left_out<'p>(&self, paths: impl Iterator<Item = &'p NotePath>) -> Result<HashSet<NotePath>> {
        let staging = Staging::open(self)?;
        let index = staging.index();
        let is_left_out =
            |entry: &Entry| entry.flags.contains(Flags::SKIP_WORKTREE) || entry.mode.is_sparse();
        if !index.entries().iter().any(is_left_out) {
            return Ok(HashSet::new());
        }
        let is_sparse = self.inner.config_snapshot().boolean("core.sparseCheckout").unwrap_or(false);
        let found = paths.filter(|path| {
            let place = self.place(path);
            if let Some(entry) = index.entry_by_path(place.as_bstr()) {
                return is_left_out(entry);
            }
            let folders = place.rfind_iter(b"/").map(|at| place[..=at].as_bstr());
            let mut filled =
                folders.filter_map(|folder| index.prefixed_entries(folder).filter(|all| !all.is_empty()));
            is_sparse && filled.next().is_some_and(|all| all.iter().all(is_left_out))
        });
        Ok(found.cloned().collect())
    }
}
