//! Imports a folder of another tool in one commit. The source folder is only read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::imported_usage::take_usage;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::secrets;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::import_native;
use crate::verbs::import_settings;
use crate::verbs::playbook;
use cm_exchange::import::{self as plan, ImportOptions, ImportPlan, IncomingFile, detect};
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::finding::Finding;
use cm_note::id::NoteId;
use cm_note::import_source::ImportFolder;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;
use cm_secrets::{RedactionRules, find, redact};
use cm_store::vault::external_folder;

pub use cm_exchange::import::{ImportFormat, ImportSkipReason, SkippedFile};

/// Source and destination of an import of notes.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder to import.
    pub source: PathBuf,
    /// The tool that created the folder; detected by default.
    pub from: Option<ImportFormat>,
    /// Folder in the vault that receives the notes.
    pub into: Option<String>,
    /// Report the changes without writing them.
    pub dry_run: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportedFile {
    /// Path of the file, relative to the vault root.
    pub path: String,
    /// Note ID; null if the file has none and cannot get one.
    pub id: Option<String>,
}

/// Result of importing a folder of notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FolderImport {
    /// The tool that created the folder.
    pub from: ImportFormat,
    /// The sign by which the tool was detected.
    pub because: String,
    pub imported: Vec<ImportedFile>,
    /// Files that were not imported, each with the reason.
    pub skipped: Vec<SkippedFile>,
    /// Problems in the imported files.
    pub findings: Vec<Finding>,
    /// Paths of attachments that were copied because imported notes refer to them.
    pub copied: Vec<String>,
    /// Paths of attachments that no imported note refers to; they were not copied.
    pub attachments: Vec<String>,
    /// Number of notes with imported usage counts.
    pub usage: usize,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing was
    /// imported.
    pub commit: Option<String>,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
}

impl FolderImport {
    /// Whether some requested files could not be imported.
    pub fn failed(&self) -> bool {
        self.skipped.iter().any(|skipped| skipped.why.failed())
    }
}

/// Result of importing notes or bullets, depending on the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ImportOutcome {
    /// The source was a folder of notes.
    Folder(FolderImport),
    /// The source was a file of bullets.
    Bullets(playbook::import::BulletImport),
}

impl ImportOutcome {
    /// Whether some requested items could not be imported.
    pub fn failed(&self) -> bool {
        match self {
            Self::Folder(notes) => notes.failed(),
            Self::Bullets(bullets) => bullets.failed(),
        }
    }
}

/// Imports a folder of notes, one note, or a file of bullets.
///
/// # Errors
/// A file of a format without an importer, and the errors of [`import`] and of
/// [`playbook::import::import`].
pub fn any(
    context: &Context,
    options: &Options,
    bullets: Option<playbook::import::RuleSourceKind>,
) -> Result<ImportOutcome> {
    let source = context.request.cwd.join(&options.source);
    let is_native = options.from == Some(ImportFormat::Native) || is_named_native(options);
    if bullets.is_none() && is_native {
        return import_native(context, options).map(ImportOutcome::Folder);
    }
    let is_rules = bullets.is_some() || playbook::import::RuleSourceKind::of(&source).is_some();
    if bullets.is_none() && (options.from.is_some() || !source.is_file() || !is_rules) {
        return import(context, options).map(ImportOutcome::Folder);
    }
    if options.into.is_some() {
        return Err(Error::usage(format!("{} is a file with rules, not a folder", options.source.display()))
            .hint("remove `--into`: the category decides where a rule is stored"));
    }
    let file = options.source.clone();
    let options = playbook::import::Options { file, from: bullets, dry_run: options.dry_run };
    playbook::import::import(context, &options).map(ImportOutcome::Bullets)
}

/// Whether the source is the word `native`; a folder of this name is `./native`.
fn is_named_native(options: &Options) -> bool {
    options.from.is_none() && options.source.as_os_str() == "native"
}

/// Imports the memories that agents keep by themselves.
///
/// # Errors
/// The errors of [`import`].
fn import_native(context: &Context, options: &Options) -> Result<FolderImport> {
    if !options.dry_run {
        context.persons_only("import notes")?;
    }
    let folder = import_native::memories(context)?;
    let source = context.request.home.clone().unwrap_or_default();
    let because = "selected by name";
    import_folder(context, options, folder, &source, (ImportFormat::Native, because))
}

