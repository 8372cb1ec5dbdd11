//! What a walk of the vault saw: each file's place and stat, never its content.

use serde::{Deserialize, Serialize};

use crate::domain::finding::Finding;
use crate::domain::path::NotePath;

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
