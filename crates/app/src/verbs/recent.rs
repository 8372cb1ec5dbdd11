//! Lists the most recently changed notes.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::refresh::VaultNotes;
use crate::error::{Error, Result};
use crate::paging::next_offset;
use crate::verbs::edit_times::edit_times;
use crate::verbs::type_names::unknown_type;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
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
    /// Whether a note that was last changed `at` is listed. `folder` is the beginning of the paths in it,
    /// such as `docs/`.
    fn matches(&self, note: &Note, at: Option<Instant>, folder: &str) -> bool {
        let is_type = |name: &str| note.note_type.as_deref() == Some(name) || note.kind.name() == name;
        let has = |required: &String| {
            note.tags.iter().any(|tag| tag.eq_ignore_ascii_case(required.trim_start_matches('#')))
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
    /// Time of the last change according to the note's frontmatter, or of a later edit by hand; else the
    /// modification time of its file; null without both, as in the past.
    pub updated: Option<Instant>,
    /// Tags from the frontmatter and the body, without `#`.
    pub tags: Vec<String>,
    /// Vault that contains the note: `project` or `global`.
    pub vault: VaultLevel,
}

impl NoteSummary {
    fn of(note: &Note, updated: Option<Instant>, vault: VaultLevel) -> Self {
        Self {
            id: note.key().to_owned(),
            kind: note.kind,
            note_type: note.note_type.clone(),
            title: note.title.clone(),
            path: note.path.to_string(),
            updated,
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

/// When the notes of a vault were last changed: the dates in their frontmatter, or the time of a later edit
/// by hand; else the modification times of their files, which clones of a vault do not share.
struct ChangeTimes {
    /// Path and nanoseconds since 1970, sorted by path; empty in the past.
    files: Vec<(String, i64)>,
    edits: HashMap<NotePath, Instant>,
}

/// Number of seconds by which the file of a note may be newer than `updated`, although cm wrote both.
const MAX_WRITE_SECONDS: i64 = 60;

impl ChangeTimes {
    fn of(context: &Context, open: &OpenVault, notes: &VaultNotes, options: &Options, folder: &str) -> Self {
        // A note of the past has no file.
        let files = open.past.is_none().then(|| open.index().modification_times().ok()).flatten();
        let mut times = Self { files: files.unwrap_or_default(), edits: HashMap::new() };
        let since = earliest(notes, options, folder);
        let may_be_edited = |note: &Note| {
            let (Some(dated), Some(file)) = (note.updated.or(note.created), times.of_file(&note.path)) else {
                return false;
            };
            file.unix() > dated.unix() + MAX_WRITE_SECONDS && since.is_none_or(|since| file >= since)
        };
        // Git is asked only where a file is newer than its dates.
        let candidates: HashSet<&NotePath> =
            notes.notes().filter(|note| may_be_edited(note)).map(|note| &note.path).collect();
        if !candidates.is_empty() {
            let mut edits =
                edit_times(open, since, &candidates, |path| times.of_file(path)).unwrap_or_default();
            edits.values_mut().for_each(|at| *at = (*at).min(context.now()));
            times.edits = edits;
        }
        times
    }

    fn of_file(&self, path: &NotePath) -> Option<Instant> {
        let at = self.files.binary_search_by(|(file, _)| file.as_str().cmp(path.as_str())).ok()?;
        Some(Instant::from_unix(self.files[at].1.div_euclid(1_000_000_000)))
    }

    fn at(&self, note: &Note) -> Option<Instant> {
        let dated = note.updated.or(note.created).or_else(|| self.of_file(&note.path));
        dated.max(self.edits.get(&note.path).copied())
    }
}

/// The time before which an edit changes nothing on the page: of notes by time, that of the last one on
/// it by the dates in the frontmatter.
fn earliest(notes: &VaultNotes, options: &Options, folder: &str) -> Option<Instant> {
    if options.since.is_some() || options.order != NoteOrder::Updated {
        return options.since;
    }
    let listed = notes.notes().filter(|note| options.matches(note, None, folder));
    let mut dated: Vec<Instant> = listed.filter_map(|note| note.updated.or(note.created)).collect();
    let last = options.offset.saturating_add(options.limit).min(dated.len()).checked_sub(1)?;
    let (_, last, _) = dated.select_nth_unstable_by(last, |one, other| other.cmp(one));
    Some(*last)
}

/// Lists notes, by default by the time of their last change, newest first. Edges and episodes are not
/// listed.
///
/// # Errors
/// Returns an error if no vault has the folder, or if an index can be neither used nor rebuilt.
pub fn recent(context: &Context, options: &Options) -> Result<RecentNotes> {
    let vaults = context.notes()?;
    let mut notes: Vec<(Option<Instant>, &Note, VaultLevel)> = Vec::new();
    let mut is_found = false;
    for (open, vault_notes) in context.vaults.iter().zip(&vaults) {
        let folder = match &options.folder {
            None => Some(String::new()),
            Some(typed) => external_folder::folder_of(&open.vault, &context.request.cwd, typed),
        };
        let Some(folder) = folder else { continue };
        is_found = true;
        let times = ChangeTimes::of(context, open, vault_notes, options, &folder);
        let dated = vault_notes.notes().map(|note| (times.at(note), note, vault_notes.level));
        notes.extend(dated.filter(|(at, note, _)| options.matches(note, *at, &folder)));
    }
    if let Some(typed) = options.folder.as_ref().filter(|_| !is_found) {
        let message = format!("the vault has no folder `{typed}`");
        return Err(Error::not_found(message).hint("`cm ls --sort path` lists all notes by folder"));
    }
    let total = notes.len();
    if let Some(typed) = options.note_type.as_ref().filter(|_| total == 0)
        && let Some(notice) = unknown_type(context, typed)?
    {
        context.notice(notice);
    }
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
    let notes: Vec<NoteSummary> = page.map(|(at, note, level)| NoteSummary::of(note, at, level)).collect();
    let next = next_offset(options.offset, notes.len(), total);
    Ok(RecentNotes { notes, total, next })
}
