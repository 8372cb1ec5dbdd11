//! Carries out an operation that is in the journal: writes its files, then creates its commit.

use super::moved_notes;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::scoring::scoring;
use crate::error::Result;
use cm_note::frontmatter::edit;
use cm_note::id::NoteId;
use cm_note::note::read;
use cm_note::path::NotePath;
use cm_store::config::keys;
use cm_store::git::{self, Join, PathChange, PathChangeKind as PathKind};
use cm_store::vault::exchange::{self, ReplacedFile};
use cm_store::vault::journal::{FileBytes, FileChange, JournalEntry, JournalJoin};
use cm_store::vault::layout;
use rayon::prelude::*;
use std::path::PathBuf;

pub(super) fn options(context: &Context, open: &OpenVault) -> git::Options {
    let hooks = open.settings.flag(keys::GIT_HOOKS).unwrap_or(false);
    let sign = open.settings.flag(keys::GIT_SIGN);
    git::Options { hooks, sign, ..git::Options::new(context.now()) }
}

/// Whether an operation changes and removes no file.
pub(super) fn creates_only(entry: &JournalEntry) -> bool {
    entry.files.iter().all(|file| file.before.is_none() && file.after.is_some() && file.from.is_empty())
}

/// Writes the files, then creates the commit.
pub(super) fn write_and_commit(
    context: &Context,
    open: &OpenVault,
    entry: &JournalEntry,
    unsynced: &mut Vec<PathBuf>,
) -> Result<Option<String>> {
    let mut replaced = Vec::new();
    let files = if creates_only(entry) || entry.join.is_some() {
        write_unsynced(open, entry, &mut replaced, unsynced)
    } else {
        write_files(open, entry, &mut replaced)
    };
    let outcome = files.and_then(|()| commit(context, open, entry));
    finish(context, open, entry, replaced);
    outcome
}

/// Removes the old files of replaced and removed ones. A failure is no error: by now the commit
/// may exist, and must not be rolled back.
fn finish(
    context: &Context,
    open: &OpenVault,
    entry: &JournalEntry,
    replaced: Vec<(NotePath, ReplacedFile)>,
) {
    let vault = &open.vault;
    let finish = |(path, old): (NotePath, ReplacedFile)| (path, old.finish(vault));
    let finished: Vec<_> = match entry.join {
        Some(_) => replaced.into_par_iter().map(finish).collect(),
        None => replaced.into_iter().map(finish).collect(),
    };
    for (path, persists) in finished {
        match persists {
            Ok(true) => {}
            Ok(false) => context
                .notice(format!("another program saved {path} at the same moment; its version was kept")),
            Err(error) => {
                context.notice(format!("the old version of {path} stays in a temporary file: {error}"));
            }
        }
    }
}

fn write_unsynced(
    open: &OpenVault,
    entry: &JournalEntry,
    replaced: &mut Vec<(NotePath, ReplacedFile)>,
    unsynced: &mut Vec<PathBuf>,
) -> Result<()> {
    let vault = &open.vault;
    let write = |file: &FileChange| {
        if file.left_out {
            return Ok((None, None));
        }
        let before = file.before.as_ref().map(FileBytes::as_slice);
        match &file.after {
            Some(after) => {
                let (new, old) = exchange::replace_unsynced(vault, &file.path, before, after.as_slice())?;
                Ok((Some(new), old))
            }
            None => Ok((None, exchange::remove(vault, &file.path, before)?)),
        }
    };
    let files = &entry.files;
    // A synchronization can bring thousands of files.
    let written: Vec<std::result::Result<_, cm_store::vault::Error>> = match entry.join {
        Some(_) => files.par_iter().map(write).collect(),
        None => files.iter().map(write).collect(),
    };
    let mut outcome = Ok(());
    for (file, written) in files.iter().zip(written) {
        match written {
            Ok((new, old)) => {
                unsynced.extend(new);
                replaced.extend(old.map(|old| (file.path.clone(), old)));
            }
            // The caller restores the files that were written.
            Err(error) => outcome = outcome.and(Err(error.into())),
        }
    }
    outcome
}

