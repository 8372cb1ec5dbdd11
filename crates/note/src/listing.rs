//! What a walk of the vault saw: each file's place and stat, never its content; and what it sees of a folder that
//! lies in a commit instead of on disk.

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::path::NotePath;

/// One file, as the file system describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStat {
    /// Where it lies.
    pub path: NotePath,
    /// Its length in bytes.
    pub size: u64,
    /// Its modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// When anything about it last changed, its times included, in nanoseconds since 1970; 0 where the platform does
    /// not tell.
    pub ctime_ns: i64,
    /// Its inode number, 0 where the platform has none.
    pub inode: u64,
}

/// All notes of a vault, sorted by path, and what could not be walked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files, in the byte order of their paths.
    pub files: Vec<FileStat>,
    /// Folders that could not be read, links that lead out, names that are no UTF-8.
    pub findings: Vec<Finding>,
}

/// An entry of a folder of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name, which may be no UTF-8.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: EntryKind,
    /// The same number as long as the content is the same; it stands in for the stat.
    pub mark: u64,
}

/// What an entry of a folder of a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
}

/// Where a symbolic link of a commit leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// To nothing, or in a circle.
    Nowhere,
    /// Out of the vault.
    Outside,
    /// To a folder of the vault.
    Folder,
    /// To a file of the vault.
    File {
        /// Where that lies.
        path: String,
        /// The mark of its content.
        mark: u64,
    },
}
