//! Plans the import of another tool's folder: which files are written where, which exist already,
//! and which cannot be imported.
//!
//! Notes keep their bytes; only missing keys are added. A note without id gets one derived from its
//! path and bytes, so every import assigns the same id.

pub mod attachments;
pub mod basic_memory;
pub mod detect;
mod edits;
mod existing;
pub mod memory_tool;
pub mod native;
pub mod okf;
mod prose;
pub mod state;
pub mod zk;

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::frontmatter::{parse, split::Split};
use cm_note::id::NoteId;
use cm_note::import_source::{ImportFile, ImportFolder};
use cm_note::note::{NoteKind, RelationTable, TypeTable, read};
use cm_note::path::NotePath;
use cm_text::named_enum;

named_enum! {
    /// Supported source tools.
    pub enum ImportFormat {
        /// The earlier Python tool, with the same layout as a vault.
        ClaudeMemory = "claude-memory",
        /// Obsidian and compatible tools.
        Obsidian = "obsidian",
        /// basic-memory, with observations and relations in the text.
        BasicMemory = "basic-memory",
        /// A zk notebook.
        Zk = "zk",
        /// A Foam workspace.
        Foam = "foam",
        /// A bundle in the Open Knowledge Format.
        Okf = "okf",
        /// A folder of Anthropic's memory tool: text files that an agent wrote.
        MemoryTool = "memory-tool",
        /// Memories that agents keep by themselves, collected from their folders.
        Native = "native",
        /// Any other folder of Markdown files.
        Markdown = "markdown",
    }
}

impl ImportFormat {
    /// Parses a name as printed by `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Source format and target of an import.
#[derive(Clone, Copy)]
pub struct ImportOptions<'a> {
    /// Tool that the folder belongs to.
    pub format: ImportFormat,
    /// Target folder in the vault; empty for its root. Ignored for folders in the layout of a
    /// vault.
    pub into: &'a str,
    /// Types of the vault.
    pub types: &'a TypeTable,
    /// Relation types of the vault.
    pub relations: &'a RelationTable,
    /// Reads the file at a path of the vault.
    pub read_file: &'a dyn Fn(&NotePath) -> Option<Vec<u8>>,
    /// Path of the note with an id in the vault.
    pub of_id: &'a dyn Fn(&NoteId) -> Option<NotePath>,
}

/// A file that is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingFile {
    /// Path in the source folder.
    pub source: NotePath,
    /// Path in the vault.
    pub target: NotePath,
    /// New content.
    pub bytes: Vec<u8>,
    /// ID after the import; `None` for files without an id, such as daily logs.
    pub id: Option<NoteId>,
}

/// Why a file was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImportSkipReason {
    /// It was imported before, or an identical file exists.
    ThereAlready,
    /// It is generated from the notes.
    Generated,
    /// It is the list of contents or the log of a folder.
    Listing,
    /// Another file exists at its target path.
    PathTaken,
    /// The vault has a different note with this ID.
    IdTaken,
    /// Its target folder has a special meaning in a vault.
    MeaningFolder,
    /// Its path is too long for the vault.
    BadPath,
    /// It is a symbolic link; imports do not follow links.
    Link,
    /// It cannot be read.
    Unreadable,
    /// A line or its name looks like a real secret.
    Secret,
}

impl ImportSkipReason {
    /// Whether this is a failure, as opposed to a file that need not be imported.
    pub fn failed(self) -> bool {
        !matches!(self, Self::ThereAlready | Self::Generated | Self::Listing | Self::Link)
    }
}

/// A file that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedFile {
    /// Path in the source folder.
    pub path: String,
    pub why: ImportSkipReason,
    /// Line concerned, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Result of planning an import.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportPlan {
    /// Files to write.
    pub incoming: Vec<IncomingFile>,
    /// Files that are left out.
    pub skipped: Vec<SkippedFile>,
    /// Attachments to copy: path in the source folder, and path in the vault.
    pub copied: Vec<(NotePath, NotePath)>,
    /// Attachments that are not copied.
    pub attachments: Vec<String>,
    /// Problems in imported files, by path in the vault, and unreadable files.
    pub findings: Vec<Finding>,
    /// Access counts recorded by the source tool.
    pub usage: state::AccessStatsByNote,
}

/// Files of the earlier tool that are derived or private.
const OTHER_FILES: [&str; 6] =
    ["_index.json", "_state.json", "_embeddings.json", "_config.json", "_config.toml", "cm.toml"];
