//! What can go wrong with a vault's files.

use std::io;
use std::path::{Path, PathBuf};

/// An error of the vault's files; what is wrong inside a note is a finding instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No `cm.toml` and no `.memory/` at or above the folder, and no global vault.
    #[error("there is no vault at or above {}", .from.display())]
    NoVault {
        /// Where the search began.
        from: PathBuf,
    },
    /// The folder that was named is no vault.
    #[error("{} is not a vault: it has no cm.toml", .path.display())]
    NotAVault {
        /// The folder.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {action} {}: {}", .path.display(), reason(.source))]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another process is writing.
    #[error("the vault {} is locked by {holder}", .path.display())]
    Locked {
        /// The vault.
        path: PathBuf,
        /// Who holds it and since when, as they wrote it.
        holder: String,
    },
    /// The user has no home folder, so private files have no place.
    #[error("there is no home folder for the private files of a vault")]
    NoPrivateFolder,
    /// The note was changed by another program between reading and writing it.
    #[error("{} was changed meanwhile", .path.display())]
    Changed {
        /// The note.
        path: PathBuf,
    },
    /// A path that leads out of the vault through a symbolic link.
    #[error("{} leads out of the vault", .path.display())]
    LeadsOut {
        /// The path.
        path: PathBuf,
    },
}

/// The system's own words, without the `(os error N)` that says nothing to a person.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

impl Error {
    /// For `map_err`: what was tried on which file.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
