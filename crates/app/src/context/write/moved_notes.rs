//! Tracks notes that were moved since the newest commit, by this change or by hand.

use super::content::{content, edited};
use super::refusals::{missing_file_error, refuse_changed, refuse_new_errors};
use crate::context::open_vault::OpenVault;
use crate::context::secrets;
use crate::error::Result;
use cm_note::change::ContentHash;
use cm_note::frontmatter::edit::Edit;
use cm_note::id::NoteId;
use cm_note::path::NotePath;
use cm_secrets::RedactionRules;
use cm_store::git::EditKind;
use cm_store::vault::journal::{FileBytes, FileChange, JournalEntry};

/// Returns the file changes of a move: the new file, which refers to its old path, and the deletion
/// of the old file.
pub(super) fn files(
    open: &OpenVault,
    from: NotePath,
    to: NotePath,
    expected: ContentHash,
    edits: Vec<Edit>,
) -> Result<[FileChange; 2]> {
    let before = content(open, &from)?;
    refuse_changed(&from, before.as_deref(), Some(expected))?;
    let before = before.ok_or_else(|| missing_file_error(&from))?;
    let after = match edits.is_empty() {
        true => before.clone(),
        false => edited(&from, &before, &edits)?.into_bytes(),
    };
    refuse_new_errors(open, &to, Some(&before), Some(&after))?;
    let new = FileChange {
        path: to,
        from: vec![from.clone()],
        before: None,
        after: Some(after.into()),
        edits,
        executable: false,
        left_out: false,
    };
    let old = FileChange {
        path: from,
        from: Vec::new(),
        before: Some(before.into()),
        after: None,
        edits: Vec::new(),
        executable: false,
        left_out: false,
    };
    Ok([new, old])
}

/// Refuses a move that adds a secret to a note or its name.
pub(super) fn refuse_secrets(rules: &RedactionRules, [new, old]: &[FileChange; 2]) -> Result<()> {
    let text = |bytes: &'_ Option<FileBytes>| bytes.as_ref().map(|bytes| bytes.as_slice().to_vec());
    secrets::refuse_new_secrets(rules, &new.path, text(&old.before).as_deref(), text(&new.after).as_deref())?;
    secrets::refuse_new_secrets(rules, &new.path, None, Some(&[]))
}

/// Returns the content that a moved file had at its old path; `None` if the file was not moved.
pub(super) fn source<'e>(entry: &'e JournalEntry, file: &FileChange) -> Option<&'e FileBytes> {
    if file.before.is_some() {
        return None;
    }
    let from = file.from.first()?;
    entry.files.iter().find(|other| other.path == *from)?.before.as_ref()
}

/// Finds, by ID, notes that were moved by hand since the newest commit, so that the commit deletes
/// their old paths.
pub(super) fn find_moved(open: &OpenVault, files: &mut [FileChange]) -> Result<()> {
    let Some(repo) = open.repo()? else { return Ok(()) };
    let Some(head) = repo.head()?.commit else { return Ok(()) };
    let mut lost = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let old_paths = file.before.is_some().then_some(&file.path).into_iter().chain(&file.from);
        let mut places = old_paths.peekable();
        if file.after.is_none() || places.peek().is_none() {
            continue;
        }
        let mut found = false;
        for place in places {
            found |= repo.has_at(head, place)?;
        }
        let id = file.after.as_ref().and_then(|after| id_of(open, &file.path, after.as_slice()));
        lost.extend(id.filter(|_| !found).map(|id| (at, id)));
    }
    if lost.is_empty() {
        return Ok(());
    }
    for (path, changed) in repo.hand_edits()? {
        if changed != EditKind::Deleted || files.iter().any(|file| file.path == path) {
            continue;
        }
        let id = repo.read_at(head, &path)?.and_then(|bytes| id_of(open, &path, &bytes));
        if let Some(at) = lost.iter().position(|(_, lost)| Some(lost) == id.as_ref()) {
            files[lost.swap_remove(at).0].from.push(path);
        }
    }
    Ok(())
}

fn id_of(open: &OpenVault, path: &NotePath, bytes: &[u8]) -> Option<NoteId> {
    open.parse(path, bytes).note.id
}
