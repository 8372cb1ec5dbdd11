//! The only path by which changes reach files, history and index: lock, recover interrupted
//! operations, check, write the journal, write the files, commit exactly these paths, queue them
//! for the index.

mod joined;
mod moved_notes;
mod recovery;

pub use joined::{JoinedChange, JoinedFile, join};
use recovery::{finish_leftovers, or_roll_back};

use crate::context::actor::CallerIdentity;
use crate::context::core_listing;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::recent_writes::WriteTurn;
use crate::context::revision;
use crate::context::scoring::scoring;
use crate::context::secrets::{self, BlockedSecret};
use crate::error::{CHANGED_MEANWHILE, Error, ErrorKind, Result};
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::frontmatter::edit::{self, Edit};
use cm_note::frontmatter::split::Split;
use cm_note::id::NoteId;
use cm_note::message::CommitMessage;
use cm_note::note::{self, read};
use cm_note::path::NotePath;
use cm_secrets::RedactionRules;
use cm_store::config::{CommitMode, SettingOrigin, Settings, SettingsLayer, keys};
use cm_store::git::{self, PathChange, PathChangeKind as PathKind};
use cm_store::vault::exchange::{self, ReplacedFile};
use cm_store::vault::journal::{FileBytes, FileChange, Journal, JournalEntry};
use cm_store::vault::layout;
use cm_store::vault::lock::VaultLock;
use cm_store::vault::write as files;
use rayon::prelude::*;
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
    let message = CommitMessage::new("edit", format!("Edit {path}"));
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
    let message = secrets::clean_message(&rules, with_actor(set.message, &context.call.by))?;
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
            .record(context.call.by.actor.as_deref(), entry.files.iter().map(|file| &file.path));
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
    let message = secrets::clean_message(&rules, with_actor(message(&sound), &context.call.by))?;
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

/// Returns an error if the vault, the caller or the settings allow no change.
fn may_change(context: &Context, open: &OpenVault) -> Result<()> {
    open.writable()?;
    context.may_write()?;
    refuse_broken_settings(open)
}

/// The only writer of a vault, after the operations that others left unfinished are completed. Ends
/// when it is dropped.
struct WriteSession<'a> {
    journal: Journal,
    /// Number of completed operations.
    completed: usize,
    // Fields are dropped in this order: the lock is free before the next thread has its turn.
    _lock: VaultLock,
    _turn: Option<WriteTurn<'a>>,
}

impl<'a> WriteSession<'a> {
    /// # Errors
    /// Returns an error if the vault stays locked, or if an unfinished operation cannot be completed.
    fn begin(context: &Context, open: &'a OpenVault) -> Result<Self> {
        let turn = open.cached().and_then(|vault_cache| vault_cache.write_turns.take(open.lock_timeout()));
        let lock = VaultLock::take(&open.vault, &context.call.holder, open.lock_timeout())?;
        // What was read before may have been written by the one who held the lock.
        open.set_stale();
        let journal = Journal::of(&open.vault)?;
        let completed = finish_leftovers(context, open, &journal)?;
        Ok(Self { journal, completed, _lock: lock, _turn: turn })
    }
}

