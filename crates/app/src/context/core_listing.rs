//! Keeps CORE.md free of notes that went out of use: a write shortens the file, and the start of a
//! session leaves out what remains.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::project_scope::ProjectScope;
use crate::context::scoring::scoring;
use crate::error::Result;
use cm_agents::hook::memory_text::{ReferencedNote, entry_reference, note_references, referenced_note};
use cm_note::bullet::Bullet;
use cm_note::note::types::SUPERSEDES;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_playbook::core::{may_be_listed, without_entries};
use cm_store::vault::journal::{FileBytes, FileChange};
use cm_store::vault::layout;

/// Adds the shortened CORE.md to the files of a write that takes listed notes out of use, or that
/// moves them. Does nothing if `cm core` did not write the file, or if Git ignores it.
///
/// # Errors
/// Returns an error if a file, the index or the repository cannot be read.
pub(super) fn shorten_core(context: &Context, open: &OpenVault, files: &mut Vec<FileChange>) -> Result<()> {
    let Ok(path) = NotePath::parse(layout::CORE) else { return Ok(()) };
    let own = files.iter().position(|file| file.path == path);
    let before = match own {
        Some(at) => files[at].after.clone(),
        None => super::write::content_or_none(open, &path)?.map(FileBytes::from),
    };
    let Some(before) = before else { return Ok(()) };
    let Ok(text) = std::str::from_utf8(before.as_slice()) else { return Ok(()) };
    let changes = ListingChanges::of(context, open, files, text)?;
    let Some(text) = changes.apply(text) else { return Ok(()) };
    match own {
        Some(at) => files[at].after = Some(text.into_bytes().into()),
        None if open.repo()?.is_some_and(|repo| repo.is_ignored(&path).unwrap_or(true)) => {}
        None => files.push(FileChange {
            path,
            from: Vec::new(),
            before: Some(before),
            after: Some(text.into_bytes().into()),
            edits: Vec::new(),
            executable: false,
            left_out: false,
        }),
    }
    Ok(())
}

/// Entries of CORE.md to remove or to link anew after a write.
#[derive(Default)]
struct ListingChanges {
    /// References of each note that went out of use, with its kind.
    gone: Vec<([String; 4], NoteKind)>,
    /// Link destinations of moved notes, old and new.
    moved: Vec<(String, String)>,
}

impl ListingChanges {
    fn of(context: &Context, open: &OpenVault, files: &[FileChange], core: &str) -> Result<Self> {
        let constants = scoring(&open.settings);
        let listed: HashSet<String> = core.lines().filter_map(entry_reference).collect();
        let is_listed =
            |references: &[String; 4]| references.iter().any(|reference| listed.contains(reference));
        let created = LazyCell::new(|| created_notes(open, files));
        let mut changes = Self::default();
        for file in files {
            let Some(old) = note_of(open, &file.path, file.before.as_ref()) else { continue };
            let references = note_references(old.key(), &old.path);
            if !is_listed(&references) {
                continue;
            }
            let moved = || created.get(old.id.as_ref()?.as_str()).cloned();
            match note_of(open, &file.path, file.after.as_ref()).or_else(moved) {
                Some(new) if may_be_listed(&new, context.now(), &constants) => {
                    if new.path != old.path {
                        let ([from, ..], [to, ..]) = (references, note_references(new.key(), &new.path));
                        changes.moved.push((from, to));
                    }
                }
                _ => changes.gone.push((references, old.kind)),
            }
        }
        for id in superseded(open, files)? {
            for old in notes_with_id(open, &id)? {
                changes.gone.push((note_references(old.key(), &old.path), old.kind));
            }
        }
        Ok(changes)
    }

    /// Returns the shortened text; `None` if nothing in it changes.
    fn apply(&self, core: &str) -> Option<String> {
        if self.gone.is_empty() && self.moved.is_empty() {
            return None;
        }
        let shortened = without_entries(core, |line| {
            let reference = entry_reference(line)?;
            let gone = self.gone.iter().find(|(references, _)| references.contains(&reference));
            gone.map(|(_, kind)| *kind)
        });
        let text = shortened.as_deref().unwrap_or(core);
        let relinked = self.moved.iter().fold(text.to_owned(), |text, (from, to)| {
            text.replace(&format!("]({from})"), &format!("]({to})"))
        });
        (relinked != core).then_some(relinked)
    }
}

fn note_of(open: &OpenVault, path: &NotePath, bytes: Option<&FileBytes>) -> Option<Note> {
    let bytes = bytes.filter(|_| path.is_markdown())?;
    Some(open.parse(path, bytes.as_slice()).note)
}

