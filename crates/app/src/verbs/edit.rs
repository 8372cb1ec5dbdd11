//! Edits the whole file of a note: in the person's editor, or as text with the revision that was
//! read. The new file is validated and committed if it has no errors.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::{ResolvedNote, find_in_target, in_vault_of, load};
use crate::context::open::Context;
use crate::context::revision;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::update::UpdateResult;
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::finding::{Finding, Severity};
use cm_note::frontmatter::edit::{Edit, apply, in_line_breaks};
use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_note::message::{CommitMessage, CommitOp};

/// The key with the time of the last change.
const UPDATED: &str = "updated";

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EditResult {
    /// ID of the note.
    pub id: String,
    /// Path of the note's file, relative to the vault root.
    pub path: String,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`), nothing changed,
    /// or the saved file has errors.
    pub commit: Option<String>,
    /// Whether the file changed.
    pub changed: bool,
    /// Problems in the saved file.
    pub findings: Vec<Finding>,
}

/// Opens the note's file in `editor` and validates the saved file. A file with errors stays on disk
/// uncommitted.
///
/// # Errors
/// A note that is not found, an editor that fails, an apparent live secret in the saved file, and
/// the errors of [`write::commit_as_is`].
pub fn edit(
    context: &Context,
    reference: &str,
    editor: &dyn Fn(&PathBuf) -> Result<()>,
) -> Result<EditResult> {
    context.persons_only("edit a note in an editor")?;
    in_vault_of(context, reference, |context| edit_here(context, reference, editor))
}

fn edit_here(
    context: &Context,
    reference: &str,
    editor: &dyn Fn(&PathBuf) -> Result<()>,
) -> Result<EditResult> {
    let found = find_in_target(context, reference)?;
    let (path, open) = (found.note.path.clone(), found.open);
    editor(&open.vault.file(&path))?;
    let load_edited = || {
        load(open, &path).map_err(|_| {
            Error::refused("gone", format!("{path} is missing after editing"))
                .at(&path, None, None)
                .hint("`git checkout` restores it from Git")
        })
    };
    let mut after = load_edited()?;
    if let Some(edits) = time_of_edit(&found.text(), &after.text(), context.now()) {
        match write::edit_uncommitted(context, path.clone(), ContentHash::of(&after.bytes), edits) {
            // A late save of the editor is not overwritten.
            Err(error) if error.conflict.is_some() || error.is_changed_meanwhile() => {}
            written => written?,
        }
        after = load_edited()?;
    }
    let sound = after.note.findings.iter().all(|found| found.severity != Severity::Error);
    let changed = after.bytes != found.bytes;
    let mut outcome = EditResult {
        id: after.note.key().to_owned(),
        path: path.to_string(),
        commit: None,
        changed,
        findings: after.note.findings.clone(),
    };
    if changed && sound && write::commits_automatically(open)? {
        let message =
            CommitMessage::new(CommitOp::Edit, format!("Edit \"{}\"", after.note.title)).id(after.note.key());
        let committed = write::commit_as_is(context, &[path], |_| message)?;
        if let Some(stopped) = committed.stopped.into_iter().next() {
            return Err(stopped.into_error());
        }
        outcome.commit = committed.commit;
    }
    Ok(outcome)
}

/// Returns the edits that put the time of an edit into `updated`, so that a merge knows the later of two edits. `None` if the
/// note has no such key, if the person set it, if nothing changed, or if the frontmatter is malformed.
fn time_of_edit(before: &str, after: &str, now: Instant) -> Option<Vec<Edit>> {
    let updated = |text: &str| parse(&Split::of(text)).fields.get(UPDATED).and_then(|field| field.text());
    let (old, new) = (updated(before)?, updated(after)?);
    if before == after || old != new {
        return None;
    }
    let edits = vec![Edit::set_text(UPDATED, now.to_string())];
    apply(after, &edits).is_ok().then_some(edits)
}

/// Refuses a text with an error that the note does not have, wherever its file is, and one with another ID: links, edges and
/// the history find the note by it.
fn refuse_broken(found: &ResolvedNote<'_>, text: &str) -> Result<()> {
    let (before, path) = (&found.note, &found.note.path);
    let after = found.open.parse(path, text.as_bytes()).note;
    let is_new = |finding: &&Finding| {
        finding.severity == Severity::Error
            && before.findings.iter().all(|old| (old.code, &old.message) != (finding.code, &finding.message))
    };
    if let Some(broken) = after.findings.iter().find(is_new) {
        let error =
            Error::refused("invalid-note", broken.message.clone()).at(path, broken.line, broken.column);
        return Err(match &broken.hint {
            Some(hint) => error.hint(hint.clone()),
            None => error,
        });
    }
    if before.id.is_some() && before.id != after.id {
        let message = format!("the text does not have the ID of the note, `{}`", before.key());
        let hint = "keep the line `id`: links, relations and the history find the note by it";
        return Err(Error::refused("id-changed", message).at(path, None, None).hint(hint));
    }
    Ok(())
}

/// The file of a note as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteText {
    /// ID of the note.
    pub id: String,
    pub title: String,
    /// Path of the note's file, relative to the vault root.
    pub path: String,
    /// The whole file, with its frontmatter.
    pub text: String,
    /// Revision of the file, to pass to [`replace`].
    pub revision: String,
}

/// Returns the file of a note as text, for editing.
///
/// # Errors
/// A note that is not found, or that is not UTF-8.
pub fn text(context: &Context, reference: &str) -> Result<NoteText> {
    let found = find_in_target(context, reference)?;
    let revision = ContentHash::of(&found.bytes).revision();
    let (id, title, path) =
        (found.note.key().to_owned(), found.note.title.clone(), found.note.path.to_string());
    Ok(NoteText { id, title, path, text: found.text(), revision })
}

/// Replaces the file of a note if it still has the expected revision, and commits it. The line breaks of
/// the text become those of the file, since browsers do not keep them.
///
/// # Errors
/// `conflict` if the note has another revision, with both texts; a text with errors or a secret; and
/// the errors of [`write::apply`].
pub fn replace(context: &Context, reference: &str, text: &str, expected: &str) -> Result<UpdateResult> {
    context.persons_only("edit a note as text")?;
    let found = find_in_target(context, reference)?;
    let path = found.note.path.clone();
    let stored = revision::check(&path, &found.bytes, expected, &[])?;
    let message =
        CommitMessage::new(CommitOp::Edit, format!("Edit \"{}\"", found.note.title)).id(found.note.key());
    let text = in_line_breaks(text, Split::of(&found.text()).line_break());
    let dated = time_of_edit(&found.text(), &text, context.now()).and_then(|edits| apply(&text, &edits).ok());
    let text = dated.unwrap_or(text);
    let changes = match found.bytes == text.as_bytes() {
        true => Vec::new(),
        false => {
            refuse_broken(&found, &text)?;
            vec![VaultFileChange::Replace { path: path.clone(), expected: Some(stored), text }]
        }
    };
    let written = write::apply(context, ChangeSet { message, changes })?;
    Ok(UpdateResult::of_write(context.target(), found.note.key(), &path, written))
}
