//! Errors of a measurement: invalid files, with line numbers, and failed operations.

use std::fmt;
use std::path::{Path, PathBuf};

/// An error of a measurement.
#[derive(Debug)]
pub enum EvalError {
    /// A file or folder cannot be read or written.
    File { path: PathBuf, source: std::io::Error },
    /// A line of a file is invalid.
    Line {
        path: PathBuf,
        /// Line number, starting at 1.
        line: usize,
        message: String,
    },
    /// The arguments are invalid.
    Usage(String),
    /// An operation of the library failed.
    Operation {
        /// The failed action.
        what: String,
        /// Message and hint of the error.
        message: String,
    },
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Line { path, line, message } => write!(f, "{}:{line}: {message}", path.display()),
            Self::Usage(message) => f.write_str(message),
            Self::Operation { what, message } => write!(f, "{what}: {message}"),
        }
    }
}

impl std::error::Error for EvalError {}

/// Result of a step of a measurement.
pub type Result<T> = std::result::Result<T, EvalError>;

impl EvalError {
    /// Returns a converter that adds the path to an I/O error.
    pub fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }

    /// Returns a converter that adds the action to an operation's error.
    pub fn operation(what: impl Into<String>) -> impl FnOnce(cm_app::Error) -> Self {
        let what = what.into();
        move |error| Self::Operation {
            what,
            message: match &error.hint {
                Some(hint) => format!("{error} ({})", hint.for_terminal()),
                None => error.to_string(),
            },
        }
    }
}
