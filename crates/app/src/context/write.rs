//! The only path by which changes reach files, history and index: lock, recover interrupted
//! operations, check, write the journal, write the files, commit exactly these paths, queue them
//! for the index.

mod content;
mod joined;
mod moved_notes;
mod operation;
mod planned;
mod recovery;
mod refusals;
mod session;

pub use content::committed_bytes;
pub(crate) use content::content_or_none;
pub use joined::{JoinedChange, JoinedFile, join};
pub(crate) use refusals::conflict_marker_error;
pub use refusals::refuse_uncommitted;
pub use session::commits_automatically;
pub(crate) use session::{settings_broken_in_head, unreadable_settings};

use crate::context::actor::CallerIdentity;
use crate::context::core_listing;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::secrets::{self, BlockedSecret};
use crate::error::{Error, ErrorKind, Result};
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::frontmatter::edit::Edit;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;
use cm_store::git::{PathChange, PathChangeKind as PathKind};
use cm_store::vault::journal::{FileBytes, FileChange, Journal, JournalEntry};
use cm_store::vault::write as files;
use operation::{creates_only, options, queue, write_and_commit};
use planned::bytes_of;
use recovery::or_roll_back;
use session::{WriteSession, may_change, refuse_during_merge};
use std::path::PathBuf;

/// Result of a write to the vault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteResult {
    /// Commit hash; `None` if commits are manual, if there is no repository, or if nothing changed.
    pub commit: Option<String>,
    /// Files with changed content, without a CORE.md that was only shortened.
    pub changed: Vec<NotePath>,
}

/// Effect of a change on a file; a text is empty where there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePreview {
    pub path: NotePath,
    pub before: String,
    pub after: String,
}

/// Result of a planned change that was applied or, in a dry run, only previewed.
#[derive(Debug)]
pub struct Applied<T> {
    /// The value that the plan returned with the change.
    pub result: T,
    /// Commit hash, as in [`WriteResult`]; `None` in a dry run.
    pub commit: Option<String>,
    /// Files that changed; in a dry run, files that would change.
    pub changed: Vec<NotePath>,
    /// Effect on each file; empty unless this was a dry run.
    pub preview: Vec<FilePreview>,
}

/// Applies a change to the target vault.
///
/// # Errors
/// Returns an error if the vault is locked, if the change is refused (a merge in progress, a note
/// edited meanwhile, an existing file), or if it fails. Nothing is changed in these cases.
pub fn apply(context: &Context, set: ChangeSet) -> Result<WriteResult> {
    apply_with(context, |_| Ok(set))
}

/// Applies a change that is planned while the lock is held, so that no other cm process changes the
/// files meanwhile.
///
/// # Errors
/// Returns the errors of [`apply`] and of the plan.
pub fn apply_with(
    context: &Context,
    plan: impl FnOnce(&OpenVault) -> Result<ChangeSet>,
) -> Result<WriteResult> {
    apply_planned(context, |open| Ok((plan(open)?, ()))).map(|(written, ())| written)
}

/// Like [`apply_with`], for a plan that returns a result with the change.
///
/// # Errors
/// Returns the errors of [`apply`] and of the plan.
pub fn apply_planned<T>(
    context: &Context,
    plan: impl FnOnce(&OpenVault) -> Result<(ChangeSet, T)>,
) -> Result<(WriteResult, T)> {
    let open = context.target();
    may_change(context, open)?;
    let mut unsynced = Vec::new();
    let applied = apply_locked(context, open, plan, &mut unsynced)?;
    // Without the lock, so that one sync of the disk serves all that other threads write meanwhile.
    files::sync_all(&unsynced)?;
    Ok(applied)
}

