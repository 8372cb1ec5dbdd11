//! The folders of the project that a vault lies in: its work tree, the linked ones, and those that the person names.

use std::path::{Path, PathBuf};

use super::allowed::{is_below, project};
use crate::memory::{Memory, OpenVault};
use cm_store::git::{Repo, named_git_dir};
use cm_store::vault::layout;

/// The folders whose sessions belong to a project.
#[derive(Debug, Clone, Default)]
pub struct ProjectFolders {
    /// The work trees of the project. What lies below one counts, unless it is a project of its own.
    trees: Vec<PathBuf>,
    /// The home folder where the vault lies right in it: all that lies below is of other projects.
    exact: Option<PathBuf>,
    /// The folder that the work trees share in git.
    common: Option<PathBuf>,
    /// The vault.
    vault: PathBuf,
    /// Folders that the person names; all that lies below one counts.
    named: Vec<String>,
}

impl ProjectFolders {
    /// Those of the project that a vault lies in, and the ones that the person names.
    pub fn of(memory: &Memory, open: &OpenVault, named: Vec<String>) -> Self {
        let folder = project(open);
        // A vault that is a repository of its own may lie inside the project's.
        let repo = Repo::discover(folder).ok().flatten();
        let home = memory.call.home.as_deref();
        let spans_home = |path: &Path| home.is_some_and(|home| is_within(home, path));
        let repo = repo.filter(|repo| !spans_home(repo.workdir()));
        let mut trees = vec![folder.to_owned()];
        trees.extend(folder.canonicalize());
        trees.extend(repo.iter().flat_map(Repo::worktrees));
        trees.sort();
        trees.dedup();
        let (exact, trees) = match spans_home(folder) {
            true => (Some(folder.to_owned()), Vec::new()),
            false => (None, trees),
        };
        let common = repo.map(|repo| repo.common_dir());
        Self { trees, exact, common, vault: open.vault.root().to_owned(), named }
    }

    /// The folders that the person names, and no project.
    pub fn named(named: Vec<String>) -> Self {
        Self { named, ..Self::default() }
    }

    /// All folders, as they are written down and shown.
    pub fn list(&self) -> Vec<String> {
        let trees = self.trees.iter().chain(&self.exact).map(|tree| tree.to_string_lossy().into_owned());
        let mut list: Vec<String> = trees.collect();
        list.extend(self.named.iter().filter(|named| !list.contains(named)).cloned().collect::<Vec<_>>());
        list
    }

    /// Whether a session that was held in this folder belongs to the project.
    pub fn holds(&self, workspace: &str) -> bool {
        if self.named.iter().any(|named| is_below(workspace, named)) {
            return true;
        }
        let path = Path::new(workspace);
        let tree =
            self.trees.iter().filter(|tree| path.starts_with(tree)).max_by_key(|tree| tree.as_os_str().len());
        match tree {
            Some(tree) => !self.is_other_project(path, tree),
            None => self.exact.as_deref() == Some(path),
        }
    }

    /// Whether a repository or vault of its own lies between a folder and the work tree above it.
    fn is_other_project(&self, folder: &Path, tree: &Path) -> bool {
        let between = folder.ancestors().take_while(|folder| *folder != tree);
        between.into_iter().any(|folder| self.is_other_repository(folder) || self.is_other_vault(folder))
    }

    /// A submodule and a linked work tree keep their git folder in the project's.
    fn is_other_repository(&self, folder: &Path) -> bool {
        if !folder.join(".git").exists() {
            return false;
        }
        let own = named_git_dir(folder).zip(self.common.as_ref());
        !own.is_some_and(|(named, common)| named.starts_with(common))
    }

    fn is_other_vault(&self, folder: &Path) -> bool {
        let inner = folder.join(".memory");
        let is_vault = |path: &Path| path.join(layout::SETTINGS).is_file() && *path != self.vault;
        is_vault(folder) || is_vault(&inner)
    }
}

/// Whether a path is this folder, or lies below it.
fn is_within(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(path).starts_with(real(folder))
}
