//! Merges one file for Git: `cm merge-driver %O %A %B %P`.
//!
//! Opens no vault: Git runs it for each file in the middle of a merge, when the vault's own files
//! may be half merged. No index, no lock, no commit.
#![allow(
    clippy::disallowed_methods,
    reason = "the files are Git's own temporary ones, outside of every vault"
)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::context::open::Context;
use crate::context::request::Request;
use crate::context::scoring::scoring;
use crate::error::{Error, ErrorKind, Result};
use cm_merge::{Clash, Versions, Vocabulary, merge_file};
use cm_note::path::NotePath;
use cm_store::config::{SettingOrigin, Settings, SettingsLayer};
use cm_store::git::{MergeDriver, Repo};
use cm_store::vault::layout;

/// The files of a merge, as Git names them.
#[derive(Debug, Clone)]
pub struct Options {
    /// The common ancestor (`%O`); empty if both sides added the file.
    pub base: PathBuf,
    /// Our version (`%A`).
    pub ours: PathBuf,
    /// File for the result, whose markers then include the base; by default it replaces our version.
    pub output: Option<PathBuf>,
    /// Their version (`%B`).
    pub theirs: PathBuf,
    /// Path of the file from the root of the work tree (`%P`).
    pub path: String,
}

/// Merges three files and writes the result. Returns whether conflict markers are left.
///
/// # Errors
/// A file cannot be read or written, or the path leads out of the work tree.
pub fn merge(request: &Request, options: &Options) -> Result<bool> {
    let (root, path) = vault_of(worktree_around(&request.cwd), &options.path)?;
    let settings = settings(root.as_deref());
    let scoring = scoring(&settings);
    let vocabulary = Vocabulary { types: &settings.types, relations: &settings.relations, scoring: &scoring };
    let [base, ours, theirs] =
        [&options.base, &options.ours, &options.theirs].map(|file| read(&request.cwd.join(file)));
    let (base, ours, theirs) = (base?, ours?, theirs?);
    let versions = Versions {
        base: Some(base.as_slice()).filter(|base| !base.is_empty()),
        ours: &ours,
        theirs: &theirs,
    };
    let clash = if options.output.is_some() { Clash::MarkersWithBase } else { Clash::Markers };
    let merged = merge_file(&path, &versions, &vocabulary, clash);
    let file = request.cwd.join(options.output.as_ref().unwrap_or(&options.ours));
    fs::write(&file, &merged.bytes).map_err(|error| failed(&file, &error))?;
    Ok(merged.markers)
}

/// Returns the work tree around a folder. Git runs the driver at its root, Jujutsu where the user is.
fn worktree_around(folder: &Path) -> &Path {
    let is_worktree = |folder: &&Path| [".git", ".jj"].iter().any(|name| folder.join(name).exists());
    folder.ancestors().find(is_worktree).unwrap_or(folder)
}

/// Returns the root of the vault that contains a file of the work tree, and the file's path in it.
/// Without a vault, the path is that in the work tree.
fn vault_of(worktree: &Path, path: &str) -> Result<(Option<PathBuf>, NotePath)> {
    let whole = NotePath::parse(path)?;
    let folder = whole.folder();
    // From the file upwards: the innermost vault.
    let ends = std::iter::once(folder.len())
        .chain(folder.rmatch_indices('/').map(|(at, _)| at))
        .chain((!folder.is_empty()).then_some(0));
    for end in ends {
        let root = worktree.join(&folder[..end]);
        if root.join(layout::SETTINGS).is_file() {
            let inside = path.get(end..).unwrap_or_default().trim_start_matches('/');
            let inside = NotePath::parse(inside)?;
            return Ok((Some(root), inside));
        }
    }
    Ok((None, whole))
}

/// The tracked settings of a vault; defaults where they cannot be read, as in the middle of a merge.
fn settings(root: Option<&Path>) -> Settings {
    let text = root.and_then(|root| fs::read_to_string(root.join(layout::SETTINGS)).ok()).unwrap_or_default();
    Settings::of(vec![(SettingsLayer::parse_toml(layout::SETTINGS, &text), SettingOrigin::Vault)])
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).map_err(|error| failed(file, &error))
}

fn failed(file: &Path, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Failed, "io", error.to_string()).at(file.display(), None, None)
}

/// Registers this program as the merge driver of a clone, in its own Git configuration, and as a merge
/// tool of Jujutsu if that shares the work tree. Returns whether a configuration changed.
///
/// # Errors
/// A configuration cannot be read or written.
pub fn register(repo: &Repo) -> Result<bool> {
    let program = program()?;
    let changed = repo.register_merge_driver(&program)?;
    Ok(repo.register_jujutsu_merge_tool(&program)? || changed)
}

/// Registers this program as the merge driver in the clone of the vault that a request would write to,
/// if there is one. Failures are left to `cm doctor`.
pub fn register_in_vault(request: Request) {
    if let Ok(context) = Context::open(request)
        && let Ok(Some(repo)) = context.target().repo()
    {
        let _ = register(repo);
    }
}

/// Whether this program is the merge driver of a clone.
///
/// # Errors
/// The configuration cannot be read.
pub fn registration(repo: &Repo) -> Result<MergeDriver> {
    Ok(repo.merge_driver(&program()?)?)
}

/// Whether `jj resolve --tool cm` runs this program; `None` without Jujutsu.
///
/// # Errors
/// The path of this program cannot be found.
pub fn jujutsu_registration(repo: &Repo) -> Result<Option<MergeDriver>> {
    Ok(repo.jujutsu_merge_tool(&program()?))
}

fn program() -> Result<PathBuf> {
    std::env::current_exe().map_err(|error| {
        Error::new(ErrorKind::Failed, "io", format!("cannot find the path of this program: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_vault_around_a_file_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let at =
            |path: &str| vault_of(folder.path(), path).map(|(root, path)| (root, path.to_string())).unwrap();
        assert_eq!(at("docs/graph/facts/a.md"), (None, "docs/graph/facts/a.md".to_owned()));
        fs::create_dir_all(folder.path().join("docs")).unwrap();
        fs::write(folder.path().join("docs/cm.toml"), "").unwrap();
        let inside = (Some(folder.path().join("docs")), "graph/facts/a.md".to_owned());
        assert_eq!(at("docs/graph/facts/a.md"), inside);
        assert_eq!(at("docs/a.md").1, "a.md");
        fs::write(folder.path().join("cm.toml"), "").unwrap();
        assert_eq!(at("graph/facts/a.md"), (Some(folder.path().join("")), "graph/facts/a.md".to_owned()));
        assert_eq!(at("README.md").1, "README.md");
        assert!(vault_of(folder.path(), "../a.md").is_err());
    }
}
