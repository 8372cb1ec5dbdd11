//! Restores a note as it was at a commit, including deleted notes.

use crate::context::as_of::revision;
use crate::context::find::{ambiguous, find_in_target};
use crate::context::open::Context;
use crate::context::open_vault::repository;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::history::{here_or_gone, is_meant, versions};
use crate::verbs::update::UpdateResult;
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::Note;
use cm_note::path::NotePath;
use cm_store::git::CommitId;

/// Writes the note's content at `commit` to its current path, or to its former path if it was
/// deleted.
///
/// # Errors
/// Returns an error if the note or commit is not found, or if the write fails.
pub fn restore(context: &Context, reference: &str, commit: &str) -> Result<UpdateResult> {
    context.persons_only("restore an earlier version")?;
    let commit = revision(context, commit)?;
    let now = match find_in_target(context, reference) {
        Ok(found) => {
            write::refuse_uncommitted(context, found.open, &found.note.path, &found.bytes)?;
            Some((found.note, found.bytes))
        }
        Err(error) if error.is_not_found() => None,
        Err(error) => return Err(error),
    };
    let note_name = now.as_ref().map_or(reference, |(note, _)| note.key());
    let (then, bytes) = at_commit(context, commit, note_name, now.as_ref().map(|(note, _)| &note.path))?
        .ok_or_else(|| {
            Error::not_found(format!("note `{reference}` not found in commit {}", commit.short()))
                .hint("`cm log --op delete` lists deleted notes")
        })?;
    let expected = now.as_ref().map(|(_, bytes)| ContentHash::of(bytes));
    let path = now.map_or_else(|| then.path.clone(), |(note, _)| note.path);
    let subject = format!("Restore \"{}\" as of {}", then.title, commit.short());
    let message = CommitMessage::new(CommitOp::Restore, subject).id(then.key());
    write_versions(context, message, then.key(), vec![VaultFileChange::Copy { path, expected, bytes }])
}

/// Writes the last version of a deleted note to its former path, and the edges that were deleted with it
/// whose other end exists.
///
/// # Errors
/// Returns an error if the note exists, if no commit has it, or if the write fails.
pub fn restore_deleted(context: &Context, reference: &str) -> Result<UpdateResult> {
    context.persons_only("restore an earlier version")?;
    match find_in_target(context, reference) {
        Ok(_) => {
            let quoted = shell_words::quote(reference);
            return Err(Error::usage(format!(
                "`{reference}` is not deleted, so name the version to restore"
            ))
            .hint(format!(
                "`cm history {quoted}` lists the versions; for example `cm restore {quoted}@HEAD~3`"
            )));
        }
        Err(error) if error.is_not_found() => {}
        Err(error) => return Err(error),
    }
    let (_, id, path) = here_or_gone(context, reference)?;
    let newest = versions(context.target(), &id, &path)?.into_iter().next();
    let last =
        newest.and_then(|version| Some((version.commit.id, version.path, version.new.or(version.old)?)));
    let (commit, path, bytes) =
        last.ok_or_else(|| Error::not_found(format!("no commit has `{reference}`")))?;
    let then = context.target().parse(&path, &bytes).note;
    let message = CommitMessage::new(CommitOp::Restore, format!("Restore \"{}\"", then.title)).id(then.key());
    let mut changes = deleted_edges(context, commit, then.key())?;
    changes.insert(0, VaultFileChange::Copy { path, expected: None, bytes });
    write_versions(context, message, then.key(), changes)
}

/// Returns the edges of a note that a commit deleted, if the note at the other end exists.
fn deleted_edges(context: &Context, commit: CommitId, id: &str) -> Result<Vec<VaultFileChange>> {
    let open = context.target();
    let mut edges = Vec::new();
    for change in repository(open)?.inverse(commit)? {
        let (Some(bytes), None) = (change.old, change.new) else { continue };
        let note = open.parse(&change.path, &bytes).note;
        let Some(ends) = note.edge.filter(|_| open.read(&change.path).is_err()) else { continue };
        let other = match (ends.from == id, ends.to == id) {
            (true, _) => ends.to,
            (_, true) => ends.from,
            _ => continue,
        };
        if other == id || find_in_target(context, &other).is_ok() {
            edges.push(VaultFileChange::Copy { path: change.path, expected: None, bytes });
        }
    }
    Ok(edges)
}

/// Writes a version of the note `id`, which is the first change, and commits it with the other changes.
fn write_versions(
    context: &Context,
    message: CommitMessage,
    id: &str,
    changes: Vec<VaultFileChange>,
) -> Result<UpdateResult> {
    let path = changes[0].path().clone();
    let written = write::apply(context, ChangeSet { message, changes })?;
    Ok(UpdateResult::of_write(context.target(), id, &path, written))
}

/// Finds a note in a commit by id, id prefix, path or title; the note's current path is tried
/// first.
fn at_commit(
    context: &Context,
    commit: CommitId,
    wanted: &str,
    now: Option<&NotePath>,
) -> Result<Option<(Note, Vec<u8>)>> {
    let open = context.target();
    let repo = repository(open)?;
    let mut paths: Vec<NotePath> = repo.list_at(commit)?.into_iter().map(|(path, _)| path).collect();
    paths.retain(NotePath::is_markdown);
    paths.sort_by_key(|path| Some(path) != now);
    let mut fitting: Vec<(Note, Vec<u8>)> = Vec::new();
    for path in paths {
        let Some(bytes) = repo.read_at(commit, &path)? else { continue };
        let note = open.parse(&path, &bytes).note;
        if note.key() == wanted || path.as_str() == wanted {
            return Ok(Some((note, bytes)));
        }
        if is_meant(&note, wanted) {
            fitting.push((note, bytes));
        }
    }
    if fitting.len() > 1 {
        return Err(ambiguous(wanted, &fitting.iter().map(|(note, _)| note).collect::<Vec<_>>()));
    }
    Ok(fitting.pop())
}
