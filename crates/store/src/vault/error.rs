//! Errors of the vault's files.

use std::io;
use std::path::{Path, PathBuf};

/// An error of the vault's files. Problems inside a note are findings instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no `cm.toml` and no `.memory/` at or above the folder, and no global vault.
    #[error("no vault found at or above {}", .from.display())]
    NoVault {
        /// Folder where the search started.
        from: PathBuf,
    },
    /// The given folder is not a vault.
    #[error("{} is not a vault: it has no cm.toml", .path.display())]
    NotAVault { path: PathBuf },
    /// The given folder does not exist.
    #[error("the folder {} does not exist", .path.display())]
    NoFolder { path: PathBuf },
    /// An I/O operation failed.
    #[error("cannot {action} {}: {}", .path.display(), reason(.source))]
    Io {
        /// The failed action, as a verb.
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// Another process is writing.
    #[error("the vault {} is locked by {holder}", .path.display())]
    Locked {
        path: PathBuf,
        /// Description of the lock's holder, as written by that process.
        holder: String,
    },
    /// The user has no home folder for private files.
    #[error("there is no home directory for the private files of a vault")]
    NoPrivateFolder,
    /// Another program changed the note between reading and writing it.
    #[error("{} was changed in the meantime", .path.display())]
    Changed { path: PathBuf },
    /// The path leaves the vault through a symbolic link.
    #[error("{} leads out of the vault", .path.display())]
    LeadsOut { path: PathBuf },
}

/// Returns the system's message without the suffix `(os error N)`.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

impl Error {
    /// Returns a converter for `map_err` that adds the action and the file.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
