//! Exports a vault for other tools. The notes are not changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{Error, Result};
use cm_exchange::export::claude_memory::{self, CONFIG, DerivedData};
use cm_exchange::export::manifest::{self, ExportManifest};
use cm_exchange::export::{memory_tool, okf};
use cm_exchange::import::attachments;
use cm_exchange::import::state::{AccessStats, AccessStatsByNote};
use cm_exchange::{export, memory_file};
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_note::score::DecayScore;
use cm_note::score::bullet::effective;
use cm_store::config::keys;
use cm_store::vault::caches::CACHES;
use cm_store::vault::external_folder::{self, ExportReport};

pub use cm_exchange::export::ExportFormat;

/// Format of an export, where it is written and whether files may be overwritten.
#[derive(Debug, Clone)]
pub struct Options {
    pub format: ExportFormat,
    /// Target folder, or target file of a JSON document. `None` writes the JSON files of the
    /// earlier tool into the vault's folder and returns documents.
    pub out: Option<PathBuf>,
    /// Overwrite files that an export did not create, or that were edited since.
    pub force: bool,
    /// Least score of a memory in MEMORY.md; by default that of an active one.
    pub score_threshold: Option<f64>,
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
    /// Paths of existing files that were not overwritten, because an export did not create them or
    /// they were edited since.
    pub left: Vec<String>,
    /// The document, if no destination was given; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
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
pub fn export(context: &Context, options: &Options) -> Result<ExportResult> {
    let open = context.target();
    let out = options.out.as_deref().map(|out| context.request.cwd.join(out));
    match (options.format, out) {
        (ExportFormat::Json, out) => document(context, open, options, out.as_deref()),
        (ExportFormat::MemoryMd, out) => memory_md(context, open, options, out.as_deref()),
        (
            ExportFormat::Markdown | ExportFormat::MemoryTool | ExportFormat::Okf | ExportFormat::Site,
            None,
        ) => Err(Error::usage("this format needs an output folder").hint("for example `--out ../copy`")),
        (ExportFormat::Site, Some(_)) => Err(Error::usage("only `cm export` makes a site")),
        (ExportFormat::Markdown, Some(out)) => {
            let (notes, files) = copies(context, open)?;
            write(open, options, &out, notes, files)
        }
        (ExportFormat::ClaudeMemory, None) => beside_the_notes(context, open, options),
        (ExportFormat::ClaudeMemory, Some(out)) if external_folder::is_root(&open.vault, &out) => {
            beside_the_notes(context, open, options)
        }
        (ExportFormat::ClaudeMemory, Some(out)) => {
            let (notes, mut files) = copies(context, open)?;
            files.extend(json_files(context, open)?);
            write(open, options, &out, notes, files)
        }
        (ExportFormat::MemoryTool, Some(out)) => {
            let notes = context.notes_of(open)?;
            let texts = texts(context, open, &notes, memory_tool::is_exported)?;
            let exported = notes.iter().zip(&texts).filter_map(|(note, text)| Some((note, text.as_deref()?)));
            let files = memory_tool::files(exported);
            let count = files.len();
            write(open, options, &out, count, bytes(files))
        }
        (ExportFormat::Okf, Some(out)) => {
            let notes = context.notes_of(open)?;
            let texts = texts(context, open, &notes, okf::is_concept)?;
            let count = texts.iter().flatten().count();
            let attachments = other_files(open)?;
            let vault = okf::OkfVault { notes: &notes, texts: &texts, attachments: &attachments };
            let mut files = bytes(okf::bundle(&vault));
            let exported =
                notes.iter().zip(&texts).filter_map(|(note, text)| Some((&note.path, text.as_deref()?)));
            files.extend(used_files(context, open, &attachments, exported)?);
            write(open, options, &out, count, files)
        }
    }
}

/// Writes the files of a site, which show `notes` notes, to the output folder. Removes the files of
/// an earlier export that are no longer part of it, unless they were edited.
///
/// # Errors
/// No output folder, one with files that no export wrote, and the errors of [`export()`].
pub fn site(
    context: &Context,
    options: &Options,
    render: impl FnOnce(&Context) -> Result<(usize, Vec<(String, Vec<u8>)>)>,
) -> Result<ExportResult> {
    let open = context.target();
    let Some(out) = options.out.as_deref().map(|out| context.request.cwd.join(out)) else {
        return Err(Error::usage("this format needs an output folder").hint("for example `--out ../site`"));
    };
    refuse_inside_vault(open, &out)?;
    let list = NotePath::parse(manifest::NAME)?;
    let before = if out.is_dir() { manifest_of(&out, &list)? } else { ExportManifest::default() };
    if before.is_empty() && !options.force && !external_folder::is_empty(&out)? {
        return Err(Error::refused("exists", format!("{} has files that no export wrote", out.display()))
            .hint("nothing was written; choose an empty folder, or use `--force`"));
    }
    let (notes, files) = render(context)?;
    let files: Vec<FileCopy> =
        files.into_iter().map(|(name, bytes)| Ok((NotePath::parse(&name)?, bytes))).collect::<Result<_>>()?;
    let exported: BTreeSet<NotePath> = files.iter().map(|(path, _)| path.clone()).collect();
    let result = write_listed(options, &out, notes, files, &list)?;
    let mut after = manifest_of(&out, &list)?;
    for obsolete in after.take_others(&exported.iter().collect()) {
        let there = external_folder::below(&out, &obsolete)?;
        if there.is_some_and(|there| before.has(&obsolete, &there)) {
            external_folder::remove(&out, &obsolete)?;
        }
    }
    external_folder::write(&out, &[(list, after.text().into_bytes())], &|_, _| true)?;
    Ok(result)
}

/// Reads the texts of the notes that `is_exported` selects. Reports those that are not UTF-8.
fn texts(
    context: &Context,
    open: &OpenVault,
    notes: &[Note],
    is_exported: fn(&Note) -> bool,
) -> Result<Vec<Option<String>>> {
    let text = |note: &Note| {
        if !is_exported(note) {
            return Ok(None);
        }
        let text = String::from_utf8(open.read_file(&note.path)?).ok();
        if text.is_none() {
            context.notice(format!("{} is not UTF-8 text and was not exported", note.path));
        }
        Ok(text)
    };
    notes.iter().map(text).collect()
}

fn bytes(files: Vec<(NotePath, String)>) -> Vec<(NotePath, Vec<u8>)> {
    files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect()
}

/// Exports MEMORY.md from the notes of one vault.
fn memory_md(
    context: &Context,
    open: &OpenVault,
    options: &Options,
    out: Option<&Path>,
) -> Result<ExportResult> {
    let notes = context.notes_of(open)?;
    let graph = notes.graph();
    let memory_scores = MemoryScores::of(context, open);
    let score = |note: &Note| match note.kind {
        NoteKind::Memory => memory_scores.score(note),
        _ => DecayScore::default(),
    };
    let scores: Vec<DecayScore> = notes.iter().map(score).collect();
    let playbook = crate::verbs::playbook::of_notes(&notes);
    let constants = memory_scores.constants();
    let bullets: Vec<_> =
        playbook.bullets.iter().map(|bullet| (bullet, effective(bullet, context.now(), constants))).collect();
    let least = options.score_threshold.unwrap_or(constants.active);
    let file = memory_file::plan(&bullets, &graph, &scores, least, &context.now().day());
    let mut outcome = ExportResult::to(options, file.entries);
    let Some(out) = out else {
        outcome.document = Some(file.text);
        return Ok(outcome);
    };
    refuse_inside_vault(open, out)?;
    let ours = |there: &[u8]| options.force || there.starts_with(memory_file::OPENING.as_bytes());
    let wrote = one_file(out, file.text.into_bytes(), &ours)?;
    complete_result(outcome, out.parent().unwrap_or(out), &wrote)
}

/// Writes the four JSON files of the earlier tool into the vault's folder. A config file with other
/// contents is not overwritten.
fn beside_the_notes(context: &Context, open: &OpenVault, options: &Options) -> Result<ExportResult> {
    let root = open.vault.root().to_owned();
    let mut files = json_files(context, open)?;
    let list = NotePath::parse(&format!("{}/export.json", CACHES[1]))?;
    let ours = manifest_of(&root, &list)?;
    let private = |(path, _): &(NotePath, Vec<u8>)| {
        let there = (path.as_str() == CONFIG).then(|| open.vault.read(path).ok()).flatten();
        there.is_some_and(|there| !ours.has(path, &there))
    };
    let left: Vec<String> =
        files.iter().filter(|file| private(file)).map(|(path, _)| path.to_string()).collect();
    files.retain(|file| !private(file));
    let notes = open.walk().files.len();
    let wrote = write_listed(options, &root, notes, files, &list)?;
    Ok(ExportResult { out: Some(root.display().to_string()), left, ..wrote })
}

fn json_files(context: &Context, open: &OpenVault) -> Result<Vec<(NotePath, Vec<u8>)>> {
    let notes = context.notes_of(open)?;
    let (usage, notices) = open.usage().load();
    notices.into_iter().for_each(|notice| context.notice(notice));
    let usage: AccessStatsByNote = usage
        .into_iter()
        .filter(|(_, used)| used.accesses > 0 || used.last.is_some())
        .map(|(key, used)| (key, AccessStats { count: used.accesses, last: used.last }))
        .collect();
    let memory_scores = MemoryScores::of(context, open);
    let memories = notes.iter().filter(|note| note.kind == NoteKind::Memory);
    let scores = memories.map(|note| (note.path.to_string(), memory_scores.score(note))).collect();
    let (model, vectors) = vectors(context, open, &notes);
    let setting = |key| open.settings.text(key).unwrap_or_default().to_owned();
    let derived = DerivedData {
        at: context.now(),
        usage,
        scores,
        model,
        vectors,
        provider: setting(keys::EMBEDDINGS_PROVIDER),
        provider_model: setting(keys::EMBEDDINGS_MODEL),
    };
    claude_memory::files(&notes, &derived)
        .into_iter()
        .map(|(name, text)| Ok((NotePath::parse(name)?, text.into_bytes())))
        .collect()
}

/// Embeds the first passage of every memory. Returns the model's name and the vectors by note ID;
/// empty if no model is available.
fn vectors(
    context: &Context,
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
        context.embedded(&texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>())
    else {
        return (None, BTreeMap::new());
    };
    (Some(model), texts.into_iter().map(|(id, _)| id).zip(vectors).collect())
}

/// Path in the vault and bytes of a file.
type FileCopy = (NotePath, Vec<u8>);

/// Reads the files of all notes, and the attachments that they use. Returns the number of notes too.
fn copies(context: &Context, open: &OpenVault) -> Result<(usize, Vec<FileCopy>)> {
    let file = |path: NotePath| Ok((path.clone(), open.read_file(&path)?));
    let mut files =
        open.walk().files.into_iter().map(|entry| file(entry.path)).collect::<Result<Vec<_>>>()?;
    let notes = files.len();
    let texts = files.iter().filter_map(|(path, bytes)| Some((path, std::str::from_utf8(bytes).ok()?)));
    let used = used_files(context, open, &other_files(open)?, texts)?;
    files.extend(used);
    Ok((notes, files))
}

/// Paths of the vault's files that are not notes, without derived ones.
fn other_files(open: &OpenVault) -> Result<Vec<String>> {
    let mut paths = external_folder::read(open.vault.root(), Path::new(""))?.attachments;
    paths.retain(|path| !CACHES.iter().any(|cache| path.split('/').next() == Some(cache)));
    Ok(paths)
}

/// Reads those of `attachments` that the notes use. Reports those that cannot be read.
fn used_files<'n>(
    context: &Context,
    open: &OpenVault,
    attachments: &[String],
    notes: impl IntoIterator<Item = (&'n NotePath, &'n str)>,
) -> Result<Vec<FileCopy>> {
    let mut files = Vec::new();
    for name in attachments::used(attachments, notes) {
        let path = NotePath::parse(&name)?;
        match external_folder::below(open.vault.root(), &path) {
            Ok(Some(bytes)) => files.push((path, bytes)),
            Ok(None) => {}
            Err(error) => context.notice(format!("{name} was not exported: {error}")),
        }
    }
    Ok(files)
}

