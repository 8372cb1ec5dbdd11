//! The right to write: who may change a vault and when, and the lock under which it is changed.

use super::content::{committed_bytes, content_or_none};
use super::recovery::finish_leftovers;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::recent_writes::WriteTurn;
use crate::error::{Error, Result};
use cm_note::finding::Finding;
use cm_note::path::NotePath;
use cm_store::config::{CommitMode, SettingOrigin, Settings, SettingsLayer};
use cm_store::git;
use cm_store::vault::journal::Journal;
use cm_store::vault::layout;
use cm_store::vault::lock::VaultLock;

/// Returns an error if the vault, the caller or the settings allow no change.
pub(super) fn may_change(context: &Context, open: &OpenVault) -> Result<()> {
    open.writable()?;
    context.may_write()?;
    refuse_broken_settings(open)
}

/// The only writer of a vault, after the operations that others left unfinished are completed. Ends
/// when it is dropped.
pub(super) struct WriteSession<'a> {
    pub journal: Journal,
    /// Number of completed operations.
    pub completed: usize,
    // Fields are dropped in this order: the lock is free before the next thread has its turn.
    _lock: VaultLock,
    _turn: Option<WriteTurn<'a>>,
}

impl<'a> WriteSession<'a> {
    /// # Errors
    /// Returns an error if the vault stays locked, or if an unfinished operation cannot be completed.
    pub fn begin(context: &Context, open: &'a OpenVault) -> Result<Self> {
        let turn = open.cached().and_then(|vault_cache| vault_cache.write_turns.take(open.lock_timeout()));
        let lock = VaultLock::take(&open.vault, &context.request.holder, open.lock_timeout())?;
        // What was read before may have been written by the one who held the lock.
        open.set_stale();
        let journal = Journal::of(&open.vault)?;
        let completed = finish_leftovers(context, open, &journal)?;
        Ok(Self { journal, completed, _lock: lock, _turn: turn })
    }
}

/// Refuses to write while `cm.toml` cannot be parsed.
pub(super) fn refuse_broken_settings(open: &OpenVault) -> Result<()> {
    let Some(broken) = open.settings.broken() else { return Ok(()) };
    let message = format!("nothing is written while {} cannot be read", broken.path);
    Err(Error::refused("invalid-setting", message)
        .at(&broken.path, broken.line, broken.column)
        .hint(format!("{}: fix it, then run the command again", broken.message)))
}

/// Returns why the `cm.toml` of HEAD cannot be read; `None` if it can, or if the file was changed since. Somebody else may
/// have repaired it.
///
/// # Errors
/// Returns an error if the repository or the file cannot be read.
pub(crate) fn settings_broken_in_head(open: &OpenVault) -> Result<Option<Finding>> {
    if open.settings.broken().is_none() {
        return Ok(None);
    }
    let Ok(path) = NotePath::parse(layout::SETTINGS) else { return Ok(None) };
    let (committed, current) = (committed_bytes(open, &path)?, content_or_none(open, &path)?);
    Ok(committed
        .filter(|bytes| Some(bytes) == current.as_ref())
        .and_then(|bytes| unreadable_settings(&bytes)))
}

/// Returns why a version of `cm.toml` cannot be read; `None` if it can.
pub(crate) fn unreadable_settings(bytes: &[u8]) -> Option<Finding> {
    let layer = SettingsLayer::parse_toml(layout::SETTINGS, &String::from_utf8_lossy(bytes));
    Settings::of(vec![(layer, SettingOrigin::Vault)]).broken().cloned()
}

/// Returns whether changes to this vault are committed immediately.
///
/// # Errors
/// Returns an error if the repository cannot be read.
pub fn commits_automatically(open: &OpenVault) -> Result<bool> {
    Ok(open.repo()?.is_some() && open.settings.commit_mode() == CommitMode::Auto)
}

/// Refuses to write while a merge, rebase or similar operation is in progress.
pub(super) fn refuse_during_merge(repo: &git::Repo) -> Result<()> {
    match repo.state() {
        None => Ok(()),
        Some(operation) => {
            Err(git::Error::InProgress { workdir: repo.workdir().to_owned(), operation }.into())
        }
    }
}
