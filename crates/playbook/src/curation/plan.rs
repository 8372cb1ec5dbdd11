//! Computes the file changes of a curation.

use yaml_serde::Value;

use super::Playbook;
use super::adding::derived_bytes;
use super::apply::{CurationResult, NewContradiction};
use cm_note::bullet::Bullet;
use cm_note::bullet::content;
use cm_note::change::VaultFileChange;
use cm_note::frontmatter::edit::Edit;
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::note::bullet::{event, keys};
use cm_note::note::compose::{self, EdgeDraft, EdgeEnd};
use cm_note::note::name::edge_file_name;
use cm_note::note::types::CONTRADICTS;
use cm_note::path::NotePath;

/// Read access to the files of a vault, for planning changes.
pub struct VaultFiles<'a> {
    /// Returns the Markdown body of a bullet's file; `None` if the file does not exist.
    pub body: &'a dyn Fn(&NotePath) -> Option<String>,
    /// Returns whether a note with this id exists in the vault.
    pub is_known: &'a dyn Fn(&NoteId) -> bool,
    /// Returns a free path for a new file, given its preferred path and its id.
    pub place: &'a dyn Fn(&NotePath, &NoteId) -> NotePath,
}

/// Returns the file changes that turn one playbook into another: new files, and edits of existing
/// ones.
pub fn changes(
    before: &Playbook,
    after: &CurationResult,
    now: Instant,
    files: &VaultFiles<'_>,
) -> Vec<VaultFileChange> {
    let is_known = before.bullets.len();
    let mut changes: Vec<VaultFileChange> = Vec::new();
    for (old, new) in before.bullets.iter().zip(&after.playbook.bullets) {
        let edits = edits(old, new, files.body);
        if !edits.is_empty() {
            changes.push(VaultFileChange::edit(old.path.clone(), edits));
        }
    }
    for new in &after.playbook.bullets[is_known..] {
        let path = (files.place)(&new.path, &new.id);
        changes.push(VaultFileChange::Create { path, text: compose::bullet(new) });
    }
    for blocked in &after.playbook.blocked[before.blocked.len()..] {
        let path = (files.place)(&blocked.path, &blocked.id);
        changes.push(VaultFileChange::Create { path, text: compose::blocked(blocked, "") });
    }
    let mut edges: Vec<NoteId> = Vec::new();
    for found in &after.contradictions {
        let id = edge_id(found);
        if !edges.contains(&id) && !(files.is_known)(&id) {
            changes.extend(edge(found, &id, now, files, &after.playbook));
            edges.push(id);
        }
    }
    changes
}

/// Returns the edits of a bullet's file that turn `old` into `new`; empty if both are equal.
pub fn edits(old: &Bullet, new: &Bullet, body: &dyn Fn(&NotePath) -> Option<String>) -> Vec<Edit> {
    if old == new {
        return Vec::new();
    }
    let mut edits = Vec::new();
    for ((key, was), (_, is)) in keys(old).into_iter().zip(keys(new)) {
        if was == is {
            continue;
        }
        let grown = key == "feedback" && new.feedback.starts_with(&old.feedback);
        if grown {
            let more = &new.feedback[old.feedback.len()..];
            edits.extend(more.iter().map(|one| Edit::Push { key: key.clone(), item: event(one) }));
        } else if let Some(more) = grown_by(&was, &is).filter(|_| key == "sources") {
            edits.extend(more.iter().map(|one| Edit::Push { key: key.clone(), item: one.clone() }));
        } else if is == Value::Null {
            edits.push(Edit::Remove { key });
        } else {
            edits.push(Edit::Set { key, value: is });
        }
    }
    if old.content() != new.content() {
        let text = body(&old.path).unwrap_or_else(|| old.content().to_owned());
        edits.push(Edit::SetBody { text: content::with_rule(&text, new.content()) });
    }
    edits
}

/// If the new list starts with all items of the old one, returns the appended items; otherwise
/// `None`.
fn grown_by<'v>(was: &Value, is: &'v Value) -> Option<&'v [Value]> {
    let (was, is) = (was.as_sequence()?, is.as_sequence()?);
    is.strip_prefix(was.as_slice())
}

/// Creates the file of a CONTRADICTS edge between two bullets.
fn edge(
    found: &NewContradiction,
    id: &NoteId,
    now: Instant,
    files: &VaultFiles<'_>,
    playbook: &Playbook,
) -> Option<VaultFileChange> {
    let name = edge_file_name(&found.from.1, CONTRADICTS, &found.to.1, id);
    let path = NotePath::below("graph/edges", &name)?;
    let text = compose::edge(&EdgeDraft {
        id: id.clone(),
        relation: CONTRADICTS.to_owned(),
        from: end(&found.from, playbook)?,
        to: end(&found.to, playbook)?,
        strength: 1.0,
        created: now,
        body: format!("Found when it was added: {}.", found.reason),
    });
    Some(VaultFileChange::Create { path: (files.place)(&path, id), text })
}

fn end((id, content): &(NoteId, String), playbook: &Playbook) -> Option<EdgeEnd> {
    let bullet = playbook.bullets.iter().find(|bullet| bullet.id == *id)?;
    Some(EdgeEnd::of_file(id.as_str(), content, &bullet.path))
}

/// Derives the id of a contradiction's edge from the ids of its two bullets.
fn edge_id(found: &NewContradiction) -> NoteId {
    let bytes = derived_bytes(&[&format!("{CONTRADICTS} {} {}", found.from.0, found.to.0)]);
    uuid::Builder::from_random_bytes(bytes).into_uuid().into()
}
