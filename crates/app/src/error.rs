//! The error type of operations, as data that each surface words for its users.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use cm_note::finding::Finding;
use cm_note::frontmatter::edit::EditError;
use cm_note::id::InvalidId;
use cm_note::path::{InvalidNotePath, NotePath};
use cm_note::user_text::UserText;
use cm_store::{git, vault};

/// Code of the error for a missing note or commit.
const NOT_FOUND: &str = "not-found";
/// Code of the error for a name that fits several things.
const AMBIGUOUS: &str = "ambiguous";
/// Code of the error for a file with changes that no commit contains.
const HAND_EDITED: &str = "hand-edited";
/// Code of the error for a vault outside of a Git repository.
const NO_REPOSITORY: &str = "no-repository";
/// Code of the error for a file that another program changed during an operation.
pub(crate) const CHANGED_MEANWHILE: &str = "changed-meanwhile";

/// Category of an error; determines the exit code and the HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A check failed, part of a batch failed, or an I/O error occurred.
    Failed,
    /// The request is invalid.
    Usage,
    /// No vault was found, or the folder is not a vault.
    NoVault,
    /// A note or commit does not exist, or a prefix is ambiguous.
    NotFound,
    /// The operation is blocked, conflicts with the current state, or needs other permissions.
    Refused,
    /// The caller's role does not allow the request.
    Forbidden,
    /// Another process holds the vault's lock.
    Locked,
    /// A model, the network or a provider failed.
    Provider,
    /// The request was valid, but there was nothing to do.
    NothingDone,
    /// The operation was interrupted by the user.
    Interrupted,
    /// The operation was terminated by the system.
    Terminated,
}

/// File, line and column to which an error refers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorLocation {
    pub path: String,
    /// Line number, from 1.
    pub line: Option<u32>,
    /// Column number, from 1.
    pub column: Option<u32>,
}

/// Why an operation failed, with a code for scripts and a hint for users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub kind: ErrorKind,
    /// Kebab-case code for scripts.
    pub code: &'static str,
    pub message: String,
    /// Suggested action.
    pub hint: Option<UserText>,
    /// File and position to which the error refers.
    pub location: Option<Box<ErrorLocation>>,
    /// Both texts of a conflicting update; only with the code `conflict`.
    pub conflict: Option<Box<RevisionConflict>>,
}