/// Imports memories that agents keep by themselves, whoever calls: they stay unverified.
///
/// # Errors
/// Nothing new, and the errors of [`write::apply`].
pub(crate) fn native_folder(context: &Context, folder: ImportFolder, dry_run: bool) -> Result<FolderImport> {
    let options = Options { source: "native".into(), dry_run, ..Options::default() };
    let source = context.request.home.clone().unwrap_or_default();
    import_folder(context, &options, folder, &source, (ImportFormat::Native, "read by `cm reflect`"))
}

/// Imports a folder, or one note.
///
/// # Errors
/// A missing folder, a file that is not a note, a source inside the vault, nothing to import, and the errors of
/// [`write::apply`].
pub fn import(context: &Context, options: &Options) -> Result<FolderImport> {
    if !options.dry_run {
        context.persons_only("import notes")?;
    }
    let open = context.target();
    let source = context.request.cwd.join(&options.source);
    let shown = options.source.display();
    if source.is_file() {
        return import_file(context, options, &source);
    }
    if !source.is_dir() {
        return Err(Error::usage(format!("{shown} does not exist")));
    }
    if external_folder::is_within(&open.vault, &source) {
        return Err(Error::refused("inside-the-vault", format!("{shown} is already in the vault"))
            .hint("`cm adopt` adds IDs to notes in place"));
    }
    let mut folder = external_folder::read(&source, open.vault.root())?;
    let rule_file = folder.attachments.iter().find(|name| name.ends_with(".mdc"));
    if let Some(name) = rule_file.filter(|_| folder.notes.is_empty()) {
        let file = options.source.join(name).display().to_string();
        return Err(write::nothing_done(format!("there are no notes in {shown}"))
            .hint(format!("`cm import {}` imports the rules of one file", shell_words::quote(&file))));
    }
    let (from, because) = match options.from {
        Some(format) => (format, "selected with `--from`"),
        None => detect::detect(&folder),
    };
    if from == ImportFormat::MemoryTool {
        // Its files have any ending.
        external_folder::take_attachments_as_notes(&source, &mut folder);
    }
    import_folder(context, options, folder, &source, (from, because))
}

/// Imports a Markdown or text file as one note.
fn import_file(context: &Context, options: &Options, source: &Path) -> Result<FolderImport> {
    let open = context.target();
    let shown = options.source.display();
    if let Some(from @ (ImportFormat::ClaudeMemory | ImportFormat::Okf)) = options.from {
        return Err(Error::usage(format!("{shown} is a file, and {} is a folder", from.name()))
            .hint("pass the folder, or remove `--from`"));
    }
    if external_folder::is_within(&open.vault, source) {
        return Err(Error::refused("inside-the-vault", format!("{shown} is already in the vault"))
            .hint("`cm adopt` adds an ID to the note in place"));
    }
    let folder = external_folder::read_note(source)?.ok_or_else(|| no_importer(&shown.to_string()))?;
    let from = options.from.unwrap_or(ImportFormat::Markdown);
    let into = options.into.clone().unwrap_or_else(|| plan::default_into(""));
    let options = Options { into: Some(into), ..options.clone() };
    let parent = source.parent().unwrap_or(source);
    import_folder(context, &options, folder, parent, (from, "it is one file"))
}

/// The error for a file of a format that no importer reads.
pub(crate) fn no_importer(shown: &str) -> Error {
    Error::refused("no-importer", format!("cm has no importer for {shown}")).hint(
        "cm reads notes (.md, .txt), playbooks (.yaml) and rule files such as AGENTS.md; write other entries as Markdown files, and import their folder",
    )
}

