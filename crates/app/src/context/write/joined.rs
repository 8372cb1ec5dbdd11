//! Brings commits of another history into the vault: their files through the journal and the safe
//! exchange of files, then a merge commit or a move of the branch.

use super::content::content;
use super::operation::{queue, write_and_commit};
use super::recovery::or_roll_back;
use super::session::{WriteSession, refuse_broken_settings, refuse_during_merge, settings_broken_in_head};
use super::{MAX_ATTEMPTS, WriteResult, with_actor};
use std::collections::HashSet;

use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, repository};
use crate::error::{Error, Result};
use cm_note::message::CommitMessage;
use cm_note::path::NotePath;
use cm_store::git::{Join, Repo};
use cm_store::vault::journal::{FileBytes, FileChange, Journal, JournalEntry, JournalJoin};
use cm_store::vault::write as files;

/// Files and history that a synchronization brings into the vault.
#[derive(Debug)]
pub struct JoinedChange {
    /// Message of the merge commit; unused if the branch only moves.
    pub message: CommitMessage,
    pub files: Vec<JoinedFile>,
    pub join: Join,
}

/// One file of a [`JoinedChange`], as in HEAD and as it will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedFile {
    pub path: NotePath,
    /// Content in HEAD; `None` if the file does not exist there.
    pub before: Option<Vec<u8>>,
    /// New content; `None` removes the file.
    pub after: Option<Vec<u8>>,
    pub executable: bool,
}

/// Applies the change that `plan` returns while the vault's lock is held. The plan is made again if
/// another program saves one of the files meanwhile.
///
/// # Errors
/// Returns `hand-edited` if a file has uncommitted changes, and the errors of [`super::apply`].
pub fn join(
    context: &Context,
    mut plan: impl FnMut(&OpenVault, &Repo) -> Result<Option<JoinedChange>>,
) -> Result<WriteResult> {
    let open = context.target();
    open.writable()?;
    context.may_write()?;
    // The remote may have the repaired settings.
    if settings_broken_in_head(open)?.is_none() {
        refuse_broken_settings(open)?;
    }
    let repo = repository(open)?;
    let session = WriteSession::begin(context, open)?;
    refuse_during_merge(repo)?;
    let mut attempts = 0;
    loop {
        let Some(change) = plan(open, repo)? else { return Ok(WriteResult::default()) };
        match attempt(context, open, &session.journal, change) {
            Err(error) if error.is_changed_meanwhile() && attempts < MAX_ATTEMPTS => attempts += 1,
            outcome => return outcome,
        }
    }
}

fn attempt(
    context: &Context,
    open: &OpenVault,
    journal: &Journal,
    change: JoinedChange,
) -> Result<WriteResult> {
    let left_out = repository(open)?.left_out(change.files.iter().map(|file| &file.path))?;
    let mut committed_only = HashSet::new();
    for file in &change.files {
        if file.after.is_some() {
            refuse_in_the_way(open, &file.path)?;
        }
        let found = content(open, &file.path)?;
        // Without a new version, an edit that a person hid from Git would be a new file.
        if left_out.contains(&file.path)
            && (found.is_none() || (found != file.before && file.after.is_some()))
        {
            committed_only.insert(file.path.clone());
            continue;
        }
        // A file that already has the new content was brought by hand.
        if found != file.before && found != file.after {
            if open.vault.file(&file.path).is_symlink() {
                let message = format!(
                    "{} is a symbolic link here, and the remote changed a file of that name",
                    file.path
                );
                return Err(Error::refused("in-the-way", message)
                    .at(&file.path, None, None)
                    .hint("move the link away, then run the command again"));
            }
            return Err(uncommitted(repository(open)?, file)?);
        }
    }
    let operation = context.new_uuid().simple().to_string();
    let message = CommitMessage {
        operation: Some(operation.clone()),
        ..with_actor(change.message, &context.request.caller)
    };
    let changed = change.files.into_iter().map(|file| FileChange {
        left_out: committed_only.contains(&file.path),
        path: file.path,
        from: Vec::new(),
        before: file.before.map(FileBytes::from),
        after: file.after.map(FileBytes::from),
        edits: Vec::new(),
        executable: file.executable,
    });
    let join = match change.join {
        Join::Merge(theirs) => JournalJoin::Merge(theirs.to_string()),
        Join::FastForward(theirs) => JournalJoin::FastForward(theirs.to_string()),
    };
    let entry =
        JournalEntry { operation, message, commits: true, files: changed.collect(), join: Some(join) };
    journal.begin(&entry)?;
    let mut unsynced = Vec::new();
    let written = write_and_commit(context, open, &entry, &mut unsynced);
    let commit = or_roll_back(open, journal, &entry, written)?;
    // The commit exists: if this fails, the next writer completes the operation.
    files::sync_all(&unsynced)?;
    queue(open, &entry);
    open.set_stale();
    journal.done(&entry.operation)?;
    Ok(WriteResult { commit, changed: entry.files.into_iter().map(|file| file.path).collect() })
}

/// The refusal to overwrite a file that is here in another version than in HEAD.
fn uncommitted(repo: &Repo, file: &JoinedFile) -> Result<Error> {
    let path = &file.path;
    let (message, hint) = if repo.is_hidden(path)? {
        let hint = format!(
            "`git update-index --no-skip-worktree --no-assume-unchanged {path}` shows them; commit or remove them, then run the command again"
        );
        (format!("{path} has changes that are hidden from Git"), hint)
    } else if file.before.is_none() && repo.is_ignored(path)? {
        let hint = "move the file away, then run the command again".to_owned();
        (format!("the remote has {path}, and another file of this name, which Git ignores, is here"), hint)
    } else {
        let hint = "commit them with `cm commit`, or remove them, then run the command again".to_owned();
        (format!("{path} has uncommitted changes"), hint)
    };
    Ok(Error::hand_edited(path, message).hint(hint))
}

/// Refuses a file in whose place there is a folder here, or in a folder in whose place there is a
/// file. Git exchanges one for the other.
fn refuse_in_the_way(open: &OpenVault, path: &NotePath) -> Result<()> {
    let file = open.vault.file(path);
    let found = file.is_dir().then_some(file.as_path()).or_else(|| {
        let folders = file.ancestors().skip(1).take_while(|folder| *folder != open.vault.root());
        folders.take_while(|folder| !folder.is_dir()).find(|folder| folder.symlink_metadata().is_ok())
    });
    let Some(found) = found else { return Ok(()) };
    let found = found.strip_prefix(open.vault.root()).unwrap_or(found).display();
    let message = format!("the remote has the file {path}, and here {found} is in its way");
    Err(Error::refused("in-the-way", message)
        .at(path, None, None)
        .hint("take the change over with `git pull`, or move what is in its way, then run `cm sync` again"))
}
