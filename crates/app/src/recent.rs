//! The notes that changed last.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::Result;
use super::memory::{Level, Memory};
use cm_note::instant::Instant;
use cm_note::note::{Kind, Note};

/// So many where nothing is said.
pub const USUAL: usize = 10;

/// Which notes.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// At most so many.
    pub limit: usize,
    /// Leave out so many at the front: the `next` of an earlier answer.
    pub offset: usize,
    /// Changed at or after this.
    pub since: Option<Instant>,
    /// Of this type only.
    pub note_type: Option<String>,
}

/// A note in a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Listed {
    /// What it answers to.
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// Its type.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: String,
    /// When it was last changed, as it says itself.
    pub updated: Option<Instant>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Which vault it is from.
    pub vault: Level,
}

impl Listed {
    /// The note as it stands in lists.
    pub fn of(note: &Note, vault: Level) -> Self {
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

/// Notes, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Recent {
    /// The notes.
    pub notes: Vec<Listed>,
    /// How many there are in all.
    pub total: usize,
    /// The offset of the next page, where there is more.
    pub next: Option<usize>,
}

/// The notes that changed last, by what they say of themselves; edges and days are left out.
///
/// # Errors
/// Where the index can neither be used nor rebuilt.
pub fn recent(memory: &Memory, options: &Options) -> Result<Recent> {
    let wanted = |note: &Note| {
        let at = note.updated.or(note.created);
        !matches!(note.kind, Kind::Edge | Kind::Episode)
            && options.since.is_none_or(|since| at.is_some_and(|at| at >= since))
            && options.note_type.as_deref().is_none_or(|wanted| note.note_type.as_deref() == Some(wanted))
    };
    let shelves = memory.notes()?;
    let mut notes: Vec<(Option<Instant>, &Note, Level)> = shelves
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
    let notes: Vec<Listed> = page.map(|(_, note, level)| Listed::of(note, level)).collect();
    let end = options.offset.saturating_add(notes.len());
    let next = (end < total && !notes.is_empty()).then_some(end);
    Ok(Recent { notes, total, next })
}
