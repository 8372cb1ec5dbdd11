//! Deletes notes. They stay in the Git history; links that would dangle are reported.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::{find_in_target, in_vault_of};
use crate::context::open::Context;
use crate::context::revision;
use crate::context::write;
use crate::error::{Error, Result};
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::graph::{EdgeSourceForm, Graph};
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::{Note, NoteKind, RelationTable};

/// Result of deleting notes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Deleted {
    /// IDs of the deleted notes.
    pub ids: Vec<String>,
    /// Path of the first deleted note; null if none was deleted.
    pub path: Option<String>,
    /// Paths of the deleted notes.
    pub paths: Vec<String>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`).
    pub commit: Option<String>,
    /// Whether a note was deleted.
    pub changed: bool,
}

/// Deletes the notes, and the edge files that refer to them, in one commit.
///
/// # Errors
/// A note that is not found, `persons-only`, `conflict` if the note does not have the expected
/// revision, and the errors of [`write::apply`].
pub fn delete(context: &Context, references: &[String], expected_revision: Option<&str>) -> Result<Deleted> {
    if expected_revision.is_some() && references.len() != 1 {
        return Err(Error::usage("an expected revision needs exactly one note"));
    }
    match references.first() {
        Some(first) => {
            in_vault_of(context, first, |context| delete_here(context, references, expected_revision))
        }
        None => delete_here(context, references, expected_revision),
    }
}

fn delete_here(context: &Context, references: &[String], expected_revision: Option<&str>) -> Result<Deleted> {
    let mut deleted = Vec::new();
    for reference in references {
        let found = find_in_target(context, reference)?;
        may_delete(context, &found.note)?;
        if let Some(expected) = expected_revision {
            revision::check(&found.note.path, &found.bytes, expected, &[])?;
        }
        write::refuse_uncommitted(context, found.open, &found.note.path, &found.bytes)?;
        if deleted.iter().all(|(note, _): &(Note, _)| note.path != found.note.path) {
            deleted.push((found.note, ContentHash::of(&found.bytes)));
        }
    }
    let open = context.target();
    let ids: Vec<String> = deleted.iter().map(|(note, _)| note.key().to_owned()).collect();
    let notes = context.notes_of(open)?;
    let dangling = left_dangling(&notes, &open.settings.relations, &ids);
    for note in notes.iter() {
        let ends = note.edge.as_ref().is_some_and(|edge| ids.contains(&edge.from) || ids.contains(&edge.to));
        if ends && deleted.iter().all(|(other, _)| other.path != note.path) {
            let bytes = crate::context::find::load(open, &note.path)?.bytes;
            write::refuse_uncommitted(context, open, &note.path, &bytes)?;
            deleted.push((note.clone(), ContentHash::of(&bytes)));
        }
    }
    let subject = match &deleted[..ids.len()] {
        [(note, _)] => format!("Delete \"{}\"", note.title),
        several => format!("Delete {} notes: \"{}\" …", several.len(), several[0].0.title),
    };
    let message = deleted
        .iter()
        .fold(CommitMessage::new(CommitOp::Delete, subject), |message, (note, _)| message.id(note.key()));
    let changes = deleted
        .iter()
        .map(|(note, hash)| VaultFileChange::Remove { path: note.path.clone(), expected: Some(*hash) })
        .collect();
    let written = write::apply(context, ChangeSet { message, changes })?;
    dangling.into_iter().for_each(|notice| context.notice(notice));
    Ok(Deleted {
        ids: deleted.iter().map(|(note, _)| note.key().to_owned()).collect(),
        path: deleted.first().map(|(note, _)| note.path.to_string()),
        paths: deleted.iter().map(|(note, _)| note.path.to_string()).collect(),
        commit: written.commit,
        changed: !written.changed.is_empty(),
    })
}

/// Refuses an agent's deletion of a memory unless an agent added it, it awaits confirmation and it
/// is not pinned.
///
/// # Errors
/// Returns `persons-only` if the agent may not delete it.
fn may_delete(context: &Context, note: &Note) -> Result<()> {
    let is_agents = note.kind == NoteKind::Memory && (note.agent.is_some() || note.session.is_some());
    if is_agents && !note.pinned && note.is_waiting() {
        return Ok(());
    }
    context.persons_only("delete a note that is confirmed or that no agent added")
}

/// Describes the links from remaining notes to deleted ones, one per line; links in edge files are
/// not listed.
fn left_dangling(notes: &[Note], relations: &RelationTable, gone: &[String]) -> Vec<String> {
    let (graph, _) = Graph::build(notes, relations);
    let goes = |at: usize| gone.iter().any(|id| id == notes[at].key());
    let mut lines = Vec::new();
    for (at, note) in notes.iter().enumerate().filter(|(at, _)| goes(*at)) {
        let edges = graph.incoming(at).chain(graph.outgoing(at));
        for source in edges.flat_map(|edge| &edge.sources) {
            if source.form != EdgeSourceForm::EdgeFile && !goes(source.note) {
                let line = source.line.map(|line| format!(":{line}")).unwrap_or_default();
                lines.push(format!("{}{line} still refers to \"{}\"", notes[source.note].path, note.title));
            }
        }
    }
    lines.sort();
    lines.dedup();
    lines
}
