//! Errors of the index, including those that a rebuild repairs.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error of the index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder of the index could not be read or written.
    #[error("cannot use `{}`", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The index is missing or unsound and cannot be searched before a refresh.
    #[error("{0}")]
    Unusable(RebuildReason),
    /// The text index could not be written.
    #[error("cannot write the text index")]
    Text(#[source] tantivy::TantivyError),
    /// Another process held the lock until the timeout.
    #[error("another process has been using `{}` for {seconds} s", path.display())]
    Busy {
        /// Path of the lock file.
        path: PathBuf,
        /// Time waited, in seconds.
        seconds: u64,
    },
}

/// Why an index must be rebuilt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RebuildReason {
    /// No index exists.
    Missing,
    /// Another version of the program wrote the index.
    Foreign,
    /// A file of the index is missing, truncated or altered.
    Damaged(String),
}

impl fmt::Display for RebuildReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("no index existed"),
            Self::Foreign => f.write_str("the index was written by another version"),
            Self::Damaged(what) => write!(f, "the index was damaged ({what})"),
        }
    }
}

impl RebuildReason {
    pub(super) fn damaged(what: impl fmt::Display) -> Self {
        Self::Damaged(what.to_string())
    }
}

impl From<RebuildReason> for Error {
    fn from(why: RebuildReason) -> Self {
        Self::Unusable(why)
    }
}

impl From<tantivy::TantivyError> for Error {
    fn from(error: tantivy::TantivyError) -> Self {
        Self::Text(error)
    }
}

/// Adds the path to an I/O error.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { path, source }
}
