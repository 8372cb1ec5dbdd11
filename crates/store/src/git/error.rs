//! Errors of the repository layer, with the facts needed for hints.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use crate::git::repo::Operation;
use cm_note::path::NotePath;

/// Result of repository operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failed repository operation.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The repository has no work tree.
    #[error("{} is a bare repository without a worktree for notes", git_dir.display())]
    Bare { git_dir: PathBuf },
    /// Git itself would refuse the repository, because another user owns it.
    #[error("the repository {} belongs to another user", git_dir.display())]
    ForeignOwner {
        git_dir: PathBuf,
        /// The work tree to add to `safe.directory`.
        workdir: PathBuf,
    },
    /// The `.git` file of the work tree names a repository that does not refer back to the work
    /// tree.
    #[error("{} refers to the repository {}, which has another worktree", workdir.join(".git").display(), git_dir.display())]
    OtherWorkTree {
        git_dir: PathBuf,
        /// The work tree with the `.git` file.
        workdir: PathBuf,
    },
    /// The repository uses an unsupported format.
    #[error("the repository {} has `{name} = {value}`, which is not supported", git_dir.display())]
    Unsupported {
        git_dir: PathBuf,
        /// Configuration key that requires the format.
        name: String,
        /// The unsupported value.
        value: String,
    },
    /// The user has started a Git operation that a commit would disturb.
    #[error("{operation} is in progress in {}", workdir.display())]
    InProgress {
        workdir: PathBuf,
        /// The unfinished operation.
        operation: Operation,
    },
    /// Another process held a lock until the timeout.
    #[error("another process held {} for {:.1} s", path.display(), waited.as_secs_f32())]
    Locked {
        /// Path of the lock file.
        path: PathBuf,
        /// Time waited.
        waited: Duration,
    },
    /// Other programs moved the branch during every attempt.
    #[error("the branch of {} kept moving during the commit ({attempts} attempts)", git_dir.display())]
    Moved {
        git_dir: PathBuf,
        /// Number of attempts.
        attempts: u32,
    },
    /// A note's path conflicts with a tracked path.
    #[error("cannot commit `{path}`: Git tracks `{tracked}`")]
    Collision {
        path: NotePath,
        /// The tracked path, relative to the root of the work tree.
        tracked: String,
    },
    /// The note is ignored by Git and not tracked.
    #[error("`{path}` is ignored by Git")]
    Ignored { path: NotePath },
    /// The note has unresolved conflicts in the index.
    #[error("`{path}` has an unresolved conflict")]
    Unmerged { path: NotePath },
    /// Git tracks a symbolic link or a submodule at the note's path.
    #[error("`{path}` is tracked as something other than a file")]
    NotAFile { path: NotePath },
    /// Git does not allow the path in a tree.
    #[error("Git refuses `{path}` as a path")]
    UnsafePath { path: NotePath },
    #[error("`{revision}` is not a commit of this repository")]
    /// No commit matches the revision.
    UnknownRevision {
        /// The revision, as entered.
        revision: String,
    },
    /// Several commits match the revision.
    #[error("`{revision}` matches several commits")]
    AmbiguousRevision {
        /// The revision, as entered.
        revision: String,
        /// The matching commits.
        candidates: Vec<String>,
    },
    /// The repository's own configuration defines a filter program, and the user does not trust the
    /// repository.
    #[error("{} runs a program on files (filter `{name}`)", git_dir.join("config").display())]
    UntrustedFilter {
        git_dir: PathBuf,
        /// Name of the filter.
        name: String,
    },
    /// The repository's own configuration makes Git run a program or use another address, and the
    /// user does not trust the repository.
    #[error("{} sets `{key}`", git_dir.join("config").display())]
    UntrustedProgram {
        git_dir: PathBuf,
        /// Name of the configuration key.
        key: String,
    },
    /// The remote cannot be reached.
    #[error("the remote `{remote}` cannot be reached: {words}")]
    Unreachable {
        remote: String,
        /// Message of Git.
        words: String,
    },
    /// The remote asks for credentials or does not accept them.
    #[error("the remote `{remote}` does not accept your credentials: {words}")]
    Credentials {
        remote: String,
        /// Message of Git.
        words: String,
    },
    /// A transfer showed no sign of life for too long.
    #[error("`{command}` gave no sign of life for {:.0} s", waited.as_secs_f32())]
    Silent {
        /// Command line.
        command: &'static str,
        /// Time waited.
        waited: Duration,
    },
    /// Another process updates the same references.
    #[error("another process runs `{command}` in this clone: {words}")]
    Busy {
        /// Command line.
        command: &'static str,
        /// Message of Git.
        words: String,
    },
    /// The user cancelled a transfer.
    #[error("`{command}` was cancelled")]
    Cancelled {
        /// Command line.
        command: &'static str,
    },
    /// The branch or the work tree is not at the commit that an interrupted update leads to.
    #[error("the files of {} are not those of {commit}", workdir.display())]
    OtherTree {
        workdir: PathBuf,
        /// Abbreviated id of the commit.
        commit: String,
    },
    /// The `git` program failed.
    #[error("`{command}` failed ({status}): {output}")]
    Program {
        /// Command line.
        command: String,
        status: String,
        /// Output of the command.
        output: String,
    },
    /// A file of the repository or the work tree could not be read or written.
    #[error("{}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// The repository could not be read or written.
    #[error("{doing} in {}", place.display())]
    Repository {
        /// The failed action.
        doing: &'static str,
        /// Path of the repository.
        place: PathBuf,
        source: Box<gix::Error>,
    },
}

