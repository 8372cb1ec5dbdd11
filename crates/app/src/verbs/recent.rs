//! Lists the most recently changed notes.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::error::{Error, ErrorKind, Result};
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_store::vault::external_folder;

/// Number of results if no limit is given.
pub const DEFAULT_LIMIT: usize = 10;

/// Order of a list of notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoteOrder {
    /// By the time of the last change, newest first.
    #[default]
    Updated,
    /// By title, ignoring case.
    Title,
    /// By path.
    Path,
}

/// Filter and page of a list of recently changed notes.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Maximum number of notes.
    pub limit: usize,
    /// Number of notes to skip: the `next` of an earlier answer.
    pub offset: usize,
    /// Only notes that changed at or after this time.
    pub since: Option<Instant>,
    /// Only notes of this type or kind, such as `fix` or `bullet`.
    pub note_type: Option<String>,
    /// Only notes with all of these tags, without `#`.
    pub tags: Vec<String>,
    /// Only notes below this folder, relative to the vault or to the working folder.
    pub folder: Option<String>,
    /// Only pinned notes.
    pub pinned: bool,
    pub order: NoteOrder,
}

impl Options {
    /// Whether a note is listed. `folder` is the beginning of the paths in it, such as `docs/`.
    fn matches(&self, note: &Note, folder: &str) -> bool {
        let at = note.updated.or(note.created);
        let is_type = |wanted: &str| note.note_type.as_deref() == Some(wanted) || note.kind.name() == wanted;
        let has = |wanted: &String| {
            note.tags.iter().any(|tag| tag.eq_ignore_ascii_case(wanted.trim_start_matches('#')))
        };
        !matches!(note.kind, NoteKind::Edge | NoteKind::Episode)
            && self.since.is_none_or(|since| at.is_some_and(|at| at >= since))
            && self.note_type.as_deref().is_none_or(is_type)
            && self.tags.iter().all(has)
            && note.path.as_str().starts_with(folder)
            && (!self.pinned || note.pinned)
    }
}

/// A note as shown in lists.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NoteSummary {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Kind of the note, such as `memory` or `bullet`.
    pub kind: NoteKind,
    /// Type of the note, such as `fix`; null if it has none.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Title from the frontmatter, else derived from the content or the file name.
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Time of the last change according to the note's frontmatter.
    pub updated: Option<Instant>,
    /// Tags from the frontmatter and the body, without `#`.
    pub tags: Vec<String>,
    /// Vault that contains the note: `project` or `global`.
    pub vault: VaultLevel,
}

impl NoteSummary {
    /// Returns the list entry of a note.
    pub fn of(note: &Note, vault: VaultLevel) -> Self {
        Self {
            id: note.key().to_owned(),
            kind: note.kind,
            note_type: note.note_type.clone(),
            title: note.title.clone(),
            path: note.path.to_string(),
            updated: note.updated.or(note.created),
            tags: note.tags.clone(),
            vault,
        }
    }
}

/// One page of the list, newest notes first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RecentNotes {
    /// Notes of this page.
    pub notes: Vec<NoteSummary>,
    /// Number of matching notes on all pages.
    pub total: usize,
    /// Offset of the next page; null on the last one.
    pub next: Option<usize>,
}

/// Lists notes, by default by the time of the last change in their frontmatter, newest first. Edges
/// and episodes are not listed.
///
/// # Errors
/// Returns an error if no vault has the folder, or if an index can be neither used nor rebuilt.
pub fn recent(memory: &Context, options: &Options) -> Result<RecentNotes> {
    let shelves = memory.notes()?;
    let mut notes: Vec<(Option<Instant>, &Note, VaultLevel)> = Vec::new();
    let mut is_found = false;
    for (open, shelf) in memory.vaults.iter().zip(&shelves) {
        let folder = match &options.folder {
            None => Some(String::new()),
            Some(typed) => external_folder::folder_of(&open.vault, &memory.call.cwd, typed),
        };
        let Some(folder) = folder else { continue };
        is_found = true;
        let listed = shelf.notes().filter(|note| options.matches(note, &folder));
        notes.extend(listed.map(|note| (note.updated.or(note.created), note, shelf.level)));
    }
    if let Some(typed) = options.folder.as_ref().filter(|_| !is_found) {
        let message = format!("the vault has no folder `{typed}`");
        return Err(Error::new(ErrorKind::NotFound, "not-found", message)
            .hint("`cm ls --sort path` lists all notes by folder"));
    }
    let total = notes.len();
    match options.order {
        NoteOrder::Updated => notes.sort_unstable_by(|(at, note, _), (other, than, _)| {
            other.cmp(at).then_with(|| note.path.cmp(&than.path))
        }),
        NoteOrder::Title => {
            notes.sort_by_cached_key(|(_, note, _)| (note.title.to_lowercase(), note.path.clone()))
        }
        NoteOrder::Path => notes.sort_unstable_by(|(_, note, _), (_, than, _)| note.path.cmp(&than.path)),
    }
    let page = notes.into_iter().skip(options.offset).take(options.limit);
    let notes: Vec<NoteSummary> = page.map(|(_, note, level)| NoteSummary::of(note, level)).collect();
    let end = options.offset.saturating_add(notes.len());
    let next = (end < total && !notes.is_empty()).then_some(end);
    Ok(RecentNotes { notes, total, next })
}
