//! Why a log could not be read at all. What is wrong within one is counted, and no error.

use std::path::PathBuf;

/// A log that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system refused.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// SQLite refused: no database, damaged, or locked for long.
    #[error("{} cannot be read as a database: {source}; close the program that writes it and try again", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The archive is none, or damaged.
    #[error("{} cannot be read as a zip archive: {source}; export it again", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        source: zip::result::ZipError,
    },
}

impl Error {
    /// The file system's refusal of `path`.
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }

    /// SQLite's refusal of `path`.
    pub(super) fn database(path: impl Into<PathBuf>) -> impl FnOnce(rusqlite::Error) -> Self {
        let path = path.into();
        move |source| Self::Database { path, source }
    }
}