/// Edits a file in the work tree without a commit, such as one that a person's editor just saved.
///
/// # Errors
/// `conflict` if the file does not have the expected content, and the errors of [`apply`].
pub fn edit_uncommitted(
    context: &Context,
    path: NotePath,
    expected: ContentHash,
    edits: Vec<Edit>,
) -> Result<()> {
    let open = context.target();
    may_change(context, open)?;
    let session = WriteSession::begin(context, open)?;
    let message = CommitMessage::new(CommitOp::Edit, format!("Edit {path}"));
    let changes = vec![VaultFileChange::Edit { path, expected: Some(expected), edits }];
    let set = ChangeSet { message, changes };
    attempt(context, open, &session.journal, set, &mut Vec::new(), false).map(drop)
}

/// Applies a planned change; with `dry_run`, plans it without the lock and writes nothing.
///
/// # Errors
/// Returns the errors of [`apply`] and of the plan.
pub fn apply_or_preview<T>(
    context: &Context,
    dry_run: bool,
    plan: impl FnOnce(&OpenVault) -> Result<(ChangeSet, T)>,
) -> Result<Applied<T>> {
    if dry_run {
        let (set, result) = plan(context.target())?;
        let preview = preview(context, set)?;
        let changed = preview.iter().map(|file| file.path.clone()).collect();
        return Ok(Applied { result, commit: None, changed, preview });
    }
    let (WriteResult { commit, changed }, result) = apply_planned(context, plan)?;
    Ok(Applied { result, commit, changed, preview: Vec::new() })
}

/// Applies a change under the vault's lock. The created files that are not synced yet are added to
/// `unsynced`.
fn apply_locked<T>(
    context: &Context,
    open: &OpenVault,
    plan: impl FnOnce(&OpenVault) -> Result<(ChangeSet, T)>,
    unsynced: &mut Vec<PathBuf>,
) -> Result<(WriteResult, T)> {
    let session = WriteSession::begin(context, open)?;
    let (set, result) = plan(open)?;
    let mut attempts = 0;
    loop {
        match attempt(context, open, &session.journal, set.clone(), unsynced, commits_automatically(open)?) {
            // A program saved a note between the reading and the writing of it: the change is made on what it holds now.
            Err(error) if error.is_changed_meanwhile() && attempts < MAX_ATTEMPTS => attempts += 1,
            outcome => return Ok((outcome?, result)),
        }
    }
}

/// Maximum number of retries after another program saved one of the notes during the write.
const MAX_ATTEMPTS: usize = 10;

/// Plans the change, records it in the journal, writes the files and, if `commits`, creates the commit;
/// one attempt.
fn attempt(
    context: &Context,
    open: &OpenVault,
    journal: &Journal,
    set: ChangeSet,
    unsynced: &mut Vec<PathBuf>,
    commits: bool,
) -> Result<WriteResult> {
    let rules = secrets::rules(context, open)?;
    let mut files = bytes_of(open, &rules, set.changes)?;
    if files.is_empty() {
        return Ok(WriteResult::default());
    }
    let changed: Vec<NotePath> = files.iter().map(|file| file.path.clone()).collect();
    core_listing::shorten_core(context, open, &mut files)?;
    let operation = context.new_uuid().simple().to_string();
    let message = secrets::clean_message(&rules, with_actor(set.message, &context.request.caller))?;
    let message = CommitMessage { operation: Some(operation.clone()), ..message };
    if commits {
        moved_notes::find_moved(open, &mut files)?;
    }
    let entry = JournalEntry { operation, message, commits, files, join: None };
    if let Some(repo) = open.repo()?.filter(|_| entry.commits) {
        refuse_during_merge(repo)?;
        if repo.head()?.branch.is_none() && !repo.is_jujutsu() {
            context
                .notice("HEAD is on no branch: `git switch -c NAME` keeps this commit when you switch away");
        }
    }
    if let Some(vault_cache) = open.cached() {
        vault_cache.writes().begin(entry.files.iter().map(|file| &file.path));
    }
    if creates_only(&entry) {
        journal.begin_creation(&entry)?;
    } else {
        journal.begin(&entry)?;
    }
    let commit = or_roll_back(open, journal, &entry, write_and_commit(context, open, &entry, unsynced))?;
    queue(open, &entry);
    open.set_stale();
    if let Some(vault_cache) = open.cached() {
        vault_cache
            .writes()
            .record(context.request.caller.actor.as_deref(), entry.files.iter().map(|file| &file.path));
    }
    journal.done(&entry.operation)?;
    // Folding usage is housekeeping: the change stands whether or not it works.
    let _ = open.usage().compact();
    Ok(WriteResult { commit, changed })
}

