//! Read access to the files of the project that a vault serves, with Git's ignore rules.
//!
//! Links are not followed, and the vault's own files are excluded, so that a rule is not found in
//! the note that defines it.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::error::Error;
use super::layout::{CORE, REFLECTION, Vault};

/// Maximum size in bytes of a file to read.
const MAX_FILE_BYTES: u64 = 1_000_000;
/// Number of bytes that are searched for NUL, which marks a binary file.
const BINARY_CHECK_BYTES: usize = 8192;
/// Vault files and folders to exclude if the vault's root is the workspace itself.
const OWN: [&str; 12] = [
    "graph",
    "vault",
    "playbook",
    "blocked",
    "episodes",
    "diary",
    "stash",
    "_index",
    "_state",
    "_embeddings",
    CORE,
    REFLECTION,
];

/// The folder of a project, without the files of the vaults in it.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: PathBuf,
    leave_out: Vec<PathBuf>,
}

/// A file of the workspace.
#[derive(Debug, Clone)]
pub struct File {
    /// Path relative to the workspace, with `/` as separator.
    pub path: String,
    file: PathBuf,
    size: u64,
}

impl File {
    /// Returns the text, with invalid UTF-8 replaced. `None` if the file is too large, binary or
    /// unreadable.
    pub fn text(&self) -> Option<String> {
        if self.size > MAX_FILE_BYTES {
            return None;
        }
        let bytes = fs::read(&self.file).ok()?;
        let is_text = !bytes[..bytes.len().min(BINARY_CHECK_BYTES)].contains(&0);
        is_text.then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Workspace {
    /// Opens a folder as the workspace, excluding the files of these vaults.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the folder cannot be read.
    pub fn open(root: &Path, vaults: &[&Vault]) -> Result<Self, Error> {
        let root = root.canonicalize().map_err(Error::io("open", root))?;
        fs::read_dir(&root).map_err(Error::io("read", &root))?;
        let own = vaults.iter().flat_map(|vault| match vault.root() == root {
            true => OWN.iter().map(|name| root.join(name)).collect(),
            false => vec![vault.root().to_owned()],
        });
        Ok(Self { leave_out: own.collect(), root })
    }

    /// Returns the nearest repository root at or above the folder, or the folder itself if there is
    /// none.
    pub fn root_of(folder: &Path) -> &Path {
        folder.ancestors().find(|above| above.join(".git").exists()).unwrap_or(folder)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Iterates over the files by path. Hidden files are included; files ignored by `.gitignore`
    /// and `.git` are not.
    pub fn files(&self) -> impl Iterator<Item = File> + '_ {
        let leave_out = self.leave_out.clone();
        let walk = WalkBuilder::new(&self.root)
            .hidden(false)
            .require_git(false)
            .git_global(false)
            .sort_by_file_path(Path::cmp)
            .filter_entry(move |entry| {
                entry.file_name() != ".git" && !leave_out.iter().any(|left| left == entry.path())
            })
            .build();
        walk.filter_map(|entry| {
            let entry = entry.ok().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))?;
            let inner = entry.path().strip_prefix(&self.root).ok()?.to_str()?;
            let path = inner.replace(std::path::MAIN_SEPARATOR, "/");
            let size = entry.metadata().ok()?.len();
            Some(File { path, size, file: entry.into_path() })
        })
    }

    /// Whether something exists at a relative path, ignored or not. Links out of the workspace do
    /// not count.
    pub fn holds(&self, path: &str) -> bool {
        self.root.join(path).canonicalize().is_ok_and(|real| real.starts_with(&self.root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(files: &[(&str, &[u8])], vault: &str) -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        }
        fs::create_dir_all(folder.path().join(vault)).unwrap();
        let vault = Vault::at(&folder.path().join(vault)).unwrap();
        let workspace = Workspace::open(folder.path(), &[&vault]).unwrap();
        (folder, workspace)
    }

    fn paths(workspace: &Workspace) -> Vec<String> {
        workspace.files().map(|file| file.path).collect()
    }

    #[test]
    fn files_are_those_that_git_would_see_without_the_vault() {
        let (_folder, workspace) = workspace(
            &[
                (".gitignore", b"target/\n*.log\n"),
                (".github/ci.yml", b"on: push\n"),
                (".git/config", b""),
                (".memory/playbook/a/b.md", b"a rule"),
                ("src/main.rs", b"fn main() {}\n"),
                ("target/x.rs", b""),
                ("a.log", b""),
            ],
            ".memory",
        );
        assert_eq!(paths(&workspace), [".github/ci.yml", ".gitignore", "src/main.rs"]);
        assert!(workspace.holds("a.log") && !workspace.holds("b.log"));
    }

    #[test]
    fn of_a_vault_that_is_the_workspace_only_its_own_folders_are_left_out() {
        let (_folder, workspace) =
            workspace(&[("playbook/a/b.md", b"x"), ("src/a.rs", b"x"), ("cm.toml", b"")], ".");
        assert_eq!(paths(&workspace), ["cm.toml", "src/a.rs"]);
    }

    #[test]
    fn what_is_large_or_no_text_has_none() {
        let large = vec![b'x'; 1_000_001];
        let (_folder, workspace) =
            workspace(&[("a", b"text \xff"), ("b", b"\x7fELF\0\0"), ("c", &large)], "v");
        let texts: Vec<_> = workspace.files().map(|file| file.text()).collect();
        assert_eq!(texts, [Some("text \u{fffd}".to_owned()), None, None]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_nowhere() {
        let (folder, workspace) = workspace(&[("a/x", b"x")], "v");
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("a/out")).unwrap();
        std::os::unix::fs::symlink("/", folder.path().join("root")).unwrap();
        assert_eq!(paths(&workspace), ["a/x"]);
        assert!(!workspace.holds("a/out") && !workspace.holds("root/etc"));
    }

    #[test]
    fn the_root_of_a_repository_is_found_from_below() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(Workspace::root_of(&deep), deep);
        fs::create_dir(folder.path().join("a/.git")).unwrap();
        assert_eq!(Workspace::root_of(&deep), folder.path().join("a"));
    }
}