/// Refuses to write while `cm.toml` cannot be parsed.
fn refuse_broken_settings(open: &OpenVault) -> Result<()> {
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

/// Returns the content of a note in the newest commit; `None` if it is not in it or there is no
/// commit.
///
/// # Errors
/// Returns an error if the repository cannot be read.
pub fn committed_bytes(open: &OpenVault, path: &NotePath) -> Result<Option<Vec<u8>>> {
    let Some(repo) = open.repo()? else { return Ok(None) };
    let Some(head) = repo.head()?.commit else { return Ok(None) };
    Ok(repo.read_at(head, path)?)
}

/// Refuses to delete or overwrite content that no commit contains. If the note is ignored or there
/// is no repository, only adds a notice.
///
/// # Errors
/// Returns `hand-edited` if the note has uncommitted edits or is not committed yet.
pub fn refuse_uncommitted(context: &Context, open: &OpenVault, path: &NotePath, bytes: &[u8]) -> Result<()> {
    let keeps = match open.repo()? {
        Some(repo) => !repo.is_ignored(path)?,
        None => false,
    };
    if !keeps {
        context.notice(format!("the old content of {path} is not in a Git repository"));
        return Ok(());
    }
    let committed = committed_bytes(open, path)?;
    let (message, what) = match &committed {
        Some(committed) if committed == bytes => return Ok(()),
        Some(_) => (format!("{path} has uncommitted changes"), "them"),
        None => (format!("{path} is not committed yet"), "it"),
    };
    Err(Error::hand_edited(path, message)
        .hint(format!("commit {what} with `cm commit`, then run the command again")))
}

fn with_actor(message: CommitMessage, by: &CallerIdentity) -> CommitMessage {
    let (agent, by) = (by.agent_name(), by.clone());
    CommitMessage {
        actor: message.actor.or(by.actor),
        agent: message.agent.or(agent),
        session: message.session.or(by.session),
        reason: message.reason.or(by.reason),
        ..message
    }
}

/// Refuses to write while a merge, rebase or similar operation is in progress.
fn refuse_during_merge(repo: &git::Repo) -> Result<()> {
    match repo.state() {
        None => Ok(()),
        Some(operation) => {
            Err(git::Error::InProgress { workdir: repo.workdir().to_owned(), operation }.into())
        }
    }
}

fn options(context: &Context, open: &OpenVault) -> git::Options {
    let hooks = open.settings.flag(keys::GIT_HOOKS).unwrap_or(false);
    let sign = open.settings.flag(keys::GIT_SIGN);
    git::Options { hooks, sign, ..git::Options::new(context.now()) }
}

/// Computes the new content of each file; changes without effect are left out.
fn bytes_of(
    open: &OpenVault,
    rules: &RedactionRules,
    changes: Vec<VaultFileChange>,
) -> Result<Vec<FileChange>> {
    let mut files = Vec::with_capacity(changes.len());
    for change in changes {
        let path = change.path().clone();
        let before = content(open, &path)?;
        let checked = !matches!(change, VaultFileChange::Copy { .. });
        let is_new_text = matches!(change, VaultFileChange::Create { .. });
        let (after, edits) = match change {
            VaultFileChange::Move { from, expected, edits, .. } => {
                refuse_existing(open, &path)?;
                let moved = moved_notes::files(open, from, path, expected, edits)?;
                moved_notes::refuse_secrets(rules, &moved)?;
                files.extend(moved);
                continue;
            }
            VaultFileChange::Create { text, .. } => {
                refuse_existing(open, &path)?;
                (Some(text.into_bytes()), Vec::new())
            }
            VaultFileChange::Copy { expected, bytes, .. } => {
                match expected {
                    None => refuse_existing(open, &path)?,
                    Some(_) => refuse_changed(&path, before.as_deref(), expected)?,
                }
                (Some(bytes), Vec::new())
            }
            VaultFileChange::Edit { expected, edits, .. } => {
                let before = before.as_deref().ok_or_else(|| missing_file_error(&path))?;
                if expected.is_some_and(|expected| ContentHash::of(before) != expected) {
                    return Err(revision::conflict(&path, before, &edits));
                }
                (Some(edited(&path, before, &edits)?.into_bytes()), edits)
            }
            VaultFileChange::Replace { expected, text, .. } => {
                refuse_changed(&path, before.as_deref(), expected)?;
                (Some(text.into_bytes()), Vec::new())
            }
            VaultFileChange::Remove { expected, .. } => {
                before.as_deref().ok_or_else(|| missing_file_error(&path))?;
                refuse_changed(&path, before.as_deref(), expected)?;
                (None, Vec::new())
            }
        };
        if before != after {
            refuse_link(open, &path, after.is_some())?;
            if checked {
                refuse_new_errors(open, &path, before.as_deref(), after.as_deref())?;
            }
            if is_new_text {
                secrets::refuse_secrets_of_new_note(rules, &path, after.as_deref())?;
            } else {
                secrets::refuse_new_secrets(rules, &path, before.as_deref(), after.as_deref())?;
            }
            files.push(FileChange {
                path,
                from: Vec::new(),
                before: before.map(FileBytes::from),
                after: after.map(FileBytes::from),
                edits,
                executable: false,
                left_out: false,
            });
        }
    }
    Ok(files)
}

/// Returns the content of a file in the work tree; `None` if there is no such file, also if a folder has its name, or a
/// file that of its folder.
pub(crate) fn content_or_none(open: &OpenVault, path: &NotePath) -> Result<Option<Vec<u8>>> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match open.vault.read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        Err(_) if open.vault.file(path).is_dir() => Ok(None),
        Err(error) => Err(cm_store::vault::Error::io("read", &open.vault.file(path))(error).into()),
    }
}

