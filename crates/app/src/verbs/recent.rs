//! Lists the most recently changed notes.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::error::Result;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};

/// Number of results if no limit is given.
pub const DEFAULT_LIMIT: usize = 10;

/// Filter and page of the list.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Maximum number of notes.
    pub limit: usize,
    /// Number of notes to skip: the `next` of an earlier answer.
    pub offset: usize,
    /// Only notes that changed at or after this time.
    pub since: Option<Instant>,
    /// Only notes of this type.
    pub note_type: Option<String>,
}

/// A note in a list.
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

/// Lists notes by the time of the last change in their frontmatter, newest first. Edges and
/// episodes are not listed.
///
/// # Errors
/// Returns an error if an index can be neither used nor rebuilt.
pub fn recent(memory: &Context, options: &Options) -> Result<RecentNotes> {
    let wanted = |note: &Note| {
        let at = note.updated.or(note.created);
        !matches!(note.kind, NoteKind::Edge | NoteKind::Episode)
            && options.since.is_none_or(|since| at.is_some_and(|at| at >= since))
            && options.note_type.as_deref().is_none_or(|wanted| note.note_type.as_deref() == Some(wanted))
    };
    let shelves = memory.notes()?;
    let mut notes: Vec<(Option<Instant>, &Note, VaultLevel)> = shelves
        .iter()
        .flat_map(|shelf| shelf.notes().map(|note| (note, shelf.level)))
        .filter(|(note, _)| wanted(note))
        .map(|(note, level)| (note.updated.or(note.created), note, level))
        .collect();
    let total = notes.len();
    notes.sort_unstable_by(|(at, note, _), (other, than, _)| {
        other.cmp(at).then_with(|| note.path.cmp(&than.path))
    });
    let page = notes.into_iter().skip(options.offset).take(options.limit);
    let notes: Vec<NoteSummary> = page.map(|(_, note, level)| NoteSummary::of(note, level)).collect();
    let end = options.offset.saturating_add(notes.len());
    let next = (end < total && !notes.is_empty()).then_some(end);
    Ok(RecentNotes { notes, total, next })
}
