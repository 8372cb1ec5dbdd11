//! Pinning: a pinned memory never fades, and lies in `vault/`; a pinned bullet is left alone by automation.

use super::add::place;
use super::curate;
use super::error::{Error, Result};
use super::find::find_to_change;
use super::memory::Memory;
use super::update::Changed;
use super::write;
use cm_note::change::{Change, ChangeSet, ContentHash};
use cm_note::frontmatter::edit::Edit;
use cm_note::message::Message;
use cm_note::note::Kind;
use cm_note::path::NotePath;
use cm_playbook::curation::Authority;
use cm_playbook::curation::delta::{Delta, DeltaFile, Pin};

/// Pins a memory: it moves to `vault/`, its id stays. Or a bullet, where it lies.
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
    memory.persons_only(if pinned { "pin a note" } else { "unpin a note" })?;
    let found = find_to_change(memory, reference)?;
    let note = &found.note;
    match note.kind {
        Kind::Memory => {}
        Kind::Bullet => return set_bullet(memory, &found, pinned),
        _ => {
            return Err(Error::usage(format!(
                "{} is neither a memory nor a bullet, and only those are pinned",
                note.path
            )));
        }
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

/// A pinned bullet says so in its frontmatter, and stays where it lies.
fn set_bullet(memory: &Memory, found: &super::find::Found<'_>, pinned: bool) -> Result<Changed> {
    let id = found.note.key().to_owned();
    let pin = Pin { id: id.clone(), reason: memory.call.by.reason.clone() };
    let delta = if pinned { Delta::Pin(pin) } else { Delta::Unpin(pin) };
    let how = curate::Options {
        authority: Authority::Person,
        dry_run: false,
        sweep: false,
        op: if pinned { "pin" } else { "unpin" },
        subject: None,
    };
    let file = DeltaFile { deltas: vec![delta], ..DeltaFile::default() };
    let outcome = curate::curate(memory, &file, &how)?;
    for step in &outcome.report.demotions {
        memory.notice(format!("{} is deprecated now: {}", step.id, step.reason));
    }
    for inversion in &outcome.report.inversions {
        memory.notice(format!("{} warns of it: {}", inversion.to, inversion.content));
    }
    match curate::refusal(&outcome.report) {
        Some(error) => Err(error),
        None => Ok(Changed {
            id,
            path: found.note.path.to_string(),
            commit: outcome.commit.clone(),
            changed: !outcome.report.applied.is_empty(),
        }),
    }
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