/// Folders of the earlier tool with derived data.
const DERIVED: [&str; 3] = ["_index", "_state", "_embeddings"];
/// Generated notes of the earlier tool.
const GENERATED: [&str; 2] = ["CORE.md", "REFLECTION.md"];

pub fn plan(folder: &ImportFolder, how: &ImportOptions<'_>) -> ImportPlan {
    let mut plan = ImportPlan { findings: folder.findings.clone(), ..ImportPlan::default() };
    plan.skipped = folder.findings.iter().map(unread).collect();
    let ours = how.format == ImportFormat::ClaudeMemory;
    let is_separate =
        |path: &str| OTHER_FILES.contains(&path) || DERIVED.contains(&path.split('/').next().unwrap_or(""));
    let attachments = folder.attachments.iter().filter(|path| !(ours && is_separate(path)));
    plan.attachments = attachments.cloned().collect();
    if ours {
        usage(folder, &mut plan);
    }
    let placed: Vec<PlacedFile<'_>> = folder
        .notes
        .iter()
        .filter_map(|file| place(file, how).map_err(|skipped| plan.skipped.push(skipped)).ok())
        .collect();
    let context = edits::ImportContext::of(folder, &placed, how);
    let mut taken: Vec<&PlacedFile<'_>> = Vec::new();
    let mut imported_before = Vec::new();
    for placed in &placed {
        let (bytes, refused) = context.bytes_of(placed);
        let skip_reason = existing::skip_reason(placed, &bytes, how);
        match skip_reason {
            Some(why) => {
                plan.skipped.push(SkippedFile { path: placed.file.path.to_string(), why, line: None });
                if why == ImportSkipReason::ThereAlready {
                    imported_before.push(placed);
                }
            }
            None => {
                let reading = read::read(&placed.target, &bytes, how.types, how.relations);
                let reported =
                    reading.note.findings.into_iter().filter(|found| found.severity != Severity::Info);
                plan.findings.extend(reported.chain(refused));
                let id = std::str::from_utf8(&bytes).ok().and_then(own_id);
                let (source, target) = (placed.file.path.clone(), placed.target.clone());
                plan.incoming.push(IncomingFile { source, target, bytes, id });
                taken.push(placed);
            }
        }
    }
    let used = |notes: &[&PlacedFile<'_>]| {
        let texts = notes.iter().filter_map(|placed| Some((&placed.file.path, placed.file.text()?)));
        attachments::used(&folder.attachments, texts)
    };
    plan.copied = used(&taken).iter().filter_map(|path| copy(path, how)).collect();
    taken.extend(imported_before);
    let used = used(&taken);
    plan.attachments.retain(|path| !used.contains(path));
    plan.findings.extend(duplicate_ids(&plan.incoming));
    plan.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    plan
}

/// Source and target path of an attachment, at the same place relative to the notes.
fn copy(path: &str, how: &ImportOptions<'_>) -> Option<(NotePath, NotePath)> {
    let source = NotePath::parse(path).ok()?;
    let is_separate = how.format == ImportFormat::ClaudeMemory || how.into.is_empty();
    let target =
        if is_separate { source.clone() } else { NotePath::parse(&format!("{}/{path}", how.into)).ok()? };
    Some((source, target))
}

/// The reason for skipping a file that could not be read.
fn unread(found: &Finding) -> SkippedFile {
    let why = if found.code == FindingCode::BadLinkFile {
        ImportSkipReason::Link
    } else {
        ImportSkipReason::Unreadable
    };
    SkippedFile { path: found.path.clone(), why, line: None }
}

/// A note of the folder with its target path and id.
struct PlacedFile<'a> {
    file: &'a ImportFile,
    target: NotePath,
    /// ID in its frontmatter.
    own: Option<NoteId>,
    /// ID after the import.
    id: NoteId,
    /// ID derived from its path and bytes.
    derived: NoteId,
}

