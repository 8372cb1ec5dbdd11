//! Adds IDs and missing keys to existing notes in place, in one commit.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::write;
use crate::error::{Error, Result};
use cm_exchange::adopt::{AdoptionCandidate, AdoptionOptions, AdoptionPlan};
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::finding::Finding;
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;
use cm_store::config::keys;
use cm_store::vault::external_folder;
use cm_store::vault::note_folders::template_folders;
use cm_store::vault::walk;

pub use cm_exchange::adopt::{AdoptionSkipReason, SkippedNote};

/// Selects the notes to adopt and how to change them.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Paths of notes and folders in the vault; if empty, the whole vault is adopted.
    pub paths: Vec<String>,
    /// Add all frontmatter keys of a memory, not only the ID, also to notes that have an ID.
    pub full: bool,
    /// Report the changes without writing them.
    pub dry_run: bool,
}

/// A note that received an ID or missing keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AdoptedFile {
    /// Path of the note's file, relative to the vault root.
    pub path: String,
    /// The new ID, or the one that the note already had.
    pub id: String,
}

/// Result of giving IDs to existing notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Adoption {
    /// Notes that received an ID or missing keys.
    pub adopted: Vec<AdoptedFile>,
    /// Notes that were not changed, each with the reason.
    pub skipped: Vec<SkippedNote>,
    /// Problems found in the skipped notes.
    pub findings: Vec<Finding>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
}

impl Adoption {
    /// Whether some requested notes could not be adopted.
    pub fn failed(&self) -> bool {
        self.skipped.iter().any(|left| left.why.failed())
    }
}

/// Adds an ID to every selected note that lacks one; with `full`, also other missing keys to every selected
/// note.
///
/// # Errors
/// A path outside the vault, no note that could be changed, and the errors of [`write::apply`].
pub fn adopt(context: &Context, options: &Options) -> Result<Adoption> {
    let open = context.target();
    let mut plan = AdoptionPlan::default();
    let how = AdoptionOptions { full: options.full, types: &open.settings.types };
    let templates = template_folders(open.vault.root());
    let chosen = chosen(context, open, options, &templates)?;
    for (path, note) in &chosen {
        match open.vault.read(path) {
            Ok(bytes) => {
                let note = AdoptionCandidate {
                    path,
                    bytes: &bytes,
                    modified: note.modified,
                    is_explicit: note.is_explicit,
                    is_template: is_template(&templates, path),
                };
                plan.add(note, how, &mut || NoteId::from(context.new_uuid()));
            }
            Err(_) => {
                plan.left.push(SkippedNote { path: path.to_string(), why: AdoptionSkipReason::Unreadable })
            }
        }
    }
    if plan.adopted.is_empty() && plan.left.iter().any(|left| left.why.failed()) {
        return Err(nothing_adopted(&plan));
    }
    let adopted =
        plan.adopted.iter().map(|note| AdoptedFile { path: note.path.to_string(), id: note.id.to_string() });
    let mut outcome = Adoption {
        adopted: adopted.collect(),
        skipped: plan.left.clone(),
        findings: plan.findings.clone(),
        commit: None,
        dry_run: options.dry_run,
    };
    if !options.dry_run && !plan.adopted.is_empty() {
        outcome.commit = carry_out(context, plan)?;
    }
    Ok(outcome)
}

/// Properties of a note that `adopt` may change.
#[derive(Debug, Clone, Copy)]
struct SelectedNote {
    modified: Instant,
    is_explicit: bool,
}

/// Whether a file is in one of the folders.
fn is_template(folders: &[String], path: &NotePath) -> bool {
    let is_below = |folder: &String| {
        path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
    };
    folders.iter().any(is_below)
}

/// Resolves the paths to notes. Without `full`, folders contribute only the notes that have no ID in the
/// index.
fn chosen(
    context: &Context,
    open: &OpenVault,
    Options { paths, full, .. }: &Options,
    templates: &[String],
) -> Result<BTreeMap<NotePath, SelectedNote>> {
    let mut files = BTreeMap::new();
    let mut folders = Vec::new();
    for typed in paths {
        match (
            open.vault.locate(&context.request.cwd, typed),
            external_folder::folder_of(&open.vault, &context.request.cwd, typed),
        ) {
            (Some(file), _) => {
                files.insert(file, true);
            }
            (None, Some(folder)) => folders.push(folder),
            (None, None) => {
                return Err(Error::not_found(format!("{typed} is not a file or folder of the vault")));
            }
        }
    }
    if paths.is_empty() {
        folders.push(String::new());
    }
    // Templates are not notes, but can get an ID on request.
    let walked = walk::walk(open.vault.root(), &open.settings.texts(keys::VAULT_EXCLUDE)).files;
    if !folders.is_empty() {
        let below = |path: &NotePath| folders.iter().any(|folder| path.as_str().starts_with(folder.as_str()));
        for note in context.notes_of(open)?.iter() {
            if (*full || note.id.is_none()) && below(&note.path) {
                files.entry(note.path.clone()).or_insert(false);
            }
        }
        for file in walked.iter().filter(|file| is_template(templates, &file.path) && below(&file.path)) {
            files.entry(file.path.clone()).or_insert(false);
        }
    }
    let written: BTreeMap<NotePath, i64> =
        walked.into_iter().map(|file| (file.path, file.mtime_ns)).collect();
    files
        .into_iter()
        .map(|(path, is_explicit)| match written.get(&path) {
            Some(nanoseconds) => {
                let modified = Instant::from_unix(nanoseconds.div_euclid(1_000_000_000));
                Ok((path, SelectedNote { modified, is_explicit }))
            }
            None => Err(Error::usage(format!("{path} is not a note"))
                .hint("notes end in .md or .markdown and are not in a hidden, derived or excluded folder")),
        })
        .collect()
}

fn carry_out(context: &Context, plan: AdoptionPlan) -> Result<Option<String>> {
    let subject = match plan.adopted.as_slice() {
        [one] => format!("Adopt {}", one.path),
        several => format!("Adopt {} notes", several.len()),
    };
    let ids = plan.adopted.iter().map(|note| note.id.as_str());
    let message = CommitMessage::new(CommitOp::Adopt, subject).with_ids(ids);
    let changes = plan.adopted.into_iter().map(|note| VaultFileChange::edit(note.path, note.edits)).collect();
    Ok(write::apply(context, ChangeSet { message, changes })?.commit)
}

fn nothing_adopted(plan: &AdoptionPlan) -> Error {
    let reasons: Vec<String> =
        plan.left.iter().take(5).map(|left| format!("{}: {}", left.path, reason(left.why))).collect();
    let more = plan.left.len().saturating_sub(reasons.len());
    let tail = if more > 0 { format!("; and {more} more") } else { String::new() };
    write::nothing_done("no note was adopted").hint(format!("{}{tail}", reasons.join("; ")))
}

/// A user-facing explanation of why a note was skipped.
pub fn reason(why: AdoptionSkipReason) -> &'static str {
    match why {
        AdoptionSkipReason::HasId => "it already has an ID",
        AdoptionSkipReason::DayLog => "it is a daily log, which is identified by its date",
        AdoptionSkipReason::Document => "it is a document of the repository; pass its path to adopt it",
        AdoptionSkipReason::Template => "it is a template, whose copies would all have its ID",
        AdoptionSkipReason::Empty => "it is empty",
        AdoptionSkipReason::Invalid => "it cannot be changed safely; `cm validate` shows why",
        AdoptionSkipReason::Unreadable => "it cannot be read",
    }
}
