//! Data for undoing a commit: the files before it, and the later commits that changed them.

use crate::git::error::Result;
use crate::git::history::CommitInfo;
use crate::git::repo::{CommitId, Repo};
use crate::git::trees::TreeChange;
use cm_note::path::NotePath;

impl Repo {
    /// Returns the changes of a commit relative to its first parent. An undo restores `old`, and is
    /// clean if the current content equals `new`.
    pub fn inverse(&self, commit: CommitId) -> Result<Vec<TreeChange>> {
        let parent = self.info(commit.0)?.parents.first().map(|parent| parent.0);
        self.with_bytes(&self.differences(parent, Some(commit.0))?)
    }

    /// Returns the commits after this one that change one of these paths, newest first.
    pub fn later_touching(&self, commit: CommitId, paths: &[NotePath]) -> Result<Vec<CommitInfo>> {
        let mut later = Vec::new();
        let Some(head) = self.head_id()? else { return Ok(later) };
        for id in self.walk(head, Some(commit.0), None)? {
            let info = self.info(id?)?;
            if self.touches(&info, paths)? {
                later.push(info);
            }
        }
        Ok(later)
    }

    /// Whether one of the paths differs from every parent.
    fn touches(&self, commit: &CommitInfo, paths: &[NotePath]) -> Result<bool> {
        let root = Some(self.tree_of(commit.id.0)?);
        let mut parents = Vec::with_capacity(commit.parents.len());
        for parent in &commit.parents {
            parents.push(Some(self.tree_of(parent.0)?));
        }
        if parents.contains(&root) {
            return Ok(false);
        }
        for path in paths {
            let place = self.place(path);
            let trail = self.trail(root, place.as_ref(), None)?;
            let mut same = parents.is_empty() && trail.leaf().is_none();
            for parent in &parents {
                same |= self.trail(*parent, place.as_ref(), Some(&trail))?.leaf() == trail.leaf();
            }
            if !same {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