impl Error {
    /// A program that failed, with what it printed to standard error.
    pub(super) fn program(command: &str, ended: &Output) -> Self {
        Self::Program {
            command: command.to_owned(),
            status: ended.status.to_string(),
            output: String::from_utf8_lossy(&ended.stderr).trim().to_owned(),
        }
    }

    /// Returns what the user can do, if the error kind determines it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Bare { .. } => "clone it and use the clone as the vault".to_owned(),
            Self::ForeignOwner { workdir, .. } => {
                format!(
                    "if you trust it, run `git config --global --add safe.directory '{}'`",
                    workdir.display()
                )
            }
            Self::Unsupported { name, value, .. } if name == "extensions.refStorage" => {
                format!(
                    "references are stored as `{value}`; convert them with `git refs migrate --ref-format=files`"
                )
            }
            Self::Unsupported { .. } => {
                "use a clone without that extension, or commit by hand with `git.commit = \"manual\"`"
                    .to_owned()
            }
            Self::InProgress { operation, .. } => operation.remedy().to_owned(),
            Self::Locked { path, .. } => {
                format!(
                    "wait for the other Git process to end; if none is running, remove {}",
                    path.display()
                )
            }
            Self::Busy { .. } => {
                "wait for the other process to end; if none is running, remove the lock file".to_owned()
            }
            Self::Moved { .. } => "try again when the other commits are done".to_owned(),
            Self::Collision { tracked, .. } => {
                format!("rename the note, or commit the removal of `{tracked}` first")
            }
            Self::Ignored { path } => {
                format!("run `git add --force '{path}'`, or change the .gitignore that covers it")
            }
            Self::Unmerged { path } => format!("resolve the conflict, then run git add '{path}'"),
            Self::NotAFile { .. } => "replace it with a regular file and commit that with Git".to_owned(),
            Self::UnsafePath { .. } => "rename the note".to_owned(),
            Self::UnknownRevision { .. } => "`cm log` lists the commits".to_owned(),
            Self::AmbiguousRevision { candidates, .. } if candidates.is_empty() => {
                "use a longer prefix".to_owned()
            }
            Self::AmbiguousRevision { candidates, .. } => {
                format!("use a longer prefix: {}", candidates[..candidates.len().min(5)].join(", "))
            }
            Self::OtherWorkTree { git_dir, workdir } => format!(
                "if this is intended, run `git --git-dir '{}' config core.worktree '{}'`",
                git_dir.display(),
                workdir.display()
            ),
            Self::UntrustedFilter { .. } => {
                "if you know where the folder comes from, run `cm trust` to allow its filters".to_owned()
            }
            Self::UntrustedProgram { .. } => {
                "if you know where the folder comes from, run `cm trust` to allow it".to_owned()
            }
            Self::Unreachable { .. } | Self::Silent { .. } => {
                "your changes are committed here; run `cm sync` again when the remote can be reached"
                    .to_owned()
            }
            Self::Credentials { remote, .. } => {
                format!("check that `git fetch {remote}` works; Git's credentials are used")
            }
            Self::OtherTree { .. } => "run `cm sync` again".to_owned(),
            Self::Cancelled { .. } | Self::Program { .. } | Self::Io { .. } | Self::Repository { .. } => {
                return None;
            }
        })
    }
}

/// Converts errors of gix to [`Error::Repository`].
pub(super) trait Doing<T> {
    /// Adds the action and the path to the error.
    fn doing(self, doing: &'static str, place: &Path) -> Result<T>;
}

impl<T, E: Into<gix::Error>> Doing<T> for std::result::Result<T, E> {
    fn doing(self, doing: &'static str, place: &Path) -> Result<T> {
        self.map_err(|source| Error::Repository {
            doing,
            place: place.to_owned(),
            source: Box::new(source.into()),
        })
    }
}

/// Converts I/O errors to [`Error::Io`].
pub(super) trait InPath<T> {
    /// Adds the path to the error.
    fn in_path(self, path: &Path) -> Result<T>;
}

impl<T> InPath<T> for std::io::Result<T> {
    fn in_path(self, path: &Path) -> Result<T> {
        self.map_err(|source| Error::Io { path: path.to_owned(), source })
    }
}