fn write_files(
    open: &OpenVault,
    entry: &JournalEntry,
    replaced: &mut Vec<(NotePath, ReplacedFile)>,
) -> Result<()> {
    for file in &entry.files {
        let before = file.before.as_ref().map(FileBytes::as_slice);
        let old = match &file.after {
            Some(after) => exchange::replace(&open.vault, &file.path, before, after.as_slice())?,
            None => exchange::remove(&open.vault, &file.path, before)?,
        };
        replaced.extend(old.map(|old| (file.path.clone(), old)));
    }
    Ok(())
}

pub(super) fn commit(context: &Context, open: &OpenVault, entry: &JournalEntry) -> Result<Option<String>> {
    let Some(repo) = open.repo()?.filter(|_| entry.commits) else { return Ok(None) };
    let reapply: Vec<_> =
        entry.files.iter().map(|file| move |text: &str| reapplied(open, file, text)).collect();
    let changes: Vec<PathChange<'_>> = entry
        .files
        .iter()
        .zip(&reapply)
        .map(|(file, reapply)| {
            let moved = moved_notes::source(entry, file);
            let kind = match &file.after {
                None => PathKind::Remove,
                Some(after) if entry.join.is_some() => PathKind::Joined {
                    bytes: after.as_slice().to_vec(),
                    executable: file.executable,
                    left_out: file.left_out,
                },
                Some(after) => PathKind::Write {
                    before: file.before.as_ref().or(moved).map(|bytes| bytes.as_slice().to_vec()),
                    after: after.as_slice().to_vec(),
                    reapply: (!file.edits.is_empty() || moved.is_some() || is_settings(file))
                        .then_some(reapply as git::Reapply<'_>),
                },
            };
            PathChange { path: file.path.clone(), from: file.from.clone(), kind }
        })
        .collect();
    let options = git::Options { join: join_of(entry), ..options(context, open) };
    let committed = repo.commit(&changes, &entry.message, &options)?;
    repo.maintain();
    Ok(committed.map(|committed| committed.id.to_string()))
}

fn is_settings(file: &FileChange) -> bool {
    file.path.as_str() == layout::SETTINGS
}

/// Applies the change of a file to another version of it: settings by key, notes by their edits.
fn reapplied(open: &OpenVault, file: &FileChange, text: &str) -> Option<String> {
    let (Some(before), Some(after), true) = (&file.before, &file.after, is_settings(file)) else {
        return edit::apply(text, &file.edits).ok();
    };
    let versions =
        cm_merge::Versions { base: Some(before.as_slice()), ours: text.as_bytes(), theirs: after.as_slice() };
    let settings = &open.settings;
    let scoring = scoring(settings);
    let vocabulary =
        cm_merge::Vocabulary { types: &settings.types, relations: &settings.relations, scoring: &scoring };
    let merged = cm_merge::merge_file(&file.path, &versions, &vocabulary, cm_merge::Clash::Markers);
    String::from_utf8(merged.bytes).ok().filter(|_| !merged.markers)
}

/// Returns the history that a journal entry joins; `None` if it joins none, or its id is no id.
pub(super) fn join_of(entry: &JournalEntry) -> Option<Join> {
    Some(match entry.join.as_ref()? {
        JournalJoin::Merge(hex) => Join::Merge(git::CommitId::parse(hex)?),
        JournalJoin::FastForward(hex) => Join::FastForward(git::CommitId::parse(hex)?),
    })
}

/// Queues the changed paths for the next index refresh. Failures are ignored, because the next walk
/// over the folder finds the changes.
pub(super) fn queue(open: &OpenVault, entry: &JournalEntry) {
    let id_of = |bytes: &FileBytes| {
        let text = std::str::from_utf8(bytes.as_slice()).ok()?;
        NoteId::parse(&read::id_text(text)?).ok()
    };
    let written = entry.files.iter().map(|file| (file.path.clone(), file.after.as_ref().and_then(id_of)));
    let _ = open.index().queue(&written.collect::<Vec<_>>());
}
