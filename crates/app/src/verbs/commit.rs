//! Commits all manual edits of a vault at once, with a message that lists the notes.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::repository;
use crate::context::secrets::{self, BlockedSecret};
use crate::context::write;
use crate::error::Result;
use crate::verbs::hand_edits::{HandEdits, hand_edits};
use cm_note::message::CommitMessage;
use cm_note::note::conflict::conflict_marker;
use cm_note::path::NotePath;
use cm_store::git::EditKind;
use cm_text::plural::count;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommittedFile {
    pub path: String,
    /// `added`, `modified` or `deleted`.
    pub change: String,
}

/// Result of committing manual edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommittedEdits {
    /// Hash of the new commit; null if there was nothing to commit.
    pub commit: Option<String>,
    /// Files in the commit.
    pub files: Vec<CommittedFile>,
    /// Likely secrets. Their files are not committed until the secret is removed or allowed.
    pub stopped: Vec<BlockedSecret>,
}

/// Maximum number of notes listed in the commit message.
const MAX_LISTED_NOTES: usize = 50;
/// Maximum number of files of the code that a notice names.
const MAX_NAMED_FILES: usize = 3;

/// Name of the operation that commits the files of a folder that becomes a vault.
pub(crate) const TAKEOVER: &str = "takeover";

/// Commits all files of a folder that has just become a vault.
///
/// # Errors
/// The errors of [`commit`].
pub(crate) fn take_over(context: &Context) -> Result<CommittedEdits> {
    commit_as(context, TAKEOVER, Some("Commit the existing notes"))
}

/// Commits the manual edits of the vault; `subject` replaces the generated subject line. Notes with
/// an apparent live secret are left out.
///
/// # Errors
/// No repository, a secret in `subject`, and the errors of [`write::commit_as_is`].
pub fn commit(context: &Context, subject: Option<&str>) -> Result<CommittedEdits> {
    commit_as(context, "commit", subject)
}

fn commit_as(context: &Context, op: &'static str, subject: Option<&str>) -> Result<CommittedEdits> {
    let open = context.target();
    // What a kill cut off is a curation of its own, and no hand edit.
    write::recover(context)?;
    let repo = repository(open)?;
    let HandEdits { ours: edits, others } = hand_edits(open, repo)?;
    if !others.is_empty() {
        context.notice(left_to_person(&others));
    }
    if let Some(subject) = subject {
        secrets::refuse_secret_text(&secrets::rules(context, open)?, "message", subject)?;
    }
    if edits.is_empty() {
        return Ok(CommittedEdits { commit: None, files: Vec::new(), stopped: Vec::new() });
    }
    let paths: Vec<NotePath> = edits.iter().map(|(path, _)| path.clone()).collect();
    free_of_conflicts(context, &paths)?;
    let mut files = Vec::new();
    let outcome = write::commit_as_is(context, &paths, |sound| {
        let sound: HashSet<&NotePath> = sound.iter().collect();
        let edits: Vec<_> = edits.into_iter().filter(|(path, _)| sound.contains(path)).collect();
        files = edits.iter().map(file).collect();
        let paths: Vec<NotePath> = edits.iter().map(|(path, _)| path.clone()).collect();
        CommitMessage { body: listed(&files), ..ids(context, &paths, message(op, subject, &edits)) }
    })?;
    Ok(CommittedEdits { commit: outcome.commit, files, stopped: outcome.stopped })
}

fn file((path, changed): &(NotePath, EditKind)) -> CommittedFile {
    CommittedFile { path: path.to_string(), change: word(*changed).to_owned() }
}

/// Rejects files with unresolved merge conflict markers.
fn free_of_conflicts(context: &Context, paths: &[NotePath]) -> Result<()> {
    for path in paths {
        let Some(bytes) = write::content_or_none(context.target(), path)? else { continue };
        if let Some(line) = conflict_marker(&String::from_utf8_lossy(&bytes)) {
            return Err(write::conflict_marker_error(path, line));
        }
    }
    Ok(())
}

/// Describes the files of the code beside the notes, which are not committed.
fn left_to_person(others: &[NotePath]) -> String {
    let mut shown: Vec<&str> = others.iter().take(MAX_NAMED_FILES).map(NotePath::as_str).collect();
    shown.extend((others.len() > MAX_NAMED_FILES).then_some("…"));
    let verb = if others.len() == 1 { "is" } else { "are" };
    format!(
        "{} of the code {verb} left for you to commit with Git: {}",
        count(others.len(), "file"),
        shown.join(", ")
    )
}

pub(crate) fn word(changed: EditKind) -> &'static str {
    match changed {
        EditKind::Added => "added",
        EditKind::Modified | EditKind::Replaced => "modified",
        EditKind::Deleted => "deleted",
    }
}

fn message(op: &str, subject: Option<&str>, edits: &[(NotePath, EditKind)]) -> CommitMessage {
    let made = match (subject, edits) {
        (Some(subject), _) => subject.to_owned(),
        (None, [(path, changed)]) => format!("Commit {} {path}", word(*changed)),
        (None, edits) => format!("Commit {} changed files", edits.len()),
    };
    CommitMessage::new(op, made)
}

fn listed(files: &[CommittedFile]) -> String {
    let mut lines: Vec<String> =
        files.iter().take(MAX_LISTED_NOTES).map(|file| format!("{} {}", file.change, file.path)).collect();
    if files.len() > MAX_LISTED_NOTES {
        lines.push(format!("and {} more", files.len() - MAX_LISTED_NOTES));
    }
    lines.join("\n")
}

/// Adds the IDs of up to [`MAX_LISTED_NOTES`] notes to the commit message.
fn ids(context: &Context, paths: &[NotePath], message: CommitMessage) -> CommitMessage {
    let open = context.target();
    let ids = paths.iter().take(MAX_LISTED_NOTES).filter_map(|path| {
        // A deleted note is named by its former ID.
        let bytes = open.vault.read(path).ok().or_else(|| write::committed_bytes(open, path).ok()?)?;
        open.parse(path, &bytes).note.id
    });
    ids.fold(message, |message, id| message.id(id))
}