/// Imports a folder that was read; `source` is where it was read from.
fn import_folder(
    context: &Context,
    options: &Options,
    folder: ImportFolder,
    source: &Path,
    (from, because): (ImportFormat, &str),
) -> Result<FolderImport> {
    let open = context.target();
    let shown = options.source.display();
    let into = into(options, from, &folder.name)?;
    let mut plan = planned(context, open, &folder, from, &into)?;
    let rules = secrets::rules(context, open)?;
    if from == ImportFormat::ClaudeMemory {
        let config = folder.tool_files.get(import_settings::FILE);
        plan.findings
            .extend(config.iter().flat_map(|text| import_settings::left_out(open, &rules, source, text)));
    }
    leave_secrets(&rules, &folder, &mut plan);
    if from == ImportFormat::Native {
        import_native::leave_known(context, open, &mut plan)?;
    }
    if plan.incoming.is_empty() && plan.skipped.iter().all(|skipped| skipped.why.failed()) {
        return Err(nothing_came(&shown.to_string(), &plan));
    }
    let copies = copies(open, &rules, source, &mut plan);
    let mut outcome = FolderImport {
        from,
        because: because.to_owned(),
        copied: plan.copied.iter().map(|(_, target)| target.to_string()).collect(),
        imported: plan.incoming.iter().map(brought).collect(),
        skipped: plan.skipped,
        findings: plan.findings,
        attachments: plan.attachments,
        usage: plan.usage.len(),
        commit: None,
        dry_run: options.dry_run,
    };
    if !options.dry_run {
        outcome.commit = carry_out(context, plan.incoming, copies, &folder.name)?;
        if plan.usage.is_empty() {
            // The import is the first access. Where usage counts cannot be written, the notes have none.
            let ids: Vec<&str> = outcome.imported.iter().filter_map(|file| file.id.as_deref()).collect();
            let _ = open.usage().record_each(&ids, context.now());
        }
        outcome.usage = take_usage(open, &plan.usage)?;
        if outcome.usage < plan.usage.len() && outcome.commit.is_some() {
            context.notice("this vault already has usage counts; the counts of _state.json were skipped");
        }
    }
    Ok(outcome)
}

fn into(options: &Options, from: ImportFormat, name: &str) -> Result<String> {
    match options.into.as_deref() {
        Some(_) if from == ImportFormat::ClaudeMemory => {
            Err(Error::usage("a vault of the earlier tool keeps its own folders")
                .hint("remove `--into`, or select another format with `--from`"))
        }
        Some(typed) => {
            let folder = plan::into_folder(typed).map_err(|why| {
                Error::usage(why).hint("pass a target folder, for example `--into notes/obsidian`")
            })?;
            if matches!(from, ImportFormat::MemoryTool | ImportFormat::Native)
                && folder.split('/').next() == Some("vault")
            {
                return Err(Error::usage("notes of an agent cannot be pinned by an import")
                    .hint("choose another folder with `--into`; `cm pin` pins a note that you confirm"));
            }
            Ok(folder)
        }
        None => Ok(plan::default_into(name)),
    }
}

fn planned(
    context: &Context,
    open: &OpenVault,
    folder: &ImportFolder,
    format: ImportFormat,
    into: &str,
) -> Result<ImportPlan> {
    let notes = context.notes_of(open)?;
    let paths: HashMap<NoteId, NotePath> =
        notes.iter().filter_map(|note| Some((note.id.clone()?, note.path.clone()))).collect();
    let (types, relations) = (&open.settings.types, &open.settings.relations);
    let at = |path: &NotePath| open.vault.read(path).ok();
    let of_id = |id: &NoteId| paths.get(id).cloned();
    Ok(plan::plan(folder, &ImportOptions { format, into, types, relations, read_file: &at, of_id: &of_id }))
}

/// Moves files that contain a likely secret from the planned to the skipped files.
fn leave_secrets(rules: &RedactionRules, folder: &ImportFolder, plan: &mut ImportPlan) {
    let mut left = Vec::new();
    // The line of the source: what is written has keys that the source lacks.
    let line = |file: &IncomingFile| {
        let text = folder.notes.iter().find(|note| note.path == file.source)?.text()?;
        u32::try_from(find(text, rules).first()?.line).ok()
    };
    plan.incoming.retain(|file| {
        let Some(first) = new_secret(rules, &file.target, &file.bytes) else { return true };
        let path = redact(file.source.as_str(), rules).0.into_string();
        left.push(SkippedFile { path, why: ImportSkipReason::Secret, line: line(file).or(first) });
        plan.findings.retain(|found| found.path != file.target.as_str());
        false
    });
    plan.skipped.extend(left);
    plan.skipped.sort_by(|a, b| a.path.cmp(&b.path));
}

fn brought(file: &IncomingFile) -> ImportedFile {
    ImportedFile { path: file.target.to_string(), id: file.id.as_ref().map(ToString::to_string) }
}

