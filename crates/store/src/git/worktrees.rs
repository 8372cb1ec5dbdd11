//! The work trees of a repository: the main one and the linked ones (`git worktree add`).
//!
//! A linked work tree is accepted only if it refers back to this repository. Otherwise an unpacked
//! archive with a forged `.git/worktrees` could claim the folder of another project.

use std::path::{Path, PathBuf};

use super::repo::Repo;

impl Repo {
    /// Returns the canonical paths of the repository's existing work trees, this one first.
    pub fn worktrees(&self) -> Vec<PathBuf> {
        let common =
            self.inner.common_dir().canonicalize().unwrap_or_else(|_| self.inner.common_dir().into());
        let mut found = vec![self.workdir.clone()];
        let main =
            common.parent().filter(|main| main.join(".git").canonicalize().is_ok_and(|git| git == common));
        let linked = self.inner.worktrees().unwrap_or_default();
        let linked = linked.iter().filter_map(|proxy| {
            let base = proxy.base().ok()?;
            points_to(&base, proxy.git_dir()).then_some(base)
        });
        for folder in main.map(Path::to_owned).into_iter().chain(linked) {
            let folder = folder.canonicalize().unwrap_or(folder);
            if !found.contains(&folder) {
                found.push(folder);
            }
        }
        found
    }

    /// Returns the main work tree if this one is a linked one.
    pub fn main_worktree(&self) -> Option<PathBuf> {
        let common = self.common_dir();
        let main = common.parent().filter(|main| main.join(".git").is_dir())?;
        (main != self.workdir && self.worktrees().iter().any(|folder| folder == main))
            .then(|| main.to_owned())
    }

    /// Returns the folder that all work trees of the repository share: `.git` of the main one.
    pub fn common_dir(&self) -> PathBuf {
        self.inner.common_dir().canonicalize().unwrap_or_else(|_| self.inner.common_dir().into())
    }
}

/// Whether the `.git` file of a work tree names this private folder.
fn points_to(worktree: &Path, private: &Path) -> bool {
    named_git_dir(worktree)
        .is_some_and(|git_dir| private.canonicalize().is_ok_and(|private| git_dir == private))
}

/// Returns the canonical path in the `.git` file of a work tree or submodule.
pub fn named_git_dir(worktree: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(worktree.join(".git")).ok()?;
    worktree.join(text.trim().strip_prefix("gitdir:")?.trim()).canonicalize().ok()
}