/// The two texts of a note that was changed since the caller read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RevisionConflict {
    /// Revision of the stored note.
    pub revision: String,
    /// Stored text of the note's file.
    pub current: String,
    /// The stored text after the requested change; null if the change cannot be applied to it.
    pub proposed: Option<String>,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Creates an error without hint and location.
    pub fn new(kind: ErrorKind, code: &'static str, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), hint: None, location: None, conflict: None }
    }

    /// Creates an error for an invalid request.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, "usage", message)
    }

    /// Creates an error for an operation that the current state does not allow.
    pub fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Refused, code, message)
    }

    /// Creates an error for a missing note or commit.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, NOT_FOUND, message)
    }

    /// Creates the error for a name that fits several notes, sessions or other things.
    pub fn ambiguous(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, AMBIGUOUS, message)
    }

    pub fn is_ambiguous(&self) -> bool {
        self.code == AMBIGUOUS
    }

    /// Creates the error for a file with changes that no commit contains.
    pub(crate) fn hand_edited(path: &NotePath, message: impl Into<String>) -> Self {
        Self::refused(HAND_EDITED, message).at(path, None, None)
    }

    pub(crate) fn is_hand_edited(&self) -> bool {
        self.code == HAND_EDITED
    }

    pub(crate) fn no_repository() -> Self {
        Self::refused(NO_REPOSITORY, "the vault is not in a Git repository").hint("`cm init` creates one")
    }

    /// Whether the vault is not in a Git repository.
    pub fn is_no_repository(&self) -> bool {
        self.code == NO_REPOSITORY
    }

    /// Creates the error for a caller whose role does not allow a request.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden, "forbidden", message)
    }

    /// Whether a note or commit is missing. An ambiguous name has the same kind, but is not missing.
    pub fn is_not_found(&self) -> bool {
        self.code == NOT_FOUND
    }

    /// Whether another program changed a file during the operation, so that it may be tried again.
    pub fn is_changed_meanwhile(&self) -> bool {
        self.code == CHANGED_MEANWHILE
    }

    /// Creates the error for a note that cannot be edited safely.
    pub fn of_edit(path: &NotePath, error: &EditError) -> Self {
        Self::refused("cannot-edit", error.to_string())
            .at(path, error.line(), error.column())
            .hint(error.hint())
    }

    /// Creates the error for a file outside the vault that is not valid UTF-8.
    pub fn not_utf8(path: &str) -> Self {
        Self::refused("invalid-utf8", format!("{path} is not UTF-8"))
            .at(path, None, None)
            .hint("save the file as UTF-8, then run the command again")
    }

    /// Creates the error for a note that is not valid UTF-8.
    pub fn of_encoding(path: &NotePath, finding: &Finding) -> Self {
        Self::refused("invalid-utf8", finding.message.clone())
            .at(path, finding.line, finding.column)
            .hint("save the file as UTF-8, then run the command again")
    }

    pub(crate) fn with_conflict(mut self, conflict: RevisionConflict) -> Self {
        self.conflict = Some(Box::new(conflict));
        self
    }

    pub fn hint(mut self, hint: impl Into<UserText>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the location.
    pub fn at(mut self, path: impl fmt::Display, line: Option<u32>, column: Option<u32>) -> Self {
        self.location = Some(Box::new(ErrorLocation { path: path.to_string(), line, column }));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<vault::Error> for Error {
    fn from(error: vault::Error) -> Self {
        let message = error.to_string();
        match error {
            vault::Error::NoVault { .. } => Self::new(ErrorKind::NoVault, "no-vault", message)
                .hint("create one here with `cm init`, or select one with `--vault` or CM_VAULT"),
            vault::Error::NotAVault { .. } => Self::new(ErrorKind::NoVault, "not-a-vault", message)
                .hint("`cm init` in that folder creates a vault and changes no note"),
            vault::Error::NoFolder { .. } => Self::new(ErrorKind::NoVault, "not-a-vault", message)
                .hint("check the path in `--vault` or CM_VAULT"),
            vault::Error::Io { path, .. } => {
                let error = Self::new(ErrorKind::Failed, "io", message);
                error.at(path.display(), None, None)
            }
            vault::Error::Locked { .. } => Self::new(ErrorKind::Locked, "locked", message)
                .hint("try again when it is done; `lock.patience_s` sets the waiting time"),
            vault::Error::NoPrivateFolder => Self::new(ErrorKind::Failed, "no-home", message)
                .hint("set HOME, or XDG_STATE_HOME and XDG_CONFIG_HOME"),
            vault::Error::Changed { path } => Self::refused(CHANGED_MEANWHILE, message)
                .at(path.display(), None, None)
                .hint("nothing was written; run the command again"),
            vault::Error::LeadsOut { path } => Self::refused("leads-out", message)
                .at(path.display(), None, None)
                .hint("a symbolic link on this path leads out of the vault; cm does not write through it"),
        }
    }
}

impl From<git::Error> for Error {
    fn from(error: git::Error) -> Self {
        let message = chain(&error);
        let hint = error.hint();
        let made = match error {
            git::Error::Bare { .. } => Self::refused("bare-repository", message),
            git::Error::ForeignOwner { .. } => Self::refused("foreign-owner", message),
            git::Error::Unsupported { .. } => Self::refused("unsupported-repository", message),
            git::Error::InProgress { .. } => Self::refused("in-progress", message),
            git::Error::Locked { .. } => Self::new(ErrorKind::Locked, "git-locked", message),
            git::Error::Busy { .. } => Self::new(ErrorKind::Locked, "git-locked", message),
            git::Error::Moved { .. } => Self::refused("branch-moved", message),
            git::Error::Collision { path, .. } => Self::refused("collision", message).at(path, None, None),
            git::Error::Ignored { path } => Self::refused("ignored", message).at(path, None, None),
            git::Error::Unmerged { path } => Self::refused("unmerged", message).at(path, None, None),
            git::Error::NotAFile { path } => Self::refused("not-a-file", message).at(path, None, None),
            git::Error::UnsafePath { path } => Self::refused("unsafe-path", message).at(path, None, None),
            git::Error::UnknownRevision { .. } => Self::not_found(message),
            git::Error::AmbiguousRevision { .. } => Self::ambiguous(message),
            git::Error::OtherWorkTree { .. } => Self::refused("other-work-tree", message),
            git::Error::UntrustedFilter { .. } => Self::refused("untrusted", message),
            git::Error::UntrustedProgram { .. } => Self::refused("untrusted", message),
            git::Error::Unreachable { .. } | git::Error::Silent { .. } => {
                Self::new(ErrorKind::Provider, "offline", message)
            }
            git::Error::Credentials { .. } => Self::new(ErrorKind::Provider, "credentials", message),
            git::Error::Cancelled { .. } => Self::new(ErrorKind::Interrupted, "interrupted", message),
            git::Error::OtherTree { .. } => Self::refused(CHANGED_MEANWHILE, message),
            git::Error::Program { .. } => Self::new(ErrorKind::Failed, "git-failed", message),
            git::Error::Io { path, .. } => {
                Self::new(ErrorKind::Failed, "io", message).at(path.display(), None, None)
            }
            git::Error::Repository { .. } => Self::new(ErrorKind::Failed, "git-failed", message),
        };
        match hint {
            Some(hint) => made.hint(hint),
            None => made,
        }
    }
}

impl From<InvalidNotePath> for Error {
    fn from(error: InvalidNotePath) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<InvalidId> for Error {
    fn from(error: InvalidId) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<cm_index::Error> for Error {
    fn from(error: cm_index::Error) -> Self {
        Self::new(ErrorKind::Failed, "index", chain(&error)).hint("`cm reindex --full` rebuilds the index")
    }
}

impl From<cm_embed::Error> for Error {
    fn from(error: cm_embed::Error) -> Self {
        Self::from(&error)
    }
}

impl From<&cm_embed::Error> for Error {
    fn from(error: &cm_embed::Error) -> Self {
        use cm_embed::Error::{Malformed, NotFetched, OutOfReach, Refused};
        let kind = match error {
            OutOfReach { .. } | Refused { .. } | Malformed { .. } | NotFetched { .. } => ErrorKind::Provider,
            _ => ErrorKind::Failed,
        };
        let made = Self::new(kind, "embeddings", chain(error));
        match error.hint() {
            Some(hint) => made.hint(hint),
            None => made,
        }
    }
}

/// Joins an error and its causes on one line; causes that repeat earlier text are skipped.
fn chain(error: &dyn std::error::Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        let text = deeper.to_string();
        if !line.contains(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
        cause = deeper.source();
    }
    line
}