/// Returns changes that copy the attachments used by imported notes; those that exist with equal
/// bytes are left out. Attachments that cannot be copied move to the skipped files.
fn copies(
    open: &OpenVault,
    rules: &RedactionRules,
    source: &Path,
    plan: &mut ImportPlan,
) -> Vec<VaultFileChange> {
    let mut copies = Vec::new();
    let mut left = Vec::new();
    plan.copied.retain(|(from, target)| {
        let (why, line) = match external_folder::below(source, from) {
            Ok(Some(bytes)) => match open.vault.read(target) {
                Ok(there) if there == bytes => return false,
                _ if open.vault.file(target).symlink_metadata().is_ok() => {
                    (ImportSkipReason::PathTaken, None)
                }
                _ => match new_secret(rules, target, &bytes) {
                    Some(line) => (ImportSkipReason::Secret, line),
                    None => {
                        copies.push(VaultFileChange::Copy { path: target.clone(), expected: None, bytes });
                        return true;
                    }
                },
            },
            Ok(None) | Err(_) => (ImportSkipReason::Unreadable, None),
        };
        left.push(SkippedFile { path: redact(from.as_str(), rules).0.into_string(), why, line });
        false
    });
    plan.skipped.extend(left);
    plan.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    copies
}

/// The line of the first likely secret in a new file, if it has one.
fn new_secret(rules: &RedactionRules, target: &NotePath, bytes: &[u8]) -> Option<Option<u32>> {
    let stopped =
        secrets::find_new_secrets(rules, &secrets::SecretExceptions::default(), target, None, Some(bytes));
    stopped.first().map(|first| first.line)
}

fn carry_out(
    context: &Context,
    incoming: Vec<IncomingFile>,
    copies: Vec<VaultFileChange>,
    name: &str,
) -> Result<Option<String>> {
    let subject = match incoming.as_slice() {
        [one] if one.target.file_name() == name => format!("Import {name}"),
        [one] => format!("Import {} from {name}", one.target.file_name()),
        several => format!("Import {} notes from {name}", several.len()),
    };
    let ids: Vec<&str> = incoming.iter().filter_map(|file| file.id.as_ref()).map(|id| id.as_str()).collect();
    let message = CommitMessage::new(CommitOp::Import, subject).with_ids(ids.into_iter());
    let notes = incoming.into_iter().map(|file| VaultFileChange::Copy {
        path: file.target,
        expected: None,
        bytes: file.bytes,
    });
    let changes = notes.chain(copies).collect();
    Ok(write::apply(context, ChangeSet { message, changes })?.commit)
}

fn nothing_came(source: &str, plan: &ImportPlan) -> Error {
    if plan.skipped.is_empty() {
        let hint = match source {
            "native" => {
                "a project's vault takes the memories of its project, the global vault those about you and of projects without a vault"
            }
            _ => "notes are files that end in .md or .markdown, outside hidden folders",
        };
        return write::nothing_done(format!("there are no notes in {source}")).hint(hint);
    }
    let reasons: Vec<String> = plan
        .skipped
        .iter()
        .take(5)
        .map(|skipped| format!("{}: {}", skipped.path, reason(skipped.why)))
        .collect();
    let more = plan.skipped.len().saturating_sub(reasons.len());
    let tail = if more > 0 { format!("; and {more} more") } else { String::new() };
    write::nothing_done(format!("no note of {source} was imported"))
        .hint(format!("{}{tail}", reasons.join("; ")))
}

/// A user-facing explanation of why a file was not imported.
pub fn reason(why: ImportSkipReason) -> &'static str {
    match why {
        ImportSkipReason::ThereAlready => "already in the vault",
        ImportSkipReason::Generated => "generated from the notes",
        ImportSkipReason::Listing => "lists or logs other files",
        ImportSkipReason::PathTaken => "another file has this path",
        ImportSkipReason::IdTaken => "another note in the vault has this ID",
        ImportSkipReason::MeaningFolder => "the folder has another meaning in a vault; use `--into`",
        ImportSkipReason::BadPath => "the path is too long",
        ImportSkipReason::Link => "a symbolic link",
        ImportSkipReason::Unreadable => "cannot be read",
        ImportSkipReason::Secret => "may contain a real secret; remove it or use a placeholder",
    }
}