/// Returns the content of a file in the work tree; `None` if nothing has its name. A folder in its place is an error,
/// unlike for [`content_or_none`]: a change would have to replace it.
fn content(open: &OpenVault, path: &NotePath) -> Result<Option<Vec<u8>>> {
    match open.vault.read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cm_store::vault::Error::io("read", &open.vault.file(path))(error).into()),
    }
}

/// Refuses a path that exists, even as a folder or a broken link.
fn refuse_existing(open: &OpenVault, path: &NotePath) -> Result<()> {
    if open.vault.file(path).symlink_metadata().is_ok() {
        return Err(Error::refused("exists", format!("{path} already exists")).at(path, None, None));
    }
    Ok(())
}

/// Refuses to write through a symbolic link: the content would change in another file than the one that
/// is committed.
fn refuse_link(open: &OpenVault, path: &NotePath, writes: bool) -> Result<()> {
    let file = open.vault.file(path);
    if !writes || !file.is_symlink() {
        return Ok(());
    }
    let target = std::fs::read_link(&file).unwrap_or_default();
    Err(Error::refused("is-link", format!("{path} is a symbolic link to {}", target.display()))
        .at(path, None, None)
        .hint("change the note that it leads to"))
}

/// Refuses a file with Git's conflict markers; the first one is on `line`.
pub(crate) fn conflict_marker_error(path: &NotePath, line: u32) -> Error {
    Error::refused("conflict-markers", format!("{path} contains an unresolved merge conflict"))
        .at(path, Some(line), Some(1))
        .hint("keep one of the versions and remove the conflict markers; nothing was committed")
}

fn missing_file_error(path: &NotePath) -> Error {
    Error::refused(CHANGED_MEANWHILE, format!("{path} no longer exists")).at(path, None, None)
}

fn refuse_changed(path: &NotePath, bytes: Option<&[u8]>, expected: Option<ContentHash>) -> Result<()> {
    match (bytes.map(ContentHash::of), expected) {
        (_, None) => Ok(()),
        (Some(found), Some(expected)) if found == expected => Ok(()),
        _ => Err(Error::refused(CHANGED_MEANWHILE, format!("{path} was changed in the meantime"))
            .at(path, None, None)
            .hint("nothing was written; run the command again")),
    }
}

/// Applies edits to a file. An empty one is refused: an editor that saves in place empties the file
/// first, and what it writes then would be lost with the file that the change replaces.
fn edited(path: &NotePath, before: &[u8], edits: &[Edit]) -> Result<String> {
    if before.is_empty() {
        return Err(Error::refused("empty-file", format!("{path} is empty"))
            .at(path, None, None)
            .hint("if an editor is saving it, run the command again; else write the note or delete it"));
    }
    let text = read::text(path, before).map_err(|finding| Error::of_encoding(path, &finding))?;
    edit::apply(text, edits).map_err(|error| Error::of_edit(path, &error))
}

