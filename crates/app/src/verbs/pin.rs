//! Pins notes: a pinned memory does not decay and is stored in `vault/`; automation does not change
//! a pinned bullet.

use crate::context::find::{ResolvedNote, find_in_target, in_vault_of};
use crate::context::open::Context;
use crate::context::write::{self, WriteResult};
use crate::error::{Error, Result};
use crate::verbs::curate::{CurationOptions, curate_one};
use crate::verbs::history;
use crate::verbs::note_fields::sharded;
use crate::verbs::relink::{self, LinkChanges, RelinkedNote};
use crate::verbs::update::{UpdateResult, revision_of};
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::frontmatter::edit::Edit;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::NoteKind;
use cm_note::path::NotePath;
use cm_playbook::curation::delta::{CurationDelta, PinDelta};

/// Folder of pinned memories.
const PINNED: &str = "vault";

/// Pins a memory, which moves to `vault/` under the same ID, or a bullet, which stays in place.
///
/// # Errors
/// A note that is not found, not a memory and not a bullet, and the errors of [`write::apply`].
pub fn pin(context: &Context, reference: &str) -> Result<UpdateResult> {
    in_vault_of(context, reference, |context| set(context, reference, PinAction::Pin))
}

/// Unpins a memory, which moves back to the folder from which it was pinned, else to that of its type, or
/// a bullet.
///
/// # Errors
/// The errors of [`pin`].
pub fn unpin(context: &Context, reference: &str) -> Result<UpdateResult> {
    in_vault_of(context, reference, |context| set(context, reference, PinAction::Unpin))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PinAction {
    Pin,
    Unpin,
}

impl PinAction {
    fn op(self) -> CommitOp {
        match self {
            Self::Pin => CommitOp::Pin,
            Self::Unpin => CommitOp::Unpin,
        }
    }
}

fn set(context: &Context, reference: &str, action: PinAction) -> Result<UpdateResult> {
    context.persons_only(&format!("{} a note", action.op().name()))?;
    let found = find_in_target(context, reference)?;
    let note = &found.note;
    match note.kind {
        NoteKind::Memory => {}
        NoteKind::Bullet => return set_bullet(context, &found, action),
        _ => {
            return Err(Error::usage(format!(
                "{} is neither a memory nor a rule; only those can be pinned",
                note.path
            )));
        }
    }
    if note.pinned == (action == PinAction::Pin) {
        return Ok(UpdateResult::of_write(found.open, note.key(), &note.path, WriteResult::default()));
    }
    // The folder says it; a key that says otherwise would contradict it.
    let edits = vec![Edit::Remove { key: "pinned".to_owned() }];
    let (to, subject) = match action {
        PinAction::Pin => (destination(&found, PINNED)?, format!("Pin \"{}\"", note.title)),
        PinAction::Unpin => (unpinned(&found)?, format!("Unpin \"{}\"", note.title)),
    };
    let message = CommitMessage::new(action.op(), subject).id(note.key());
    let (from, expected) = (note.path.clone(), ContentHash::of(&found.bytes));
    let mut changes = Vec::new();
    if to == from {
        changes.push(VaultFileChange::edit(from, edits));
    } else {
        let links = links_after_move(context, &found, &to, &edits)?;
        changes.extend(links.file_changes());
        let edits = edits.into_iter().chain(links.own).collect();
        changes.push(VaultFileChange::Move { from, to: to.clone(), expected, edits });
    }
    let written = write::apply(context, ChangeSet { message, changes })?;
    Ok(UpdateResult::of_write(found.open, note.key(), &to, written))
}

/// Plans the edits that keep the links to and from a note valid after its move.
fn links_after_move(
    context: &Context,
    found: &ResolvedNote<'_>,
    to: &NotePath,
    edits: &[Edit],
) -> Result<LinkChanges> {
    let notes = context.notes_of(found.open)?;
    let at = notes.iter().position(|note| note.path == found.note.path);
    let (Some(at), Ok(text)) = (at, std::str::from_utf8(&found.bytes)) else {
        return Ok(LinkChanges::default());
    };
    let text = relink::edited(&found.note.path, text, edits)?;
    relink::plan(
        context,
        found.open,
        &notes,
        RelinkedNote { at, path: to.clone(), text: &text, heading: None },
    )
}

/// Sets or removes `pinned` in a bullet's frontmatter; the file is not moved.
fn set_bullet(context: &Context, found: &ResolvedNote<'_>, action: PinAction) -> Result<UpdateResult> {
    let id = found.note.key().to_owned();
    let pin = PinDelta { id: id.clone(), reason: context.request.caller.reason.clone() };
    let delta = match action {
        PinAction::Pin => CurationDelta::Pin(pin),
        PinAction::Unpin => CurationDelta::Unpin(pin),
    };
    let outcome = curate_one(context, delta, &CurationOptions::by_person(action.op()))?;
    for step in &outcome.report.demotions {
        context.notice(format!("{} is now deprecated: {}", step.id, step.reason));
    }
    for inversion in &outcome.report.inversions {
        context.notice(format!("{} now warns about it: {}", inversion.to, inversion.content));
    }
    Ok(UpdateResult {
        id,
        path: found.note.path.to_string(),
        commit: outcome.commit.clone(),
        changed: !outcome.report.applied.is_empty(),
        revision: revision_of(found.open, &found.note.path),
    })
}

/// Returns the path of a memory after it is unpinned: in the folder from which it was pinned according to
/// the history, else in that of its type. A memory that a key pinned stays in place.
fn unpinned(found: &ResolvedNote<'_>) -> Result<NotePath> {
    let note = &found.note;
    if note.path.top() != PINNED {
        return Ok(note.path.clone());
    }
    let versions = history::versions(found.open, note.key(), &note.path).unwrap_or_default();
    let into = versions.into_iter().filter(|version| version.path.top() == PINNED);
    let from = into.filter_map(|version| version.moved_from).find(|from| from.top() != PINNED);
    if let Some(path) = from.and_then(|from| NotePath::below(from.folder(), note.path.file_name())) {
        return Ok(path);
    }
    let types = &found.open.settings.types;
    let memory_type =
        types.get(note.note_type.as_deref().unwrap_or("general")).or_else(|| types.get("general"));
    let memory_type = memory_type.ok_or_else(|| Error::usage("unknown type"))?;
    destination(found, &format!("graph/{}", memory_type.folder))
}

/// Returns the path of a moved note: same file name in `folder`, or in a subfolder by ID if that is
/// full.
fn destination(found: &ResolvedNote<'_>, folder: &str) -> Result<NotePath> {
    let note = &found.note;
    if note.path.folder() == folder {
        return Ok(note.path.clone());
    }
    let file = note.path.file_name();
    match &note.id {
        Some(id) => sharded(found.open, folder, file, id),
        None => Ok(NotePath::parse(&format!("{folder}/{file}"))?),
    }
}