/// Returns the effect of a change on each file; an error if the change would be refused. Does not
/// take the lock.
fn preview(context: &Context, set: ChangeSet) -> Result<Vec<FilePreview>> {
    let open = context.target();
    let files = bytes_of(open, &secrets::rules(context, open)?, set.changes)?;
    let text = |bytes: Option<FileBytes>| {
        bytes.map(|bytes| String::from_utf8_lossy(bytes.as_slice()).into_owned()).unwrap_or_default()
    };
    let preview = |file: FileChange| FilePreview {
        path: file.path,
        before: text(file.before),
        after: text(file.after),
    };
    Ok(files.into_iter().map(preview).collect())
}

/// Result of committing files as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitAsIsResult {
    /// Commit hash; `None` if nothing changed or every file was refused.
    pub commit: Option<String>,
    /// Likely secrets; their files were not committed.
    pub stopped: Vec<BlockedSecret>,
}

/// Commits files as they are in the work tree, such as a person's own edits. Files with likely
/// secrets are left out; `message` receives the paths of the others.
///
/// # Errors
/// Returns the errors of [`apply`].
pub fn commit_as_is(
    context: &Context,
    paths: &[NotePath],
    message: impl FnOnce(&[NotePath]) -> CommitMessage,
) -> Result<CommitAsIsResult> {
    let open = context.target();
    may_change(context, open)?;
    let _session = WriteSession::begin(context, open)?;
    let Some(repo) = open.repo()? else { return Ok(CommitAsIsResult::default()) };
    refuse_during_merge(repo)?;
    let rules = secrets::rules(context, open)?;
    let allowed = secrets::SecretExceptions::of(context, open);
    let (mut outcome, mut sound, mut changes) = (CommitAsIsResult::default(), Vec::new(), Vec::new());
    for path in paths {
        let bytes = content_or_none(open, path)?;
        let before = committed_bytes(open, path)?;
        let stopped = secrets::find_new_secrets(&rules, &allowed, path, before.as_deref(), bytes.as_deref());
        if stopped.is_empty() {
            sound.push(path.clone());
            let kind = bytes.map_or(PathKind::Remove, |bytes| PathKind::Whole { bytes });
            changes.push(PathChange { path: path.clone(), from: Vec::new(), kind });
        }
        outcome.stopped.extend(stopped);
    }
    if changes.is_empty() {
        return Ok(outcome);
    }
    let message = secrets::clean_message(&rules, with_actor(message(&sound), &context.request.caller))?;
    let committed = repo.commit(&changes, &message, &options(context, open))?;
    outcome.commit = committed.map(|committed| committed.id.to_string());
    Ok(outcome)
}

/// Completes operations that were interrupted, and returns their number. Every writer does this
/// first, and `cm doctor` on request.
///
/// # Errors
/// Returns an error if the vault is locked, or if a file or commit cannot be written.
pub fn recover(context: &Context) -> Result<usize> {
    let open = context.target();
    // Without the checks of a new change: the interrupted one passed them.
    open.writable()?;
    Ok(WriteSession::begin(context, open)?.completed)
}

fn with_actor(message: CommitMessage, caller: &CallerIdentity) -> CommitMessage {
    let (agent, caller) = (caller.agent_name(), caller.clone());
    CommitMessage {
        actor: message.actor.or(caller.actor),
        agent: message.agent.or(agent),
        session: message.session.or(caller.session),
        reason: message.reason.or(caller.reason),
        ..message
    }
}

/// Creates an error of kind [`ErrorKind::NothingDone`].
pub fn nothing_done(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::NothingDone, "nothing-done", why)
}
