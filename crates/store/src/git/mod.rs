//! The vault's Git repository: commits of exactly the changed notes, and their history.
//!
//! gix does the work in-process. The `git` program runs only for hooks and maintenance. This module
//! does not write notes, prompt the user, fetch or push.
#![allow(
    clippy::disallowed_methods,
    reason = "this layer owns the repository's files, git's own program and the wait for its locks"
)]

mod blobs;
mod broken_head;
mod commit;
mod error;
mod history;
mod hooks;
mod identity;
mod lock;
mod maintenance;
mod note_history;
mod plan;
mod repo;
mod revision;
mod snapshot;
mod staging;
mod status;
#[cfg(test)]
mod tests;
mod trees;
mod undo;
mod worktrees;

pub use broken_head::{BrokenHead, unreadable_head};
pub use commit::{NewCommit, Options, PathChange, PathChangeKind, Reapply};
pub use error::{Error, Result};
pub use history::{CommitInfo, LogFilter};
pub use identity::Identity;
pub use note_history::NoteHistoryEntry;
pub use repo::{CommitId, Operation, Programs, Repo, RepoHead};
pub use snapshot::VaultSnapshot;
pub use status::EditKind;
pub use trees::TreeChange;
pub use worktrees::named_git_dir;
