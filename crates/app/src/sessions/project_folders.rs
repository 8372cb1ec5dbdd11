//! Folders of the project that contains a vault: its work tree, linked work trees, and folders that
//! the user named.

use std::path::{Path, PathBuf};

use super::session_filter::{is_below, project};
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use cm_store::git::{Repo, named_git_dir};
use cm_store::vault::layout;

/// Folders whose sessions count as sessions of a project.
#[derive(Debug, Clone, Default)]
pub struct ProjectFolders {
    /// Roots of the project's Git work trees. Folders below them belong to the project unless they
    /// contain a project of their own.
    trees: Vec<PathBuf>,
    /// The home folder, if the vault is directly in it. Only sessions in that folder itself count,
    /// because folders below it belong to other projects.
    exact: Option<PathBuf>,
    /// Git directory that the work trees share.
    common: Option<PathBuf>,
    /// Root of the vault.
    vault: PathBuf,
    /// Folders that the user added in the settings; all folders below them count as well.
    names: Vec<String>,
}

impl ProjectFolders {
    /// Returns the folders of the project that contains a vault, plus those that the user named.
    pub fn of(context: &Context, open: &OpenVault, names: Vec<String>) -> Self {
        let folder = project(open);
        // A vault that is a repository of its own may lie inside the project's.
        let repo = Repo::discover(folder).ok().flatten();
        let home = context.request.home.as_deref();
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
        Self { trees, exact, common, vault: open.vault.root().to_owned(), names }
    }

    /// Returns only the folders that the user added.
    pub fn with_names(names: Vec<String>) -> Self {
        Self { names, ..Self::default() }
    }

    /// Returns all folders as text.
    pub fn list(&self) -> Vec<String> {
        let trees = self.trees.iter().chain(&self.exact).map(|tree| tree.to_string_lossy().into_owned());
        let mut list: Vec<String> = trees.collect();
        list.extend(self.names.iter().filter(|name| !list.contains(name)).cloned().collect::<Vec<_>>());
        list
    }

    /// Returns whether a session with this working directory belongs to the project.
    pub fn holds(&self, workspace: &str) -> bool {
        if self.names.iter().any(|name| is_below(workspace, name)) {
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

    /// Returns whether `folder`, or a parent of it below `tree`, is a repository or vault of its
    /// own.
    fn is_other_project(&self, folder: &Path, tree: &Path) -> bool {
        let between = folder.ancestors().take_while(|folder| *folder != tree);
        between.into_iter().any(|folder| self.is_other_repository(folder) || self.is_other_vault(folder))
    }

    /// Returns whether the folder is a repository outside the project; submodules and linked work
    /// trees belong to the project.
    fn is_other_repository(&self, folder: &Path) -> bool {
        if !folder.join(".git").exists() {
            return false;
        }
        let own = named_git_dir(folder).zip(self.common.as_ref());
        !own.is_some_and(|(git_dir, common)| git_dir.starts_with(common))
    }

    fn is_other_vault(&self, folder: &Path) -> bool {
        let inner = folder.join(".memory");
        let is_vault = |path: &Path| path.join(layout::SETTINGS).is_file() && *path != self.vault;
        is_vault(folder) || is_vault(&inner)
    }
}

/// Returns whether `path` is `folder` or below it, after symbolic links are resolved.
fn is_within(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(path).starts_with(real(folder))
}
