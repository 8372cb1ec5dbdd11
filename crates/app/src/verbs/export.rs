//! Exports a vault for other tools. The notes are not changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{Error, Result};
use cm_exchange::import::state::{AccessStats, AccessStatsByNote};
use cm_exchange::{export, memory_file};
use cm_note::graph::Graph;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_note::score::DecayScore;
use cm_note::score::bullet::effective;
use cm_store::config::keys::KEYS;
use cm_store::vault::external_folder::{self, ExportReport};

pub use cm_exchange::export::ExportFormat;

/// Format of an export, where it is written and whether files may be overwritten.
#[derive(Debug, Clone)]
pub struct Options {
    pub format: ExportFormat,
    /// Target folder, or target file of a JSON document. `None` writes the JSON files of the
    /// earlier tool into the vault's folder and returns documents.
    pub out: Option<PathBuf>,
    /// Overwrite files that were not created by an export.
    pub force: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportResult {
    pub format: ExportFormat,
    /// Destination path; null if the document is returned.
    pub out: Option<String>,
    /// Number of exported notes.
    pub notes: usize,
    /// Paths of the written files, relative to the destination.
    pub written: Vec<String>,
    /// Number of files that were already up to date.
    pub unchanged: usize,
    /// Paths of existing files that were not overwritten, because an export did not create them.
    pub left: Vec<String>,
    /// The document, if no destination was given.
    #[serde(skip)]
    pub document: Option<String>,
}

impl ExportResult {
    /// Creates a result without files.
    fn to(options: &Options, notes: usize) -> Self {
        Self {
            format: options.format,
            out: options.out.as_deref().map(|out| out.display().to_string()),
            notes,
            written: Vec::new(),
            unchanged: 0,
            left: Vec::new(),
            document: None,
        }
    }
}

/// Exports the target vault.
///
/// # Errors
/// A destination that cannot be written, existing files that an export did not create, or
/// unreadable notes.
pub fn export(memory: &Context, options: &Options) -> Result<ExportResult> {
    let open = memory.target();
    let out = options.out.as_deref().map(|out| memory.call.cwd.join(out));
    match (options.format, out) {
        (ExportFormat::Json, out) => document(memory, open, options, out.as_deref()),
        (ExportFormat::MemoryMd, out) => memory_md(memory, open, options, out.as_deref()),
        (ExportFormat::Markdown, None) => {
            Err(Error::usage("this format needs an output folder").hint("for example `--out ../copy`"))
        }
        (ExportFormat::Markdown, Some(out)) => {
            outside(open, &out)?;
            let copies = copies(open)?;
            let notes = copies.len();
            write(options, &out, notes, copies)
        }
        (ExportFormat::ClaudeMemory, None) => beside_the_notes(memory, open, options),
        (ExportFormat::ClaudeMemory, Some(out)) if external_folder::is_root(&open.vault, &out) => {
            beside_the_notes(memory, open, options)
        }
        (ExportFormat::ClaudeMemory, Some(out)) => {
            outside(open, &out)?;
            let mut files = copies(open)?;
            let notes = files.len();
            files.extend(json_files(memory, open)?);
            write(options, &out, notes, files)
        }
    }
}

/// Exports MEMORY.md from the notes of one vault.
fn memory_md(
    memory: &Context,
    open: &OpenVault,
    options: &Options,
    out: Option<&Path>,
) -> Result<ExportResult> {
    let notes = memory.notes_of(open)?;
    let graph = Graph::connect(&notes);
    let mut scores = vec![DecayScore::default(); notes.len()];
    for scored in crate::verbs::decay::scored(memory, open)? {
        scores[scored.at] = scored.score;
    }
    let playbook = crate::verbs::playbook::of_notes(&notes);
    let constants = crate::context::scoring::scoring(&open.settings);
    let bullets: Vec<_> =
        playbook.bullets.iter().map(|bullet| (bullet, effective(bullet, memory.now(), &constants))).collect();
    let file = memory_file::plan(&bullets, &graph, &scores, constants.active, &memory.now().day());
    let mut outcome = ExportResult::to(options, file.entries);
    let Some(out) = out else {
        outcome.document = Some(file.text);
        return Ok(outcome);
    };
    outside(open, out)?;
    let ours = |there: &[u8]| options.force || there.starts_with(memory_file::OPENING.as_bytes());
    let wrote = one_file(out, file.text.into_bytes(), &ours)?;
    taken(outcome, out.parent().unwrap_or(out), &wrote)
}

/// Writes the four JSON files of the earlier tool into the vault's folder. A config file with other
/// contents is not overwritten.
fn beside_the_notes(memory: &Context, open: &OpenVault, options: &Options) -> Result<ExportResult> {
    let root = open.vault.root().to_owned();
    let mut files = json_files(memory, open)?;
    let private = |(path, _): &(NotePath, Vec<u8>)| {
        let there = (path.as_str() == export::CONFIG).then(|| open.vault.read(path).ok()).flatten();
        there.is_some_and(|there| !export::is_ours(&there))
    };
    let left: Vec<String> =
        files.iter().filter(|file| private(file)).map(|(path, _)| path.to_string()).collect();
    files.retain(|file| !private(file));
    let notes = open.walk().files.len();
    let wrote = write(options, &root, notes, files)?;
    Ok(ExportResult { out: Some(root.display().to_string()), left, ..wrote })
}

fn json_files(memory: &Context, open: &OpenVault) -> Result<Vec<(NotePath, Vec<u8>)>> {
    let notes = memory.notes_of(open)?;
    let (usage, notices) = open.usage().load();
    notices.into_iter().for_each(|notice| memory.notice(notice));
    let usage: AccessStatsByNote = usage
        .into_iter()
        .filter(|(_, used)| used.accesses > 0 || used.last.is_some())
        .map(|(key, used)| (key, AccessStats { count: used.accesses, last: used.last }))
        .collect();
    let settings: BTreeMap<String, serde_json::Value> = KEYS
        .iter()
        .filter_map(|key| {
            let (value, _) = open.settings.get(key)?;
            Some((key.name.to_owned(), serde_json::to_value(value).ok()?))
        })
        .collect();
    let scored = crate::verbs::decay::scored(memory, open)?.into_iter();
    let scores = scored.map(|scored| (notes[scored.at].path.to_string(), scored.score)).collect();
    let (model, vectors) = vectors(memory, open, &notes);
    let derived = export::DerivedData { usage, scores, model, vectors };
    export::claude_memory(&notes, &derived, &settings)
        .into_iter()
        .map(|(name, text)| Ok((path(name)?, text.into_bytes())))
        .collect()
}

/// Embeds the first passage of every memory. Returns the model's name and the vectors by note ID;
/// empty if no model is available.
fn vectors(
    memory: &Context,
    open: &OpenVault,
    notes: &[Note],
) -> (Option<String>, BTreeMap<String, Vec<f32>>) {
    let memories = notes.iter().filter(|note| note.kind == NoteKind::Memory);
    let texts: Vec<(String, String)> = memories
        .filter_map(|note| {
            let first = open.passages_of(&note.path).into_iter().next()?;
            Some((note.id.as_ref()?.to_string(), first.text))
        })
        .collect();
    let Some((model, vectors)) =
        memory.embedded(&texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>())
    else {
        return (None, BTreeMap::new());
    };
    (Some(model), texts.into_iter().map(|(id, _)| id).zip(vectors).collect())
}

/// Reads the files of all notes, as path and bytes.
fn copies(open: &OpenVault) -> Result<Vec<(NotePath, Vec<u8>)>> {
    let read = |path: NotePath| {
        let bytes = open.read(&path).map_err(cm_store::vault::Error::io("read", &open.vault.file(&path)))?;
        Ok((path, bytes))
    };
    open.walk().files.into_iter().map(|file| read(file.path)).collect()
}

fn document(
    memory: &Context,
    open: &OpenVault,
    options: &Options,
    out: Option<&Path>,
) -> Result<ExportResult> {
    let notes = memory
        .notes_of(open)?
        .iter()
        .map(|note| {
            let found = crate::context::find::load(open, &note.path)?;
            let text = found.text();
            Ok((found.note, text))
        })
        .collect::<Result<Vec<_>>>()?;
    let text = export::document(&notes);
    let mut outcome = ExportResult::to(options, notes.len());
    let Some(out) = out else {
        outcome.document = Some(text);
        return Ok(outcome);
    };
    let folder = out.parent().unwrap_or(out);
    let wrote = one_file(out, text.into_bytes(), &|_| options.force)?;
    taken(outcome, folder, &wrote)
}

/// Writes one file; `may_replace` decides from the existing contents whether to overwrite them.
pub(crate) fn one_file(
    out: &Path,
    bytes: Vec<u8>,
    may_replace: &dyn Fn(&[u8]) -> bool,
) -> Result<ExportReport> {
    let name = out.file_name().and_then(|name| name.to_str()).filter(|_| !out.is_dir());
    let (Some(folder), Some(name)) = (out.parent(), name) else {
        return Err(Error::usage(format!("{} is not a file", out.display()))
            .hint("pass a file, for example `--out notes.json`"));
    };
    Ok(external_folder::write(folder, &[(path(name)?, bytes)], &|_, there| may_replace(there))?)
}

fn write(
    options: &Options,
    out: &Path,
    notes: usize,
    files: Vec<(NotePath, Vec<u8>)>,
) -> Result<ExportResult> {
    let may = |_: &NotePath, there: &[u8]| options.force || export::is_ours(there);
    let wrote = external_folder::write(out, &files, &may)?;
    taken(ExportResult::to(options, notes), out, &wrote)
}

fn taken(mut outcome: ExportResult, folder: &Path, wrote: &ExportReport) -> Result<ExportResult> {
    if let Some(first) = wrote.in_the_way.first() {
        let more = wrote.in_the_way.len() - 1;
        let others = if more > 0 { format!(" and {more} more") } else { String::new() };
        return Err(Error::refused("exists", format!("{first}{others} would be overwritten"))
            .at(folder.join(first.as_str()).display(), None, None)
            .hint("nothing was written; choose another path, or use `--force`"));
    }
    outcome.written = wrote.written.iter().map(ToString::to_string).collect();
    outcome.unchanged = wrote.unchanged.len();
    Ok(outcome)
}

/// Rejects a destination inside the vault, where the exported files would be indexed as notes.
fn outside(open: &OpenVault, out: &Path) -> Result<()> {
    let existing = out.ancestors().find(|folder| folder.exists()).unwrap_or(out);
    if external_folder::is_within(&open.vault, existing) {
        return Err(Error::refused("inside-the-vault", format!("{} is inside the vault", out.display()))
            .hint("copies of notes there would become notes; choose a folder outside"));
    }
    Ok(())
}

fn path(name: &str) -> Result<NotePath> {
    NotePath::parse(name).map_err(|error| Error::usage(error.to_string()))
}
