//! Resources: CORE.md, REFLECTION.md, the playbook, diaries, statistics, the vault's health, and
//! single notes. Each has the content of the corresponding command.

use serde::Serialize;

use super::{Contents, ListedNote, Resource, reword_result};
use cm_app::verbs::doctor;
use cm_app::verbs::generate;
use cm_app::verbs::generate::Generated;
use cm_app::verbs::get;
use cm_app::verbs::playbook::list::{self, BulletFilter};
use cm_app::verbs::recent::{self, NoteSummary};
use cm_app::verbs::stats;
use cm_app::{Context, Result};
use cm_note::bullet::BulletState;
use cm_note::note::NoteKind;
use cm_note::user_text::Interface;
use cm_render::json;

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// Maximum number of recent notes in the list.
const MAX_RECENT_NOTES: usize = 20;
/// Maximum number of diaries in the list.
const MAX_DIARIES: usize = 20;
/// Maximum number of rules, best first.
const MAX_RULES: usize = 100;

/// The resources with a fixed URI.
pub(super) static RESOURCES: [Resource; 6] = [
    Resource {
        uri: "cm://core",
        name: "core",
        title: "CORE.md",
        description: "The best memories and rules, for every session",
        mime: MARKDOWN,
        changes_with: is_note,
        read: |context| Ok(shown(generate::core(context, true)?)),
    },
    Resource {
        uri: "cm://reflection",
        name: "reflection",
        title: "REFLECTION.md",
        description: "Overview of the memory",
        mime: MARKDOWN,
        changes_with: is_note,
        read: |context| Ok(shown(generate::reflection(context, true)?)),
    },
    Resource {
        uri: "cm://playbook",
        name: "playbook",
        title: "Playbook",
        description: "Rules and anti-patterns with their scores, best first",
        mime: JSON,
        changes_with: |path| is_below_or_settings("playbook", path),
        read: playbook,
    },
    Resource {
        uri: "cm://diary",
        name: "diary",
        title: "Diaries",
        description: "Diaries of past sessions, newest first",
        mime: JSON,
        changes_with: |path| is_below_or_settings("diary", path),
        read: diaries,
    },
    Resource {
        uri: "cm://stats",
        name: "stats",
        title: "Figures",
        description: "Number of notes, edges and tags",
        mime: JSON,
        changes_with: is_note,
        read: |context| Ok(document(&stats::stats(context)?)),
    },
    Resource {
        uri: "cm://health",
        name: "health",
        title: "Health",
        description: "State of the repository, index and journal",
        mime: JSON,
        changes_with: |_| true,
        read: |context| Ok(document(&doctor::doctor(context, false)?.concealed(context))),
    },
];

/// Reads a note by id, as Markdown.
///
/// # Errors
/// Not found or ambiguous.
pub(super) fn note(context: &Context, id: &str) -> Result<Contents> {
    Ok(Contents { mime: MARKDOWN, text: get::written(context, id)? })
}

/// The most recently changed notes that have an id.
///
/// # Errors
/// The notes cannot be read.
pub(super) fn recent(context: &Context) -> Result<Vec<ListedNote>> {
    let notes = newest(context)?.into_iter().filter(|note| note.id != note.path).take(MAX_RECENT_NOTES);
    Ok(notes.map(|note| ListedNote { id: note.id, title: note.title }).collect())
}

/// All notes except edges and daily logs, newest first.
pub(super) fn newest(context: &Context) -> Result<Vec<NoteSummary>> {
    let all = recent::Options { limit: usize::MAX, ..recent::Options::default() };
    Ok(recent::recent(context, &all)?.notes)
}

fn playbook(context: &Context) -> Result<Contents> {
    let filter =
        BulletFilter { states: vec![BulletState::Draft, BulletState::Active], ..BulletFilter::default() };
    Ok(document(&list::list(context, &list::Options { filter, limit: MAX_RULES, offset: 0 })?))
}

#[derive(Serialize)]
struct Diaries {
    notes: Vec<NoteSummary>,
    total: usize,
}

fn diaries(context: &Context) -> Result<Contents> {
    let mut notes: Vec<NoteSummary> =
        newest(context)?.into_iter().filter(|note| note.kind == NoteKind::Diary).collect();
    let total = notes.len();
    notes.truncate(MAX_DIARIES);
    Ok(document(&Diaries { notes, total }))
}

fn shown(generated: Generated) -> Contents {
    Contents { mime: MARKDOWN, text: generated.text.unwrap_or_default() }
}

fn document<T: Serialize>(outcome: &T) -> Contents {
    let mut document = json::value(outcome);
    reword_result(&mut document, Interface::Mcp);
    Contents { mime: JSON, text: json::document(&document) }
}

/// Whether a file is a note or a settings file.
fn is_note(path: &str) -> bool {
    path.ends_with(".md") || path.ends_with(".markdown") || path.ends_with(".toml")
}

/// Whether a file is below a folder or a settings file.
fn is_below_or_settings(folder: &str, path: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')) || path.ends_with(".toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_changes_with_the_files_that_it_is_made_of() {
        let changed = |path: &str| -> Vec<&str> {
            RESOURCES.iter().filter(|one| (one.changes_with)(path)).map(|one| one.name).collect()
        };
        assert_eq!(changed("playbook/git/b-1.md"), ["core", "reflection", "playbook", "stats", "health"]);
        assert_eq!(changed("diary/a.md"), ["core", "reflection", "diary", "stats", "health"]);
        assert_eq!(changed("graph/fixes/playbook.md"), ["core", "reflection", "stats", "health"]);
        assert_eq!(changed("cm.toml").len(), RESOURCES.len());
    }
}
