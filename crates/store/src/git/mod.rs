//! The vault's Git repository: commits of exactly the changed notes, and their history.
//!
//! gix does the work in-process. The `git` program runs only for hooks, maintenance, fetching and
//! pushing, and `jj` in repositories that Jujutsu manages, too. This module does not write notes.
#![allow(
    clippy::disallowed_methods,
    reason = "this layer owns the repository's files, git's own program and the wait for its locks"
)]

mod blobs;
mod broken_head;
mod commit;
mod divergence;
mod error;
mod history;
mod hooks;
mod identity;
mod jujutsu;
mod left_out;
mod lock;
mod maintenance;
mod merge_driver;
mod note_history;
mod plan;
mod repo;
mod revision;
mod snapshot;
mod staging;
mod status;
#[cfg(test)]
mod tests;
mod transport;
mod trees;
mod undo;
mod worktrees;

pub use broken_head::{BrokenHead, unreadable_head};
pub use commit::{Join, NewCommit, Options, PathChange, PathChangeKind, Reapply};
pub use divergence::ForeignPaths;
pub use error::{Error, Result};
pub use history::{CommitInfo, LogFilter};
pub use identity::Identity;
pub use jujutsu::is_jujutsu_only;
pub use merge_driver::MergeDriver;
pub use note_history::NoteHistoryEntry;
pub use repo::{CommitId, Operation, Programs, Repo, RepoHead};
pub use snapshot::VaultSnapshot;
pub use status::EditKind;
pub use transport::{Fetch, Push, PushResult, Remote, TransferOptions, wait_after_race};
pub use trees::TreeChange;
pub use worktrees::named_git_dir;
