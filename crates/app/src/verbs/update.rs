//! Updates the frontmatter, tags or body of a note, and preserves all other lines.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use yaml_serde::Value;

use crate::context::find::{ResolvedNote, find_in_target, in_vault_of};
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::revision;
use crate::context::write::{self, WriteResult};
use crate::error::{Error, Result};
use crate::verbs::agent_update;
use crate::verbs::note_fields::{check_tag_count, clean_tags, field_of, key_of};
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::frontmatter::edit::Edit;
use cm_note::frontmatter::split::Split;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::NoteKind;
use cm_note::note::conflict::conflict_marker;
use cm_note::path::NotePath;

/// Changes to make to a note.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Keys with their new values, as YAML or plain text.
    pub set: Vec<(String, String)>,
    /// Keys to remove.
    pub remove: Vec<String>,
    pub add_tags: Vec<String>,
    pub remove_tags: Vec<String>,
    /// New text below the frontmatter; `None` leaves it unchanged.
    pub body: Option<String>,
    /// Text to append to the body.
    pub append: Option<String>,
    /// Revision that the caller read; the update is refused if the note has another one.
    pub expected_revision: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UpdateResult {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
    /// Whether the content of the file changed.
    pub changed: bool,
    /// Revision of the note after the update, to pass as the expected one of the next; null if the
    /// file cannot be read.
    pub revision: Option<String>,
}

impl UpdateResult {
    /// Creates the result of a write that left the note with this key at `path`.
    pub(crate) fn of_write(open: &OpenVault, key: &str, path: &NotePath, written: WriteResult) -> Self {
        Self {
            id: key.to_owned(),
            path: path.to_string(),
            commit: written.commit,
            changed: !written.changed.is_empty(),
            revision: revision_of(open, path),
        }
    }
}

/// Returns the current revision of a note; `None` if its file cannot be read.
pub(crate) fn revision_of(open: &OpenVault, path: &NotePath) -> Option<String> {
    open.read(path).ok().map(|bytes| ContentHash::of(&bytes).revision())
}

/// Updates a note and commits the change. Sets `updated` to the current time if anything else
/// changes.
///
/// # Errors
/// Returns an error if the note is not found, if a key or value is invalid, if a new body without
/// an expected revision would replace uncommitted edits, or if the write fails; `conflict` if the note
/// does not have the expected revision.
pub fn update(context: &Context, reference: &str, options: &Options) -> Result<UpdateResult> {
    in_vault_of(context, reference, |context| update_here(context, reference, options))
}

fn update_here(context: &Context, reference: &str, options: &Options) -> Result<UpdateResult> {
    let found = find_in_target(context, reference)?;
    let expected = options.expected_revision.as_deref();
    let expected = expected
        .map(|expected| {
            let edits = edits_of(&found, options)?;
            revision::check(&found.note.path, &found.bytes, expected, &edits)
        })
        .transpose()?;
    if agent_update::is_proposal(context, &found, options)? {
        return agent_update::propose(context, &found, options);
    }
    if let Some(line) = conflict_marker(&found.text()) {
        return Err(write::conflict_marker_error(&found.note.path, line));
    }
    let is_blind = options.body.is_some() && options.expected_revision.is_none();
    if is_blind && write::commits_automatically(found.open)? && found.open.repo()?.is_some() {
        // Lines that no commit has, and that the caller may not have read, would be lost with the body.
        write::refuse_uncommitted(context, found.open, &found.note.path, &found.bytes)?;
    }
    let mut edits = edits_of(&found, options)?;
    edits.extend(agent_update::held_as_draft(context, &found.note, options));
    if edits.is_empty() {
        return Err(
            Error::usage("nothing to change").hint("for example `--set importance=0.9` or `--add-tag rust`")
        );
    }
    let mut what: Vec<&str> = Vec::new();
    for name in edits.iter().map(field_name) {
        if !what.contains(&name) {
            what.push(name);
        }
    }
    let subject = format!("Update \"{}\": {}", found.note.title, what.join(", "));
    write_edits(context, &found, CommitMessage::new(CommitOp::Update, subject), edits, expected)
}

/// Applies edits to a note; sets `updated` to the current time if they change anything.
pub(crate) fn apply(
    context: &Context,
    found: &ResolvedNote<'_>,
    op: CommitOp,
    subject: String,
    edits: Vec<Edit>,
) -> Result<UpdateResult> {
    write_edits(context, found, CommitMessage::new(op, subject), edits, None)
}

