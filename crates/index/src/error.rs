//! What can go wrong with an index, apart from what rebuilding mends.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An index that cannot answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder of the index could not be read or written.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no index that could be asked without a refresh.
    #[error("{0}")]
    Unusable(Unusable),
    /// The text index failed while it was written.
    #[error("the text index cannot be written")]
    Text(#[source] tantivy::TantivyError),
    /// Another process works on the index and does not finish.
    #[error("another process has been working on `{}` for {seconds} s", path.display())]
    Busy {
        /// The lock.
        path: PathBuf,
        /// How long was waited.
        seconds: u64,
    },
}

/// Why an index must be rebuilt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// There is none.
    Missing,
    /// Another version of the program wrote it.
    Foreign,
    /// A file of it is missing, cut short or altered.
    Damaged(String),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there was no index"),
            Self::Foreign => f.write_str("the index was written by another version"),
            Self::Damaged(what) => write!(f, "the index was damaged ({what})"),
        }
    }
}

impl Unusable {
    pub(super) fn damaged(what: impl fmt::Display) -> Self {
        Self::Damaged(what.to_string())
    }
}

impl From<Unusable> for Error {
    fn from(why: Unusable) -> Self {
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
