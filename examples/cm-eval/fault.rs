//! Why a measurement cannot be made: a file that is not what it should be, with its line, or an operation that failed.

use std::path::{Path, PathBuf};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A file or folder cannot be used.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line of a file is not what it should be.
    #[error("{path}:{line}: {message}")]
    Line {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// What was asked for makes no sense.
    #[error("{0}")]
    Usage(String),
    /// An operation of the library failed.
    #[error("{what}: {message}")]
    Operation {
        /// What was done.
        what: String,
        /// What it said, with its hint.
        message: String,
    },
}

/// The result of a part of a measurement.
pub type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    /// Makes a system's error one of this file.
    pub fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }

    /// Makes an operation's error one of what was done.
    pub fn operation(what: impl Into<String>) -> impl FnOnce(cm_app::Error) -> Self {
        let what = what.into();
        move |error| Self::Operation {
            what,
            message: match &error.hint {
                Some(hint) => format!("{error} ({hint})"),
                None => error.to_string(),
            },
        }
    }
}
