//! Editing a note in the person's editor: what was saved stays, is checked, and is committed where it is sound.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::find::{find_to_change, load};
use super::memory::Memory;
use super::write;
use cm_note::finding::{Finding, Severity};
use cm_note::message::Message;

/// What came of an edit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Edited {
    /// What the note answers to.
    pub id: String,
    /// Its file.
    pub path: String,
    /// The commit; null where commits are manual, nothing changed, or what was saved has errors.
    pub commit: Option<String>,
    /// Whether the file's bytes are other than before.
    pub changed: bool,
    /// What is wrong with what was saved.
    pub findings: Vec<Finding>,
}

/// Hands the note's file to `editor`, then checks what it saved. A note with errors is kept as saved, and not committed.
///
/// # Errors
/// Not found, an editor that fails, and a live-looking secret in what was saved, and those of [`write::commit_as_is`].
pub fn edit(memory: &Memory, reference: &str, editor: &dyn Fn(&PathBuf) -> Result<()>) -> Result<Edited> {
    memory.persons_only("edit a note in an editor")?;
    let found = find_to_change(memory, reference)?;
    let (path, open) = (found.note.path.clone(), found.open);
    editor(&open.vault.file(&path))?;
    let after = load(open, &path).map_err(|_| {
        Error::refused("gone", format!("{path} is gone after editing"))
            .at(&path, None, None)
            .hint("git has it: `git checkout` brings it back")
    })?;
    let sound = after.note.findings.iter().all(|found| found.severity != Severity::Error);
    let changed = after.bytes != found.bytes;
    let mut outcome = Edited {
        id: after.note.key().to_owned(),
        path: path.to_string(),
        commit: None,
        changed,
        findings: after.note.findings.clone(),
    };
    if changed && sound && write::commits(open)? {
        let message = Message::new("edit", format!("Edit \"{}\"", after.note.title)).id(after.note.key());
        let committed = write::commit_as_is(memory, &[path], |_| message)?;
        if let Some(stopped) = committed.stopped.into_iter().next() {
            return Err(stopped.into_error());
        }
        outcome.commit = committed.commit;
    }
    Ok(outcome)
}
