//! A vault at a past commit.
//!
//! Nothing is checked out, and a past state is read-only. Its index is stored in `_index/past/`,
//! where only the most recently used ones are retained. Usage counts are not versioned and do not
//! apply.

use crate::error::Result;
use cm_index::Index;
use cm_note::listing::{LinkTarget, VaultListing};
use cm_note::path::NotePath;
use cm_store::git;
use cm_store::git::CommitInfo;
use cm_store::vault::walk;
use std::cell::OnceCell;
use std::io;
use std::path::{Component, Path};

/// Number of indexes of past commits that are kept on disk.
const MAX_STORED_INDEXES: usize = 3;

/// The files of a vault at a past commit, with their own index.
pub struct Snapshot {
    git: git::VaultSnapshot,
    stored: Index,
    passing: OnceCell<Index>,
}

impl Snapshot {
    /// `basis` has what the index depends on besides the commit: how its notes are read.
    pub(super) fn of(git: git::VaultSnapshot, index: &Path, basis: &str) -> Self {
        let name = format!("{}-{}", git.commit().id, &blake3::hash(basis.as_bytes()).to_hex()[..8]);
        Self { git, stored: Index::open(&index.join("past").join(name)), passing: OnceCell::new() }
    }

    /// Returns the index of the notes at that commit.
    pub(crate) fn index(&self) -> &Index {
        self.passing.get().unwrap_or(&self.stored)
    }

    /// Whether the index is stored on disk for reuse, rather than temporary.
    pub(crate) fn is_kept(&self) -> bool {
        self.passing.get().is_none()
    }

    /// Uses a temporary index because the stored one failed with `error`; returns `error` if that
    /// fails too.
    pub(crate) fn use_temporary_index(&self, error: cm_index::Error) -> Result<()> {
        let Ok(passing) = Index::temporary() else { return Err(error.into()) };
        self.passing.get_or_init(|| passing);
        Ok(())
    }

    /// Marks the index as in use, so that other processes do not delete it, and deletes old past
    /// indexes.
    pub(crate) fn hold(&self) {
        self.index().retain_recent(MAX_STORED_INDEXES);
    }

    /// Returns id, time and message of the commit.
    pub(crate) fn commit(&self) -> &CommitInfo {
        self.git.commit()
    }

    pub(crate) fn walk(&self, exclude: &[String]) -> VaultListing {
        let entries = |folder: &str| self.git.entries(folder).map_err(io::Error::other);
        let target = |link: &str| self.git.target(link).unwrap_or(LinkTarget::Nowhere);
        walk::walk_recorded(&walk::CommitTree { entries: &entries, target: &target }, exclude)
    }

    pub(crate) fn read(&self, path: &NotePath) -> io::Result<Vec<u8>> {
        self.git.read(path)
    }

    /// Resolves a typed path to a file that existed at the commit.
    pub(crate) fn locate(&self, root: &Path, cwd: &Path, typed: &str) -> Option<NotePath> {
        let from_cwd = within(root, &cwd.join(typed));
        from_cwd.into_iter().chain(NotePath::parse(typed).ok()).find(|path| self.git.holds(path))
    }
}

/// Converts a path to a path in the vault without file system access, because folders of the past
/// may not exist.
fn within(root: &Path, typed: &Path) -> Option<NotePath> {
    let mut parts: Vec<&str> = Vec::new();
    for part in typed.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::ParentDir => drop(parts.pop()?),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    let whole = format!("/{}", parts.join("/"));
    let inner = Path::new(&whole).strip_prefix(root).ok()?.to_str()?;
    NotePath::parse(inner).ok()
}
