//! Files of a vault with their metadata, as found by a directory walk, and the entries of a folder
//! in a commit.

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::path::NotePath;

/// Metadata of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStat {
    pub path: NotePath,
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Time of the last change of content or metadata (ctime) in nanoseconds since 1970; 0 if the
    /// platform has none.
    pub ctime_ns: i64,
    /// Inode number; 0 if the platform has none.
    pub inode: u64,
}

/// All notes of a vault, and the problems found during the walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VaultListing {
    /// Files, sorted by the bytes of their paths.
    pub files: Vec<FileStat>,
    /// Unreadable folders, links that lead out of the vault, names that are not UTF-8.
    pub findings: Vec<Finding>,
    /// Number of symbolic links in the walked folders; their targets can change outside of them.
    pub links: usize,
}

/// An entry of a folder in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// Name, which may not be UTF-8.
    pub name: Vec<u8>,
    pub kind: TreeEntryKind,
    /// Fingerprint of the content, equal for equal content. Reveals changes, as the metadata of a
    /// file on disk does.
    pub fingerprint: u64,
}

/// Kind of a folder entry in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeEntryKind {
    File,
    Folder,
    Link,
}

/// Target of a symbolic link in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// The target does not exist, or the links form a loop.
    Nowhere,
    /// The target is outside the vault.
    Outside,
    /// A folder of the vault.
    Folder,
    /// A file of the vault.
    File {
        /// Path of the file.
        path: String,
        /// Fingerprint of the file's content, as in [`TreeEntry::fingerprint`].
        mark: u64,
    },
}