/// Returns the notes in new files by their ID: a note that was moved is among them.
fn created_notes(open: &OpenVault, files: &[FileChange]) -> HashMap<String, Note> {
    let created = files.iter().filter(|file| file.before.is_none());
    let notes = created.filter_map(|file| note_of(open, &file.path, file.after.as_ref()));
    notes.filter_map(|note| Some((note.id.as_ref()?.to_string(), note))).collect()
}

/// Returns the IDs of the notes that are superseded by edges in the written files. A note that waits
/// for confirmation supersedes no other.
fn superseded(open: &OpenVault, files: &[FileChange]) -> Result<Vec<String>> {
    let names_it = |bytes: &FileBytes| {
        bytes.as_slice().windows(SUPERSEDES.len()).any(|window| window == SUPERSEDES.as_bytes())
    };
    let mut ids = Vec::new();
    for file in files {
        let Some(note) = note_of(open, &file.path, file.after.as_ref().filter(|bytes| names_it(bytes)))
        else {
            continue;
        };
        match &note.edge {
            Some(ends) if note.note_type.as_deref() == Some(SUPERSEDES) => {
                let newer = notes_with_id(open, &ends.from)?;
                ids.extend(newer.iter().all(|newer| !newer.is_waiting()).then(|| ends.to.clone()));
            }
            Some(_) => {}
            None if note.is_waiting() => {}
            None => {
                let own = note.relations.iter().filter(|one| one.outgoing && one.relation == SUPERSEDES);
                ids.extend(own.map(|one| one.target.clone()));
            }
        }
    }
    Ok(ids)
}

fn notes_with_id(open: &OpenVault, id: &str) -> Result<Vec<Note>> {
    let mut notes = Vec::new();
    for (_, path) in open.index().lookup(id)?.iter().filter(|(found, _)| found.as_str() == id) {
        notes.extend(read_note(open, path, Some(id))?);
    }
    Ok(notes)
}

/// Returns those of the entries' references whose notes are no longer in use: deleted, or not to be listed. A
/// reference to anything else than a note of the vault is in use.
///
/// # Errors
/// Returns an error if the index cannot be read.
pub(crate) fn unused_references(
    context: &Context,
    open: &OpenVault,
    references: impl Iterator<Item = String>,
) -> Result<HashSet<String>> {
    let (constants, scope) = (scoring(&open.settings), ProjectScope::of(context, None));
    let mut unused = HashSet::new();
    for reference in references {
        let Some(listed) = referenced_note(&reference) else { continue };
        let note = match note_at(open, &listed)? {
            None => {
                unused.insert(reference);
                continue;
            }
            Some(note) => note,
        };
        let is_of_project = match Bullet::of(&note) {
            Some(bullet) => scope.includes(&bullet, open.level),
            None => scope.includes_memory(&note, open.level),
        };
        if !is_of_project || !may_be_listed(&note, context.now(), &constants) {
            unused.insert(reference);
        }
    }
    Ok(unused)
}

/// Reads the note that an entry lists; a note that was moved is found by the ID in its file name.
fn note_at(open: &OpenVault, listed: &ReferencedNote) -> Result<Option<Note>> {
    let id = match listed {
        ReferencedNote::Path(path) => {
            let Ok(path) = NotePath::parse(path) else { return Ok(None) };
            if let Some(note) = read_note(open, &path, None)? {
                return Ok(Some(note));
            }
            match path.stem().rsplit_once('-') {
                Some((_, id)) if id.len() == ID_DIGITS => id.to_owned(),
                _ => return Ok(None),
            }
        }
        ReferencedNote::Id(id) => id.clone(),
    };
    for (_, path) in open.index().lookup(&id)? {
        if let Some(note) = read_note(open, &path, Some(&id))? {
            return Ok(Some(note));
        }
    }
    Ok(None)
}

/// Number of digits of the ID at the end of a file name.
const ID_DIGITS: usize = 6;

