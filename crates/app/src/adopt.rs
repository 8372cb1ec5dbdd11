//! Giving notes an id where they lie, in one commit.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::memory::{Memory, OpenVault};
use super::write;
use cm_exchange::adopt::{Candidate, How, Plan};
use cm_note::change::{Change, ChangeSet};
use cm_note::finding::Finding;
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::message::Message;
use cm_note::path::NotePath;
use cm_store::vault::foreign;

pub use cm_exchange::adopt::{Left, Why};

/// Which notes, and how.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Files and folders of the vault; all of it where none is named.
    pub paths: Vec<String>,
    /// Give them all keys that a memory has, not the id alone.
    pub full: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// A note that got an id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Named {
    /// Where it lies.
    pub path: String,
    /// Its id.
    pub id: String,
}

/// What was adopted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Adoption {
    /// The notes that have an id now.
    pub adopted: Vec<Named>,
    /// The notes that were left as they are, and why.
    pub skipped: Vec<Left>,
    /// What is wrong in those.
    pub findings: Vec<Finding>,
    /// The commit; null where commits are manual or nothing changed.
    pub commit: Option<String>,
    /// Whether this only says what would be done.
    pub dry_run: bool,
}

impl Adoption {
    /// Whether a part of what was asked for was not done.
    pub fn failed(&self) -> bool {
        self.skipped.iter().any(|left| left.why.failed())
    }
}

/// More ids than this make a commit's message unreadable; the files of the commit tell them as well.
const IDS: usize = 200;

/// Gives notes without an id one.
///
/// # Errors
/// A path that is none of the vault's, notes of which none could be changed, and those of [`write::apply`].
pub fn adopt(memory: &Memory, options: &Options) -> Result<Adoption> {
    let open = memory.target();
    let chosen = chosen(memory, open, &options.paths)?;
    let mut plan = Plan::default();
    let how = How { full: options.full, types: &open.settings.types };
    for (path, note) in &chosen {
        match open.vault.read(path) {
            Ok(bytes) => {
                let note = Candidate { path, bytes: &bytes, modified: note.modified, named: note.named };
                plan.add(note, how, &mut || NoteId::from(memory.draw()));
            }
            Err(_) => plan.left.push(Left { path: path.to_string(), why: Why::Unreadable }),
        }
    }
    if plan.adopted.is_empty() && plan.left.iter().any(|left| left.why.failed()) {
        return Err(nothing_adopted(&plan));
    }
    let adopted =
        plan.adopted.iter().map(|note| Named { path: note.path.to_string(), id: note.id.to_string() });
    let mut outcome = Adoption {
        adopted: adopted.collect(),
        skipped: plan.left.clone(),
        findings: plan.findings.clone(),
        commit: None,
        dry_run: options.dry_run,
    };
    if !options.dry_run && !plan.adopted.is_empty() {
        outcome.commit = carry_out(memory, plan)?;
    }
    Ok(outcome)
}

/// A note that may be adopted.
#[derive(Debug, Clone, Copy)]
struct Chosen {
    modified: Instant,
    named: bool,
}

/// The notes that the paths mean; of folders, those that the index knows no id of.
fn chosen(memory: &Memory, open: &OpenVault, paths: &[String]) -> Result<BTreeMap<NotePath, Chosen>> {
    let mut files = BTreeMap::new();
    let mut folders = Vec::new();
    for typed in paths {
        match (
            open.vault.locate(&memory.call.cwd, typed),
            foreign::folder_of(&open.vault, &memory.call.cwd, typed),
        ) {
            (Some(file), _) => {
                files.insert(file, true);
            }
            (None, Some(folder)) => folders.push(folder),
            (None, None) => {
                return Err(Error::not_found(format!("{typed} is no file or folder of the vault")));
            }
        }
    }
    if paths.is_empty() {
        folders.push(String::new());
    }
    if !folders.is_empty() {
        let below = |path: &NotePath| folders.iter().any(|folder| path.as_str().starts_with(folder.as_str()));
        for note in &*memory.notes_of(open)? {
            if note.id.is_none() && below(&note.path) {
                files.entry(note.path.clone()).or_insert(false);
            }
        }
    }
    let written: BTreeMap<NotePath, i64> =
        open.walk().files.into_iter().map(|file| (file.path, file.mtime_ns)).collect();
    files
        .into_iter()
        .map(|(path, named)| match written.get(&path) {
            Some(nanoseconds) => {
                let modified = Instant::from_unix(nanoseconds.div_euclid(1_000_000_000));
                Ok((path, Chosen { modified, named }))
            }
            None => Err(Error::usage(format!("{path} is no note"))
                .hint("notes end in .md or .markdown and lie in no hidden, derived or excluded folder")),
        })
        .collect()
}

fn carry_out(memory: &Memory, plan: Plan) -> Result<Option<String>> {
    let subject = match plan.adopted.as_slice() {
        [one] => format!("Adopt {}", one.path),
        several => format!("Adopt {} notes", several.len()),
    };
    let ids = plan.adopted.iter().map(|note| &note.id).take(if plan.adopted.len() > IDS { 0 } else { IDS });
    let message = ids.fold(Message::new("adopt", subject), |message, id| message.id(id.as_str()));
    let changes =
        plan.adopted.into_iter().map(|note| Change::Edit { path: note.path, edits: note.edits }).collect();
    Ok(write::apply(memory, ChangeSet { message, changes })?.commit)
}

fn nothing_adopted(plan: &Plan) -> Error {
    let reasons: Vec<String> =
        plan.left.iter().take(5).map(|left| format!("{}: {}", left.path, reason(left.why))).collect();
    let more = plan.left.len().saturating_sub(reasons.len());
    let tail = if more > 0 { format!("; and {more} more") } else { String::new() };
    write::nothing("no note could be adopted").hint(format!("{}{tail}", reasons.join("; ")))
}

/// Why a note was left as it is, in words.
pub fn reason(why: Why) -> &'static str {
    match why {
        Why::HasId => "it has an id",
        Why::DayLog => "it is a day's log, which is known by its date",
        Why::Document => "it is a document of the repository; name it to adopt it",
        Why::Invalid => "it cannot be changed safely; `cm validate` says why",
        Why::Unreadable => "it cannot be read",
    }
}
