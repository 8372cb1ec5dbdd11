//! The history of one note through its commits, across renames, with word-level differences.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::{ambiguous, find};
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::open_vault::repository;
use crate::error::Result;
use crate::verbs::log::{Commit, notice_if_manual, notice_if_shallow};
use cm_note::id::NoteId;
use cm_note::message::CommitOp;
use cm_note::note::Note;
use cm_note::path::NotePath;
use cm_store::git::EditKind;
use cm_text::word_diff::{self, DiffKind};

/// A part of a word-level diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WordDiffRun {
    /// `same`, `added`, `removed`, or `gap` for omitted unchanged text.
    pub kind: &'static str,
    pub text: String,
}

impl WordDiffRun {
    pub(crate) fn of(piece: word_diff::DiffPiece) -> Self {
        let kind = match piece.kind {
            DiffKind::Same => "same",
            DiffKind::Added => "added",
            DiffKind::Removed => "removed",
            DiffKind::Gap => "gap",
        };
        Self { kind, text: piece.text }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteChange {
    pub commit: Commit,
    /// Path of the note in this commit.
    pub path: String,
    /// Path of the note before this commit; null if the commit did not move it.
    pub moved_from: Option<String>,
    /// Word-level diff of the file; empty if the commit only moved it.
    pub diff: Vec<WordDiffRun>,
}

/// Commits that changed a note, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteHistory {
    pub id: String,
    /// Current path of the note, or its last path if it was deleted.
    pub path: String,
    pub versions: Vec<NoteChange>,
}

/// Number of unchanged lines shown before and after each change.
const CONTEXT_LINES: usize = 1;

/// Returns the history of a note, including a deleted one.
///
/// # Errors
/// A note that is not found, no repository, or an unreadable repository.
pub fn history(context: &Context, reference: &str, limit: usize) -> Result<NoteHistory> {
    let (open, id, path) = here_or_gone(context, reference)?;
    let all = versions(open, &id, &path)?;
    if all.len() <= limit {
        notice_if_shallow(context, repository(open)?);
    }
    let versions = all.into_iter().take(limit).map(|version| {
        let text = |bytes: &Option<Vec<u8>>| {
            String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
        };
        let pieces = word_diff::diff(&text(&version.old), &text(&version.new));
        let changed = pieces.iter().any(|piece| piece.kind != DiffKind::Same);
        let diff = if changed { word_diff::shorten(&pieces, CONTEXT_LINES) } else { Vec::new() };
        NoteChange {
            commit: Commit::of(&version.commit),
            path: version.path.to_string(),
            moved_from: version.moved_from.map(String::from),
            diff: diff.into_iter().map(WordDiffRun::of).collect(),
        }
    });
    let versions: Vec<NoteChange> = versions.collect();
    notice_if_manual(context, versions.is_empty());
    Ok(NoteHistory { id, path: path.to_string(), versions })
}

/// Returns the commits that changed a note, newest first, across renames.
///
/// # Errors
/// No repository, or an unreadable one.
pub(crate) fn versions(
    open: &OpenVault,
    id: &str,
    path: &NotePath,
) -> Result<Vec<cm_store::git::NoteHistoryEntry>> {
    if id == path.as_str() {
        return Ok(repository(open)?.history_of_path(path)?);
    }
    let is_same = |bytes: &[u8]| {
        let note = open.parse(path, bytes).note;
        note.id.is_some_and(|found| found.as_str() == id)
    };
    Ok(repository(open)?.history_of(path, &is_same)?)
}

/// Returns the vault, the ID and the path of a note, which may have been deleted.
///
/// # Errors
/// A note that is not found in the vault or its history, or an ambiguous reference.
pub(crate) fn here_or_gone<'c>(
    context: &'c Context,
    reference: &str,
) -> Result<(&'c OpenVault, String, NotePath)> {
    match find(context, reference) {
        Ok(found) => Ok((found.open, found.note.key().to_owned(), found.note.path)),
        Err(error) if error.is_not_found() => {
            let note = gone(context, reference)?.ok_or(error)?;
            Ok((context.target(), note.key().to_owned(), note.path))
        }
        Err(error) => Err(error),
    }
}

/// Whether a reference denotes this deleted note, by ID, ID prefix, path, title or file name.
pub(crate) fn is_meant(note: &Note, reference: &str) -> bool {
    let by_id = reference.len() >= 4 && note.key().to_lowercase().starts_with(&reference.to_lowercase());
    let is_name = |name: &str| name.to_lowercase() == reference.to_lowercase();
    by_id || note.path.as_str() == reference || is_name(&note.title) || is_name(note.path.stem())
}

/// Operations that never delete a note; the search for deleted notes skips their commits.
const KEEPING: [CommitOp; 9] = [
    CommitOp::Add,
    CommitOp::Config,
    CommitOp::Core,
    CommitOp::Edit,
    CommitOp::Episode,
    CommitOp::Init,
    CommitOp::Reflection,
    CommitOp::Relate,
    CommitOp::Update,
];

/// Finds a deleted note: in HEAD if the deletion is not committed, else before the newest commit
/// that deleted it.
fn gone(context: &Context, reference: &str) -> Result<Option<Note>> {
    let open = context.target();
    let Some(repo) = open.repo()? else { return Ok(None) };
    let note = |path: &NotePath, bytes: &[u8]| open.parse(path, bytes).note;
    let mut by_hand = Vec::new();
    if let Some(head) = repo.head()?.commit {
        for (path, _) in repo.hand_edits()?.into_iter().filter(|(_, changed)| *changed == EditKind::Deleted) {
            by_hand.extend(repo.read_at(head, &path)?.map(|bytes| note(&path, &bytes)));
        }
    }
    by_hand.retain(|note| is_meant(note, reference));
    if let Some(found) = only(by_hand, reference)? {
        return Ok(Some(found));
    }
    for commit in
        repo.log(&cm_store::git::LogFilter { vault_only: true, ..cm_store::git::LogFilter::default() })?
    {
        if commit.message.as_ref().is_some_and(|message| message.is_of(&KEEPING)) {
            continue;
        }
        let mut fitting: Vec<Note> = Vec::new();
        let changes = repo.inverse(commit.id)?;
        let came = |id: &NoteId| {
            changes.iter().filter(|change| change.old.is_none()).any(|change| {
                let new = change.new.as_deref().map(|new| note(&change.path, new));
                new.is_some_and(|new| new.id.as_ref() == Some(id))
            })
        };
        for change in &changes {
            let Some(old) = change.old.as_ref().filter(|_| change.new.is_none()) else { continue };
            let note = note(&change.path, old);
            if !is_meant(&note, reference) {
                continue;
            }
            // A note that moved was not removed; by its old path, the one that went on is meant.
            match note.id.as_ref().filter(|id| came(id)) {
                None => fitting.push(note),
                Some(id) if id.as_str() != reference => return gone_or_moved(context, id),
                Some(_) => {}
            }
        }
        if let Some(found) = only(fitting, reference)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Finds an existing or deleted note by ID.
fn gone_or_moved(context: &Context, id: &NoteId) -> Result<Option<Note>> {
    match find(context, id.as_str()) {
        Ok(found) => Ok(Some(found.note)),
        Err(error) if error.is_not_found() => gone(context, id.as_str()),
        Err(error) => Err(error),
    }
}

/// Returns the note if exactly one matches; `None` if none matches.
fn only(mut fitting: Vec<Note>, reference: &str) -> Result<Option<Note>> {
    if fitting.len() > 1 {
        return Err(ambiguous(reference, &fitting.iter().collect::<Vec<_>>()));
    }
    Ok(fitting.pop())
}