/// Reads a note; `None` if there is no such file, or if its ID does not start with `id`.
fn read_note(open: &OpenVault, path: &NotePath, id: Option<&str>) -> Result<Option<Note>> {
    let Some(bytes) = super::write::content_or_none(open, path)? else { return Ok(None) };
    let note = open.parse(path, &bytes).note;
    Ok(id.is_none_or(|id| note.key().starts_with(id)).then_some(note))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "the tests read and remove files of the vault")]

    use super::*;
    use crate::fixture_vault::{FixtureVault, rename};
    use crate::verbs::{commit, delete, forget, generate, mark, relate, undo};
    use cm_note::note::FeedbackSignal;
    use cm_store::git::LogFilter;

    const RULE: &str = "b-mt2ssunl-000001";
    const IDS: [&str; 2] = ["00000001-0000-4000-8000-000000000001", "00000002-0000-4000-8000-000000000001"];

    fn filled() -> FixtureVault {
        let mut files = vec![(
            format!("playbook/testing/{RULE}.md"),
            format!(
                "---\nid: {RULE}\ncategory: testing\nstate: active\ncreated: 2026-01-01\n---\n\nRun all tests.\n"
            ),
        )];
        for (number, id) in (1..).zip(IDS) {
            let text = format!(
                "---\nid: {id}\ntype: fix\ntitle: Fix {number}\nimportance: 0.9\ncreated: 2026-01-01\n---\n\nText.\n"
            );
            files.push((format!("graph/fixes/{number}.md"), text));
        }
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let vault = FixtureVault::new();
        vault.commit("2026-01-01", &files);
        generate::core(&vault.at("2026-01-02"), false).unwrap();
        vault
    }

    fn core(vault: &FixtureVault) -> String {
        std::fs::read_to_string(vault.file("CORE.md")).unwrap()
    }

    #[test]
    fn a_rule_that_is_forgotten_leaves_core_in_the_same_commit() {
        let vault = filled();
        assert!(core(&vault).contains("1 rule in use; 3 listed"), "{}", core(&vault));
        let forgotten = forget::forget(&vault.at("2026-01-03"), RULE, "too slow", false).unwrap();
        assert!(forgotten.commit.is_some());
        assert!(!core(&vault).contains("Run all tests") && core(&vault).contains("2 listed"));
        let context = vault.at("2026-01-03");
        let head = context.target().repo().unwrap().unwrap().head().unwrap().commit.unwrap();
        assert_eq!(Some(head.to_string()), forgotten.commit);
        assert_eq!(commit::commit(&context, None).unwrap().commit, None);
        undo::undo(&vault.at("2026-01-04"), None).unwrap();
        assert!(core(&vault).contains("Run all tests"), "{}", core(&vault));
    }

    #[test]
    fn notes_that_are_deleted_superseded_or_harmful_leave_core() {
        let vault = filled();
        let harmful =
            mark::Options { signal: FeedbackSignal::Harmful, because: None, weight: None, invert: false };
        mark::mark(&vault.at("2026-01-03"), RULE, &harmful).unwrap();
        assert!(!core(&vault).contains("Run all tests"));
        let supersedes = relate::Options {
            from: IDS[1].to_owned(),
            to: IDS[0].to_owned(),
            relation: Some(SUPERSEDES.to_owned()),
            ..relate::Options::default()
        };
        relate::relate(&vault.at("2026-01-04"), &supersedes).unwrap();
        assert!(!core(&vault).contains("Fix 1") && core(&vault).contains("Fix 2"));
        rename(&vault.at("2026-01-05"), "graph/fixes/2.md", "graph/fixes/two.md");
        delete::delete(&vault.at("2026-01-06"), &[IDS[1].to_owned()], None).unwrap();
        assert!(!core(&vault).contains("Fix 2") && core(&vault).contains("0 listed"), "{}", core(&vault));
    }

    #[test]
    fn what_was_forgotten_before_is_undone_without_core() {
        let vault = filled();
        forget::forget(&vault.at("2026-01-03"), RULE, "too slow", false).unwrap();
        delete::delete(&vault.at("2026-01-04"), &[IDS[0].to_owned()], None).unwrap();
        generate::core(&vault.at("2026-01-05"), false).unwrap();
        let commits = |context: &Context| {
            let repo = context.target().repo().unwrap().unwrap();
            let log = repo.log(&LogFilter::default()).unwrap();
            log.into_iter().find(|commit| commit.subject.contains("Run all tests")).unwrap().id.to_string()
        };
        let context = vault.at("2026-01-06");
        undo::undo(&context, Some(&commits(&context))).unwrap();
        assert!(!core(&vault).contains("Fix 1"), "{}", core(&vault));
    }

    #[test]
    fn references_to_notes_that_are_gone_or_retired_are_unused() {
        let vault = filled();
        let text = std::fs::read_to_string(vault.file("graph/fixes/1.md")).unwrap();
        vault.put("graph/fixes/1.md", &text.replace("type: fix", "type: fix\nstate: retired"));
        std::fs::remove_file(vault.file("graph/fixes/2.md")).unwrap();
        let context = vault.at("2026-01-03");
        let references = [
            "graph/fixes/1.md",
            "graph/fixes/2.md",
            "core/b-mt2ssunl-000001",
            "core/make",
            "https://x.org/a.md",
        ];
        let unused =
            unused_references(&context, context.target(), references.iter().map(|one| (*one).to_owned()))
                .unwrap();
        assert_eq!(unused, HashSet::from(["graph/fixes/1.md".to_owned(), "graph/fixes/2.md".to_owned()]));
    }
}