/// Writes edits; with `expected`, only if the file still has this content under the lock.
fn write_edits(
    context: &Context,
    found: &ResolvedNote<'_>,
    message: CommitMessage,
    edits: Vec<Edit>,
    expected: Option<ContentHash>,
) -> Result<UpdateResult> {
    let message = message.id(found.note.key());
    let path = found.note.path.clone();
    let edits = with_updated(context, found, edits)?;
    let changes = match edits.is_empty() {
        true => Vec::new(),
        false => vec![VaultFileChange::Edit { path, expected, edits }],
    };
    let written = write::apply(context, ChangeSet { message, changes })?;
    Ok(UpdateResult::of_write(found.open, found.note.key(), &found.note.path, written))
}

/// Adds an edit that sets `updated`; returns no edits at all if the given ones change nothing.
fn with_updated(context: &Context, found: &ResolvedNote<'_>, mut edits: Vec<Edit>) -> Result<Vec<Edit>> {
    let text = std::str::from_utf8(&found.bytes).ok();
    let same = text
        .is_some_and(|text| cm_note::frontmatter::edit::apply(text, &edits).is_ok_and(|after| after == text));
    if same {
        return Ok(Vec::new());
    }
    let dated = found.note.updated.is_some()
        || matches!(found.note.kind, NoteKind::Memory | NoteKind::Edge | NoteKind::Bullet);
    let by_hand = edits
        .iter()
        .any(|edit| matches!(edit, Edit::Set { key, .. } | Edit::Remove { key } if key == "updated"));
    if dated && !by_hand {
        edits.push(Edit::set_text("updated", context.now().to_string()));
    }
    Ok(edits)
}

fn edits_of(found: &ResolvedNote<'_>, options: &Options) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
    for (key, typed) in &options.set {
        let (key, value) = field_of(found.open, found.note.kind, key, typed)?;
        edits.push(Edit::Set { key, value });
    }
    for key in &options.remove {
        let key = key_of(key)?;
        if key == "id" && found.note.id.is_some() {
            return Err(Error::usage("an ID never changes").hint("other notes refer to it by its ID"));
        }
        edits.push(Edit::Remove { key });
    }
    let added = clean_tags(&options.add_tags)?;
    if !added.is_empty() {
        let present: HashSet<&str> = found.note.tags.iter().map(String::as_str).collect();
        let new = added.iter().filter(|tag| !present.contains(tag.as_str())).count();
        let removed = options.remove_tags.iter().filter(|tag| present.contains(tag.as_str())).count();
        check_tag_count((present.len() + new).saturating_sub(removed))?;
    }
    let tag = |item: String| (String::from("tags"), Value::String(item));
    for (key, item) in added.into_iter().map(tag) {
        edits.push(Edit::Push { key, item });
    }
    for (key, item) in clean_tags(&options.remove_tags)?.into_iter().map(tag) {
        edits.push(Edit::Pull { key, item });
    }
    if let Some(text) = &options.body {
        let file = found.text();
        let before = Split::of(&file).body();
        // Between the frontmatter and a body stands the blank line that stood there.
        let gap = if before.starts_with(['\n', '\r']) { "\n" } else { "" };
        let text = text.trim_start_matches(['\n', '\r']);
        let heading = title_heading(before, &found.note.title).filter(|_| !text.starts_with('#'));
        let heading = heading.map(|line| format!("{line}\n\n")).unwrap_or_default();
        edits.push(Edit::SetBody { text: format!("{gap}{heading}{}", ended(text)) });
    }
    if let Some(text) = &options.append {
        let gap = if continues(Split::of(&found.text()).body(), text) { "" } else { "\n" };
        edits.push(Edit::AppendBody { text: format!("{gap}{}", ended(text)) });
    }
    Ok(edits)
}

/// Returns the first line of a body if it is the note's title as a heading, which a new text without a heading does not
/// replace.
fn title_heading<'b>(body: &'b str, title: &str) -> Option<&'b str> {
    let first = body.trim_start().lines().next()?;
    (first.strip_prefix("# ")?.trim() == title).then_some(first)
}

/// Whether an appended text needs no blank line before it: the body is empty or ends with one, or the text is a further
/// item, row or quoted line of the list, table or quote at the end.
fn continues(body: &str, text: &str) -> bool {
    let kind = |line: &str| {
        line.trim_start().chars().next().filter(|first| "-*+|>".contains(*first) || first.is_ascii_digit())
    };
    let (last, first) = (body.lines().last().unwrap_or_default(), text.lines().next().unwrap_or_default());
    last.trim().is_empty() || first.trim().is_empty() || kind(last).is_some() && kind(last) == kind(first)
}

/// Appends a line break unless the text ends with one.
fn ended(text: &str) -> String {
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{gap}")
}

fn field_name(edit: &Edit) -> &str {
    match edit {
        Edit::Set { key, .. } | Edit::Remove { key } | Edit::Push { key, .. } | Edit::Pull { key, .. } => key,
        Edit::RemoveEmptyFrontmatter => "frontmatter",
        Edit::SetBody { .. } | Edit::AppendBody { .. } | Edit::ReplaceLine { .. } => "body",
    }
}