/// Refuses a change that introduces a validation error into a note.
fn refuse_new_errors(
    open: &OpenVault,
    path: &NotePath,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<()> {
    let Some(after) = after else { return Ok(()) };
    if !path.is_markdown() || !path.as_str().contains('/') {
        return Ok(());
    }
    let errors = |bytes: &[u8]| -> Vec<Finding> {
        let reading = open.parse(path, bytes);
        // A bullet's words are read by programs: one that they do not know, or a rule too short to be one, is an error here.
        let bullet = reading.note.kind == note::NoteKind::Bullet;
        let counts = |found: &Finding| match found.severity {
            Severity::Error => true,
            _ => bullet && matches!(found.code, FindingCode::InvalidValue | FindingCode::OutOfRange),
        };
        reading.note.findings.into_iter().filter(counts).collect()
    };
    // A note without frontmatter has one error, the missing frontmatter; with an empty one, each missing key is an error.
    let bare = before
        .filter(|before| std::str::from_utf8(before).is_ok_and(|text| Split::of(text).yaml().is_none()));
    let with_an_empty_one = bare.map(|before| errors(&[b"---\n---\n", before].concat())).unwrap_or_default();
    let old_errors: Vec<_> = before.map(errors).into_iter().flatten().chain(with_an_empty_one).collect();
    let new = errors(after)
        .into_iter()
        .find(|found| old_errors.iter().all(|old| (old.code, &old.message) != (found.code, &found.message)));
    match new {
        None => Ok(()),
        Some(found) => {
            let error = Error::refused("invalid-note", found.message).at(path, found.line, found.column);
            Err(match found.hint {
                Some(hint) => error.hint(hint),
                None => error,
            })
        }
    }
}

/// Whether an operation changes and removes no file.
fn creates_only(entry: &JournalEntry) -> bool {
    entry.files.iter().all(|file| file.before.is_none() && file.after.is_some() && file.from.is_empty())
}

/// Writes the files, then creates the commit.
fn write_and_commit(
    context: &Context,
    open: &OpenVault,
    entry: &JournalEntry,
    unsynced: &mut Vec<PathBuf>,
) -> Result<Option<String>> {
    let mut replaced = Vec::new();
    let files = if creates_only(entry) || entry.join.is_some() {
        write_unsynced(open, entry, &mut replaced, unsynced)
    } else {
        write_files(open, entry, &mut replaced)
    };
    let outcome = files.and_then(|()| commit(context, open, entry));
    finish(context, open, entry, replaced);
    outcome
}

/// Removes the old files of replaced and removed ones. A failure is no error: by now the commit
/// may exist, and must not be rolled back.
fn finish(
    context: &Context,
    open: &OpenVault,
    entry: &JournalEntry,
    replaced: Vec<(NotePath, ReplacedFile)>,
) {
    let vault = &open.vault;
    let finish = |(path, old): (NotePath, ReplacedFile)| (path, old.finish(vault));
    let finished: Vec<_> = match entry.join {
        Some(_) => replaced.into_par_iter().map(finish).collect(),
        None => replaced.into_iter().map(finish).collect(),
    };
    for (path, persists) in finished {
        match persists {
            Ok(true) => {}
            Ok(false) => context
                .notice(format!("another program saved {path} at the same moment; its version was kept")),
            Err(error) => {
                context.notice(format!("the old version of {path} stays in a temporary file: {error}"));
            }
        }
    }
}

fn write_unsynced(
    open: &OpenVault,
    entry: &JournalEntry,
    replaced: &mut Vec<(NotePath, ReplacedFile)>,
    unsynced: &mut Vec<PathBuf>,
) -> Result<()> {
    let vault = &open.vault;
    let write = |file: &FileChange| {
        if file.left_out {
            return Ok((None, None));
        }
        let before = file.before.as_ref().map(FileBytes::as_slice);
        match &file.after {
            Some(after) => {
                let (new, old) = exchange::replace_unsynced(vault, &file.path, before, after.as_slice())?;
                Ok((Some(new), old))
            }
            None => Ok((None, exchange::remove(vault, &file.path, before)?)),
        }
    };
    let files = &entry.files;
    // A synchronization can bring thousands of files.
    let written: Vec<std::result::Result<_, cm_store::vault::Error>> = match entry.join {
        Some(_) => files.par_iter().map(write).collect(),
        None => files.iter().map(write).collect(),
    };
    let mut outcome = Ok(());
    for (file, written) in files.iter().zip(written) {
        match written {
            Ok((new, old)) => {
                unsynced.extend(new);
                replaced.extend(old.map(|old| (file.path.clone(), old)));
            }
            // The caller restores the files that were written.
            Err(error) => outcome = outcome.and(Err(error.into())),
        }
    }
    outcome
}

fn write_files(
    open: &OpenVault,
    entry: &JournalEntry,
    replaced: &mut Vec<(NotePath, ReplacedFile)>,
) -> Result<()> {
    for file in &entry.files {
        let before = file.before.as_ref().map(FileBytes::as_slice);
        let old = match &file.after {
            Some(after) => exchange::replace(&open.vault, &file.path, before, after.as_slice())?,
            None => exchange::remove(&open.vault, &file.path, before)?,
        };
        replaced.extend(old.map(|old| (file.path.clone(), old)));
    }
    Ok(())
}

fn commit(context: &Context, open: &OpenVault, entry: &JournalEntry) -> Result<Option<String>> {
    let Some(repo) = open.repo()?.filter(|_| entry.commits) else { return Ok(None) };
    let reapply: Vec<_> =
        entry.files.iter().map(|file| move |text: &str| reapplied(open, file, text)).collect();
    let changes: Vec<PathChange<'_>> = entry
        .files
        .iter()
        .zip(&reapply)
        .map(|(file, reapply)| {
            let moved = moved_notes::source(entry, file);
            let kind = match &file.after {
                None => PathKind::Remove,
                Some(after) if entry.join.is_some() => PathKind::Joined {
                    bytes: after.as_slice().to_vec(),
                    executable: file.executable,
                    left_out: file.left_out,
                },
                Some(after) => PathKind::Write {
                    before: file.before.as_ref().or(moved).map(|bytes| bytes.as_slice().to_vec()),
                    after: after.as_slice().to_vec(),
                    reapply: (!file.edits.is_empty() || moved.is_some() || is_settings(file))
                        .then_some(reapply as git::Reapply<'_>),
                },
            };
            PathChange { path: file.path.clone(), from: file.from.clone(), kind }
        })
        .collect();
    let options = git::Options { join: joined::join_of(entry), ..options(context, open) };
    let committed = repo.commit(&changes, &entry.message, &options)?;
    repo.maintain();
    Ok(committed.map(|committed| committed.id.to_string()))
}

fn is_settings(file: &FileChange) -> bool {
    file.path.as_str() == layout::SETTINGS
}

/// Applies the change of a file to another version of it: settings by key, notes by their edits.
fn reapplied(open: &OpenVault, file: &FileChange, text: &str) -> Option<String> {
    let (Some(before), Some(after), true) = (&file.before, &file.after, is_settings(file)) else {
        return edit::apply(text, &file.edits).ok();
    };
    let versions =
        cm_merge::Versions { base: Some(before.as_slice()), ours: text.as_bytes(), theirs: after.as_slice() };
    let settings = &open.settings;
    let scoring = scoring(settings);
    let vocabulary =
        cm_merge::Vocabulary { types: &settings.types, relations: &settings.relations, scoring: &scoring };
    let merged = cm_merge::merge_file(&file.path, &versions, &vocabulary, cm_merge::Clash::Markers);
    String::from_utf8(merged.bytes).ok().filter(|_| !merged.markers)
}

/// Queues the changed paths for the next index refresh. Failures are ignored, because the next walk
/// over the folder finds the changes.
fn queue(open: &OpenVault, entry: &JournalEntry) {
    let id_of = |bytes: &FileBytes| {
        let text = std::str::from_utf8(bytes.as_slice()).ok()?;
        NoteId::parse(&read::id_text(text)?).ok()
    };
    let written = entry.files.iter().map(|file| (file.path.clone(), file.after.as_ref().and_then(id_of)));
    let _ = open.index().queue(&written.collect::<Vec<_>>());
}

/// Creates an error of kind [`ErrorKind::NothingDone`].
pub fn nothing_done(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::NothingDone, "nothing-done", why)
}