fn document(
    context: &Context,
    open: &OpenVault,
    options: &Options,
    out: Option<&Path>,
) -> Result<ExportResult> {
    let notes = context
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
    complete_result(outcome, folder, &wrote)
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
    Ok(external_folder::write(folder, &[(NotePath::parse(name)?, bytes)], &|_, there| may_replace(there))?)
}

/// Writes files to a folder outside the vault, with the list of what was written.
fn write(
    open: &OpenVault,
    options: &Options,
    out: &Path,
    notes: usize,
    files: Vec<(NotePath, Vec<u8>)>,
) -> Result<ExportResult> {
    refuse_inside_vault(open, out)?;
    write_listed(options, out, notes, files, &NotePath::parse(manifest::NAME)?)
}

/// Writes files to a folder. Overwrites only files that an earlier export wrote and that were not
/// edited since, according to the list.
fn write_listed(
    options: &Options,
    out: &Path,
    notes: usize,
    files: Vec<(NotePath, Vec<u8>)>,
    list: &NotePath,
) -> Result<ExportResult> {
    let mut ours = if out.is_dir() { manifest_of(out, list)? } else { ExportManifest::default() };
    let may = |path: &NotePath, there: &[u8]| options.force || ours.has(path, there);
    let wrote = external_folder::write(out, &files, &may)?;
    let result = complete_result(ExportResult::to(options, notes), out, &wrote)?;
    let written = files.iter().filter(|(path, _)| wrote.written.contains(path));
    written.for_each(|(path, bytes)| ours.add(path, bytes));
    external_folder::write(out, &[(list.clone(), ours.text().into_bytes())], &|_, _| true)?;
    Ok(result)
}

fn manifest_of(folder: &Path, list: &NotePath) -> Result<ExportManifest> {
    Ok(external_folder::below(folder, list)?.map(|bytes| ExportManifest::parse(&bytes)).unwrap_or_default())
}

fn complete_result(mut outcome: ExportResult, folder: &Path, wrote: &ExportReport) -> Result<ExportResult> {
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
fn refuse_inside_vault(open: &OpenVault, out: &Path) -> Result<()> {
    let existing = out.ancestors().find(|folder| folder.exists()).unwrap_or(out);
    if external_folder::is_within(&open.vault, existing) {
        return Err(Error::refused("inside-the-vault", format!("{} is inside the vault", out.display()))
            .hint("copies of notes there would become notes; choose a folder outside"));
    }
    Ok(())
}
