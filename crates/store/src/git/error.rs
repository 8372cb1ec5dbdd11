//! What can go wrong between the vault and its repository, with the facts that a hint needs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::repo::Operation;
use cm_note::path::NotePath;

/// The result of this layer.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why git's part of the work was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no work tree that notes could lie in.
    #[error("{} is a bare repository, without a work tree for notes", git_dir.display())]
    Bare {
        /// The repository.
        git_dir: PathBuf,
    },
    /// git itself would refuse this repository.
    #[error("the repository {} belongs to another user", git_dir.display())]
    ForeignOwner {
        /// The repository.
        git_dir: PathBuf,
        /// Its work tree, which `safe.directory` would have to name.
        workdir: PathBuf,
    },
    /// The work tree's `.git` file names a repository that knows nothing of the work tree.
    #[error("{} names the repository {}, which has another work tree", workdir.join(".git").display(), git_dir.display())]
    OtherWorkTree {
        /// The repository.
        git_dir: PathBuf,
        /// The work tree that names it.
        workdir: PathBuf,
    },
    /// The repository is laid out in a way that this program cannot read.
    #[error("the repository {} has `{name} = {value}`, which is not supported", git_dir.display())]
    Unsupported {
        /// The repository.
        git_dir: PathBuf,
        /// The key in its configuration.
        name: String,
        /// The value that is not understood.
        value: String,
    },
    /// The person is in the middle of something that a commit would disturb.
    #[error("{operation} is in progress in {}", workdir.display())]
    InProgress {
        /// The work tree.
        workdir: PathBuf,
        /// What is in progress.
        operation: Operation,
    },
    /// Somebody else's lock stayed for the whole wait.
    #[error("another program has held {} for {:.1} s", path.display(), waited.as_secs_f32())]
    Locked {
        /// The lock.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// Other programs kept moving the branch.
    #[error("the branch of {} kept moving while a commit was made ({attempts} attempts)", git_dir.display())]
    Moved {
        /// The repository.
        git_dir: PathBuf,
        /// How often it was tried.
        attempts: u32,
    },
    /// A note and something tracked cannot both have their path.
    #[error("`{path}` cannot be committed: git tracks `{tracked}`")]
    Collision {
        /// The note.
        path: NotePath,
        /// What is in the way, from the root of the work tree.
        tracked: String,
    },
    /// The note is ignored and not tracked.
    #[error("`{path}` is ignored by git")]
    Ignored {
        /// The note.
        path: NotePath,
    },
    /// The note has unresolved conflicts in the index.
    #[error("`{path}` has an unresolved conflict")]
    Unmerged {
        /// The note.
        path: NotePath,
    },
    /// git tracks a link or a submodule where the note lies.
    #[error("`{path}` is tracked as something other than a file")]
    NotAFile {
        /// The note.
        path: NotePath,
    },
    /// A path that git will not have in a tree.
    #[error("git refuses `{path}` as a path")]
    UnsafePath {
        /// The note.
        path: NotePath,
    },
    /// No commit is called so.
    #[error("`{revision}` is no commit of this repository")]
    UnknownRevision {
        /// What was asked for.
        revision: String,
    },
    /// Several commits are called so.
    #[error("`{revision}` is the beginning of several commits")]
    AmbiguousRevision {
        /// What was asked for.
        revision: String,
        /// Which they are.
        candidates: Vec<String>,
    },
    /// The repository's own configuration runs a program over files, and the user does not trust it.
    #[error("{} runs a program over files (filter `{name}`)", git_dir.join("config").display())]
    UntrustedFilter {
        /// The repository.
        git_dir: PathBuf,
        /// The filter's name.
        name: String,
    },
    /// git's own program failed.
    #[error("`{command}` failed ({status}): {output}")]
    Program {
        /// What was run.
        command: String,
        /// How it ended.
        status: String,
        /// What it said.
        output: String,
    },
    /// A file of the repository or the work tree could not be used.
    #[error("{}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The repository could not be read or written.
    #[error("{doing} in {}", place.display())]
    Repository {
        /// What was being done.
        doing: &'static str,
        /// The repository.
        place: PathBuf,
        /// Why it failed.
        source: Box<gix::Error>,
    },
}

impl Error {
    /// What the person can do, where there is something that always helps.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Bare { .. } => "clone it and use the clone as the vault".to_owned(),
            Self::ForeignOwner { workdir, .. } => {
                format!("if you trust it: git config --global --add safe.directory '{}'", workdir.display())
            }
            Self::Unsupported { name, value, .. } if name == "extensions.refStorage" => {
                format!(
                    "references are stored as `{value}`; convert them: git refs migrate --ref-format=files"
                )
            }
            Self::Unsupported { .. } => {
                "use a clone without that extension, or commit by hand with `git.commit = \"manual\"`"
                    .to_owned()
            }
            Self::InProgress { operation, .. } => operation.way_out().to_owned(),
            Self::Locked { path, .. } => {
                format!("wait for the other git to end; if none runs, remove {}", path.display())
            }
            Self::Moved { .. } => "try again when the other commits are done".to_owned(),
            Self::Collision { tracked, .. } => {
                format!("rename the note, or commit the removal of `{tracked}` first")
            }
            Self::Ignored { path } => {
                format!("git add --force '{path}', or change the .gitignore that covers it")
            }
            Self::Unmerged { path } => format!("resolve the conflict, then: git add '{path}'"),
            Self::NotAFile { .. } => "replace it by a plain file and commit that with git".to_owned(),
            Self::UnsafePath { .. } => "rename the note".to_owned(),
            Self::UnknownRevision { .. } => "`cm log` lists the commits".to_owned(),
            Self::AmbiguousRevision { candidates, .. } if candidates.is_empty() => {
                "write more of it".to_owned()
            }
            Self::AmbiguousRevision { candidates, .. } => {
                format!("write more of it: {}", candidates[..candidates.len().min(5)].join(", "))
            }
            Self::OtherWorkTree { git_dir, workdir } => format!(
                "if that is meant: git --git-dir '{}' config core.worktree '{}'",
                git_dir.display(),
                workdir.display()
            ),
            Self::UntrustedFilter { .. } => {
                "if you know where the folder comes from, `cm trust` lets its filters run".to_owned()
            }
            Self::Program { .. } | Self::Io { .. } | Self::Repository { .. } => return None,
        })
    }
}

/// Gives a failure of gix its place.
pub(super) trait Doing<T> {
    /// Says what was being done, and where.
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

/// Gives an I/O error its path.
pub(super) trait InPath<T> {
    /// Says which path failed.
    fn in_path(self, path: &Path) -> Result<T>;
}

impl<T> InPath<T> for std::io::Result<T> {
    fn in_path(self, path: &Path) -> Result<T> {
        self.map_err(|source| Error::Io { path: path.to_owned(), source })
    }
}
