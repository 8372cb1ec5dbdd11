//! Pinning: a pinned memory never fades, and lies in `vault/`.

use super::add::place;
use super::error::{Error, Result};
use super::find::find_to_change;
use super::memory::Memory;
use super::update::Changed;
use super::write;
use crate::domain::change::{Change, ChangeSet, ContentHash};
use crate::domain::frontmatter::edit::Edit;
use crate::domain::message::Message;
use crate::domain::note::Kind;
use crate::domain::path::NotePath;

/// Pins a memory: it moves to `vault/`, its id stays.
///
/// # Errors
/// Not found, not a memory, and those of [`write::apply`].
pub fn pin(memory: &Memory, reference: &str) -> Result<Changed> {
    set(memory, reference, true)
}

/// Lets a pinned memory fade again: it moves back to its type's folder.
///
/// # Errors
/// Those of [`pin`].
pub fn unpin(memory: &Memory, reference: &str) -> Result<Changed> {
    set(memory, reference, false)
}

fn set(memory: &Memory, reference: &str, pinned: bool) -> Result<Changed> {
    let found = find_to_change(memory, reference)?;
    let note = &found.note;
    if note.kind != Kind::Memory {
        return Err(Error::usage(format!("{} is no memory, and only memories are pinned", note.path)));
    }
    let mut outcome =
        Changed { id: note.key().to_owned(), path: note.path.to_string(), commit: None, changed: false };
    if note.pinned == pinned {
        return Ok(outcome);
    }
    // The folder says it; a key that says otherwise would contradict it.
    let edits = vec![Edit::Remove { key: "pinned".to_owned() }];
    let to = if pinned { destination(&found, "vault")? } else { destination(&found, &home(&found)?)? };
    let verb = if pinned { "pin" } else { "unpin" };
    let subject = format!("{} \"{}\"", if pinned { "Pin" } else { "Unpin" }, note.title);
    let message = Message::new(verb, subject).id(note.key());
    let (from, expected) = (note.path.clone(), ContentHash::of(&found.bytes));
    let change = match to == from {
        true => Change::Edit { path: from, edits },
        false => Change::Move { from, to: to.clone(), expected, edits },
    };
    let written = write::apply(memory, ChangeSet { message, changes: vec![change] })?;
    outcome.path = to.to_string();
    outcome.commit = written.commit;
    outcome.changed = !written.changed.is_empty();
    Ok(outcome)
}

fn home(found: &super::find::Found<'_>) -> Result<String> {
    let name = found.note.note_type.as_deref().unwrap_or("general");
    let known = found.open.settings.types.get(name).or_else(|| found.open.settings.types.get("general"));
    known.map(|known| format!("graph/{}", known.folder)).ok_or_else(|| Error::usage("there is no such type"))
}

/// The same file name in another folder; a note that lies there already stays.
fn destination(found: &super::find::Found<'_>, folder: &str) -> Result<NotePath> {
    let note = &found.note;
    if note.path.folder() == folder {
        return Ok(note.path.clone());
    }
    let same = NotePath::parse(&format!("{folder}/{}", note.path.file_name()));
    match (same, &note.id) {
        (Ok(path), _) if found.open.vault.crowd(folder, 1000) < 1000 => Ok(path),
        (_, Some(id)) => place(found.open, folder, &note.title, id),
        (Ok(path), None) => Ok(path),
        (Err(error), None) => Err(Error::usage(error.to_string())),
    }
}
