//! Restores the files of a write that failed, and completes operations that were interrupted.

use std::collections::BTreeSet;

use super::content::content;
use super::operation::{commit, join_of, queue};
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_note::path::NotePath;
use cm_store::git::{self, Join, Repo};
use cm_store::vault::exchange;
use cm_store::vault::journal::{FileBytes, Journal, JournalEntry};
use cm_store::vault::write as files;

/// Returns the result of a write. If it failed, first restores the files and drops the journal entry.
pub(super) fn or_roll_back<T>(
    open: &OpenVault,
    journal: &Journal,
    entry: &JournalEntry,
    written: Result<T>,
) -> Result<T> {
    if written.is_err() {
        roll_back(open, entry)?;
        journal.drop_entry(&entry.operation)?;
    }
    written
}

/// Restores the former content of the files; those changed since the failed write stay as they are.
fn roll_back(open: &OpenVault, entry: &JournalEntry) -> Result<()> {
    for file in entry.files.iter().filter(|file| !file.left_out) {
        let found = content(open, &file.path)?;
        let after = file.after.as_ref().map(FileBytes::as_slice);
        if found.as_deref() == after {
            replace_if_unchanged(open, &file.path, after, file.before.as_ref())?;
        }
    }
    Ok(())
}

/// Replaces the content of a file if it still is `from`; a changed file is left as it is. `to` of
/// `None` deletes the file.
fn replace_if_unchanged(
    open: &OpenVault,
    path: &NotePath,
    from: Option<&[u8]>,
    to: Option<&FileBytes>,
) -> Result<()> {
    let replaced = match to {
        Some(to) => exchange::replace(&open.vault, path, from, to.as_slice()),
        None => exchange::remove(&open.vault, path, from),
    };
    match replaced {
        Ok(None) | Err(cm_store::vault::Error::Changed { .. }) => Ok(()),
        Ok(Some(old)) => Ok(old.finish(&open.vault).map(drop)?),
        Err(error) => Err(error.into()),
    }
}

/// Completes interrupted operations: writes the files that are unchanged since then, and creates
/// the commit if it is missing.
pub(super) fn finish_leftovers(context: &Context, open: &OpenVault, journal: &Journal) -> Result<usize> {
    let unfinished = journal.unfinished()?;
    let count = unfinished.len();
    for entry in unfinished {
        let contents = entry.files.iter().flat_map(|file| file.before.iter().chain(&file.after));
        let contents: Vec<&[u8]> = contents.map(FileBytes::as_slice).collect();
        let mut swept = BTreeSet::new();
        for file in entry.files.iter().filter(|file| swept.insert(file.path.folder())) {
            files::sweep(&open.vault, &file.path, &contents)?;
        }
        for file in entry.files.iter().filter(|file| !file.left_out) {
            let (before, after) = (file.before.as_ref().map(FileBytes::as_slice), file.after.as_ref());
            let found = content(open, &file.path)?;
            // A power failure may have left a part of a new file.
            let is_cut_short = (before.is_none() || entry.join.is_some())
                && found
                    .as_deref()
                    .zip(after)
                    .is_some_and(|(found, after)| after.as_slice().starts_with(found));
            if found.as_deref() == before || is_cut_short {
                replace_if_unchanged(open, &file.path, found.as_deref(), after)?;
            }
        }
        if entry.commits && !is_committed(open, &entry)? {
            match commit(context, open, &entry) {
                // The branch went elsewhere meanwhile: the files are left as edits.
                Err(error) if error.is_changed_meanwhile() && entry.join.is_some() => {}
                outcome => drop(outcome?),
            }
        }
        queue(open, &entry);
        journal.done(&entry.operation)?;
        context.notice(format!("finished an interrupted operation: {}", entry.message.subject));
    }
    Ok(count)
}

fn is_committed(open: &OpenVault, entry: &JournalEntry) -> Result<bool> {
    let Some(repo) = open.repo()? else { return Ok(true) };
    if is_passed(repo, entry)? {
        return Ok(true);
    }
    let operation = Some(entry.operation.clone());
    let filter = git::LogFilter { operation, limit: Some(1), ..git::LogFilter::default() };
    Ok(!repo.log(&filter)?.is_empty())
}

/// Whether the branch has moved past the commit to which an interrupted operation would move it.
fn is_passed(repo: &Repo, entry: &JournalEntry) -> Result<bool> {
    let Some(Join::FastForward(target)) = join_of(entry) else { return Ok(false) };
    let Some(head) = repo.head()?.commit else { return Ok(false) };
    Ok(head != target && repo.contains(head, target)?)
}
