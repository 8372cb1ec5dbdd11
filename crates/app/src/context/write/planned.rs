//! The new content of each file of a change, computed and checked before anything is written.

use super::content::{content, edited};
use super::moved_notes;
use super::refusals::{missing_file_error, refuse_changed, refuse_existing, refuse_link, refuse_new_errors};
use crate::context::open_vault::OpenVault;
use crate::context::{revision, secrets};
use crate::error::Result;
use cm_note::change::{ContentHash, VaultFileChange};
use cm_secrets::RedactionRules;
use cm_store::vault::journal::{FileBytes, FileChange};

/// Computes the new content of each file; changes without effect are left out.
pub(super) fn bytes_of(
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
