//! Errors that prevent a log from being read at all. Problems within a log are counted instead.

use std::path::PathBuf;

/// Error while reading a log.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The file system reported an error.
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// SQLite reported an error: not a database, damaged, or locked for too long.
    #[error("cannot read {} as a database: {source}; close the program that writes it and try again", path.display())]
    Database { path: PathBuf, source: rusqlite::Error },
    /// The file is not a valid zip archive.
    #[error("cannot read {} as a zip archive: {source}; export it again", path.display())]
    Archive { path: PathBuf, source: zip::result::ZipError },
}

impl IngestError {
    /// Converts file system errors of `path`.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }

    /// Converts SQLite errors of `path`.
    pub(crate) fn database(path: impl Into<PathBuf>) -> impl FnOnce(rusqlite::Error) -> Self {
        let path = path.into();
        move |source| Self::Database { path, source }
    }
}