fn place<'a>(file: &'a ImportFile, how: &ImportOptions<'_>) -> Result<PlacedFile<'a>, SkippedFile> {
    let skipped = |why| SkippedFile { path: file.path.to_string(), why, line: None };
    let ours = how.format == ImportFormat::ClaudeMemory;
    if how.format == ImportFormat::Okf && okf::is_reserved(&file.path) {
        return Err(skipped(ImportSkipReason::Listing));
    }
    let is_of_agent = matches!(how.format, ImportFormat::MemoryTool | ImportFormat::Native);
    let name = if is_of_agent { memory_tool::note_name(file.path.as_str()) } else { file.path.to_string() };
    let target = if ours || how.into.is_empty() { name } else { format!("{}/{name}", how.into) };
    let target = NotePath::parse(&target).map_err(|_| skipped(ImportSkipReason::BadPath))?;
    if GENERATED.contains(&target.as_str()) || (ours && DERIVED.contains(&target.top())) {
        return Err(skipped(if ours {
            ImportSkipReason::Generated
        } else {
            ImportSkipReason::MeaningFolder
        }));
    }
    if !ours && !is_for_notes(&target) {
        return Err(skipped(ImportSkipReason::MeaningFolder));
    }
    // An agent's text is content from its first byte; it chooses no id.
    let own = file.text().filter(|_| !is_of_agent).and_then(own_id);
    let derived = derived_id(&file.path, &file.bytes);
    // A note that was imported and has since changed where it came from is still that note.
    let there = || (how.read_file)(&target).and_then(|bytes| own_id(std::str::from_utf8(&bytes).ok()?));
    let id = own.clone().or_else(there).unwrap_or_else(|| derived.clone());
    Ok(PlacedFile { file, target, own, id, derived })
}

/// Whether notes of other tools may be stored at this path; folders for other kinds of files are
/// excluded.
fn is_for_notes(target: &NotePath) -> bool {
    matches!(NoteKind::of(target), NoteKind::Plain | NoteKind::Memory) && !DERIVED.contains(&target.top())
}

/// Normalizes a target folder from user input.
///
/// # Errors
/// The reason why an import cannot use this folder.
pub fn into_folder(typed: &str) -> Result<String, String> {
    let folder = typed.trim().trim_start_matches("./").trim_end_matches('/');
    if folder.is_empty() || folder == "." {
        return Ok(String::new());
    }
    let probe = NotePath::parse(&format!("{folder}/a.md")).map_err(|error| error.to_string())?;
    if folder.split('/').any(|part| part.starts_with('.')) {
        return Err(format!("`{folder}` is hidden; cm ignores notes in hidden folders"));
    }
    if !is_for_notes(&probe) {
        return Err(format!("`{folder}` is reserved for files of another kind"));
    }
    Ok(folder.to_owned())
}

/// The default target folder for a source with this name.
pub fn default_into(name: &str) -> String {
    let words: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let slug = slug::slugify(words);
    match into_folder(&slug) {
        Ok(folder) if !folder.is_empty() && !folder.starts_with("graph") && folder != "vault" => folder,
        _ if slug.is_empty() => "imported".to_owned(),
        _ => format!("imported-{slug}"),
    }
}

/// The id in a note's frontmatter.
fn own_id(text: &str) -> Option<NoteId> {
    let parsed = parse::parse(&Split::of(text));
    let field = parsed.faults.is_empty().then(|| parsed.fields.get("id"))??;
    NoteId::parse(&field.text()?).ok()
}

/// The id of a note without one: a UUID derived from its path and bytes.
fn derived_id(path: &NotePath, bytes: &[u8]) -> NoteId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"cm import\0").update(path.as_str().as_bytes()).update(b"\0").update(bytes);
    let mut half = [0; 16];
    half.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    NoteId::from(uuid::Builder::from_custom_bytes(half).into_uuid())
}

fn usage(folder: &ImportFolder, plan: &mut ImportPlan) {
    match folder.tool_files.get("_state.json").map(|text| state::read(text)) {
        Some(Ok(usage)) => plan.usage = usage,
        Some(Err(error)) => plan.findings.push(Finding {
            path: "_state.json".to_owned(),
            line: None,
            column: None,
            code: FindingCode::Unreadable,
            severity: Severity::Warning,
            message: format!("its counts cannot be read: {error}"),
            hint: Some("scores start from the feedback in the notes".into()),
        }),
        None => {}
    }
}

/// Findings for imported notes that share an id; all of them are imported.
fn duplicate_ids(incoming: &[IncomingFile]) -> Vec<Finding> {
    let mut first: HashMap<&NoteId, &NotePath> = HashMap::new();
    let mut findings = Vec::new();
    for file in incoming {
        let Some(id) = &file.id else { continue };
        if let Some(other) = first.insert(id, &file.target) {
            let message = format!("the ID {id} is also used by {other}");
            findings.push(
                Finding::new(&file.target, FindingCode::DuplicateId, Severity::Error, message)
                    .with_hint("remove one of the IDs, then run `cm adopt` on that file to get a new one"),
            );
        }
    }
    findings
}

#[cfg(test)]
mod tests;
