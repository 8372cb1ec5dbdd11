//! What importing a folder of another tool comes to: which files are written where, which are there already, and why
//! some cannot be.
//!
//! A note keeps its bytes but for the keys that it lacks. Its id is its own, or follows from its path and its bytes,
//! so that the same note gets the same id whenever and by whomever it is imported.

mod attachments;
pub mod basic_memory;
pub mod detect;
mod edits;
mod known;
mod prose;
pub mod state;
pub mod zk;

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cm_note::finding::{Code, Finding, Severity};
use cm_note::foreign::{File, Folder};
use cm_note::frontmatter::{parse, split::Split};
use cm_note::id::NoteId;
use cm_note::note::{Kind, RelationTable, TypeTable, read};
use cm_note::path::NotePath;

/// The tools whose folders are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// The earlier Python tool, whose layout this is.
    ClaudeMemory,
    /// Obsidian, and what is written like it.
    Obsidian,
    /// basic-memory, with observations and relations in the text.
    BasicMemory,
    /// A zk notebook.
    Zk,
    /// Any other folder of markdown.
    Markdown,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::ClaudeMemory, Self::Obsidian, Self::BasicMemory, Self::Zk, Self::Markdown];

    /// Its name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeMemory => "claude-memory",
            Self::Obsidian => "obsidian",
            Self::BasicMemory => "basic-memory",
            Self::Zk => "zk",
            Self::Markdown => "markdown",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// How a folder is imported, and into what.
#[derive(Clone, Copy)]
pub struct How<'a> {
    /// Which tool it is from.
    pub format: Format,
    /// The folder of the vault that its notes go to, empty for the vault's root; a folder in our own layout keeps its
    /// places whatever this says.
    pub into: &'a str,
    /// The types of the vault.
    pub types: &'a TypeTable,
    /// The edge types of the vault.
    pub relations: &'a RelationTable,
    /// What lies at a path of the vault.
    pub at: &'a dyn Fn(&NotePath) -> Option<Vec<u8>>,
    /// Where the vault has the note of an id.
    pub of_id: &'a dyn Fn(&NoteId) -> Option<NotePath>,
}

/// A file that comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// Where it lies in the folder.
    pub source: NotePath,
    /// Where it goes in the vault.
    pub target: NotePath,
    /// What is written.
    pub bytes: Vec<u8>,
    /// What it answers to then; `None` for a file that has no id and gets none, such as a day's log.
    pub id: Option<NoteId>,
}

/// Why a file is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It was imported before, or the very same file lies there.
    ThereAlready,
    /// It is generated from the notes, and will be again.
    Generated,
    /// Another file lies where it would go.
    PathTaken,
    /// The vault has a note of this id that says something else.
    IdTaken,
    /// It would lie in a folder that means something else here.
    MeaningFolder,
    /// Its path is too long for the vault.
    BadPath,
    /// It is a symbolic link, which an import does not follow.
    Link,
    /// It cannot be read.
    Unreadable,
    /// A line of it, or its name, looks like a live secret.
    Secret,
}

impl Why {
    /// Whether something was asked for that was not done.
    pub fn failed(self) -> bool {
        !matches!(self, Self::ThereAlready | Self::Generated | Self::Link)
    }
}

/// A file that is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// Where it lies in the folder.
    pub path: String,
    /// Why.
    pub why: Why,
    /// The line, from 1, where the reason is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// What an import comes to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The files to write.
    pub incoming: Vec<Incoming>,
    /// The files that are left out.
    pub skipped: Vec<Skipped>,
    /// Files that are no notes and that notes which come in use: where they lie in the folder, and where they go.
    pub copied: Vec<(NotePath, NotePath)>,
    /// Files that are no notes, which stay where they are.
    pub attachments: Vec<String>,
    /// What is wrong in what comes in, by its path in the vault, and what could not be read.
    pub findings: Vec<Finding>,
    /// How often notes were read, where the tool kept count.
    pub usage: state::Accesses,
}

/// What the earlier tool keeps beside the notes: derived, or private.
const BESIDE: [&str; 6] =
    ["_index.json", "_state.json", "_embeddings.json", "_config.json", "_config.toml", "cm.toml"];
/// Folders of it that hold what is derived.
const DERIVED: [&str; 3] = ["_index", "_state", "_embeddings"];
/// Notes of it that are generated.
const GENERATED: [&str; 2] = ["CORE.md", "REFLECTION.md"];

/// Plans the import of a folder.
pub fn plan(folder: &Folder, how: &How<'_>) -> Plan {
    let mut plan = Plan { findings: folder.findings.clone(), ..Plan::default() };
    plan.skipped = folder.findings.iter().map(unread).collect();
    let ours = how.format == Format::ClaudeMemory;
    let beside =
        |path: &str| BESIDE.contains(&path) || DERIVED.contains(&path.split('/').next().unwrap_or(""));
    let attachments = folder.attachments.iter().filter(|path| !(ours && beside(path)));
    plan.attachments = attachments.cloned().collect();
    if ours {
        usage(folder, &mut plan);
    }
    let placed: Vec<Placed<'_>> = folder
        .notes
        .iter()
        .filter_map(|file| place(file, how).map_err(|skipped| plan.skipped.push(skipped)).ok())
        .collect();
    let context = edits::Context::of(folder, &placed, how);
    let mut taken: Vec<&Placed<'_>> = Vec::new();
    for placed in &placed {
        let (bytes, refused) = context.bytes_of(placed);
        let held = known::standing(placed, &bytes, how);
        match held {
            Some(why) => plan.skipped.push(Skipped { path: placed.file.path.to_string(), why, line: None }),
            None => {
                let reading = read::read(&placed.target, &bytes, how.types, how.relations);
                let told = reading.note.findings.into_iter().filter(|found| found.severity != Severity::Info);
                plan.findings.extend(told.chain(refused));
                let id = std::str::from_utf8(&bytes).ok().and_then(own_id);
                let (source, target) = (placed.file.path.clone(), placed.target.clone());
                plan.incoming.push(Incoming { source, target, bytes, id });
                taken.push(placed);
            }
        }
    }
    let used = attachments::used(folder, &taken);
    plan.attachments.retain(|path| !used.contains(path));
    plan.copied = used.iter().filter_map(|path| copy(path, how)).collect();
    plan.findings.extend(twice(&plan.incoming));
    plan.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    plan
}

/// Where a file that is no note lies, and where it goes: to the same place beside the notes.
fn copy(path: &str, how: &How<'_>) -> Option<(NotePath, NotePath)> {
    let source = NotePath::parse(path).ok()?;
    let beside = how.format == Format::ClaudeMemory || how.into.is_empty();
    let target =
        if beside { source.clone() } else { NotePath::parse(&format!("{}/{path}", how.into)).ok()? };
    Some((source, target))
}

/// A file that the folder's reader could not take.
fn unread(found: &Finding) -> Skipped {
    let why = if found.code == Code::BadLinkFile { Why::Link } else { Why::Unreadable };
    Skipped { path: found.path.clone(), why, line: None }
}

/// A note of the folder with its place in the vault and its id.
struct Placed<'a> {
    file: &'a File,
    target: NotePath,
    /// The id that it has.
    own: Option<NoteId>,
    /// The id that it has or gets.
    id: NoteId,
    /// The id that follows from its path and bytes.
    derived: NoteId,
}

fn place<'a>(file: &'a File, how: &How<'_>) -> Result<Placed<'a>, Skipped> {
    let skipped = |why| Skipped { path: file.path.to_string(), why, line: None };
    let ours = how.format == Format::ClaudeMemory;
    let target = if ours || how.into.is_empty() {
        file.path.clone()
    } else {
        NotePath::parse(&format!("{}/{}", how.into, file.path)).map_err(|_| skipped(Why::BadPath))?
    };
    if GENERATED.contains(&target.as_str()) || (ours && DERIVED.contains(&target.top())) {
        return Err(skipped(if ours { Why::Generated } else { Why::MeaningFolder }));
    }
    if !ours && !is_for_notes(&target) {
        return Err(skipped(Why::MeaningFolder));
    }
    let own = file.text().and_then(own_id);
    let derived = derived_id(&file.path, &file.bytes);
    // A note that was imported and has since changed where it came from is still that note.
    let there = || (how.at)(&target).and_then(|bytes| own_id(std::str::from_utf8(&bytes).ok()?));
    let id = own.clone().or_else(there).unwrap_or_else(|| derived.clone());
    Ok(Placed { file, target, own, id, derived })
}

/// Whether notes of other tools may lie there: not in folders whose files are of another kind or are derived.
fn is_for_notes(target: &NotePath) -> bool {
    matches!(Kind::of(target), Kind::Plain | Kind::Memory) && !DERIVED.contains(&target.top())
}

/// Whether an import may go into this folder of the vault, as somebody typed it: what to write, or what is wrong.
///
/// # Errors
/// The reason, in words.
pub fn into_folder(typed: &str) -> Result<String, String> {
    let folder = typed.trim().trim_start_matches("./").trim_end_matches('/');
    if folder.is_empty() || folder == "." {
        return Ok(String::new());
    }
    let probe = NotePath::parse(&format!("{folder}/a.md")).map_err(|error| error.to_string())?;
    if folder.split('/').any(|part| part.starts_with('.')) {
        return Err(format!("`{folder}` is hidden, and notes in hidden folders are not seen"));
    }
    if !is_for_notes(&probe) {
        return Err(format!("`{folder}` holds files of another kind"));
    }
    Ok(folder.to_owned())
}

/// The folder of the vault that a source of this name goes to where nobody says otherwise.
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

/// The id of a note that has none: a UUID made of its path and its bytes.
fn derived_id(path: &NotePath, bytes: &[u8]) -> NoteId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"cm import\0").update(path.as_str().as_bytes()).update(b"\0").update(bytes);
    let mut half = [0; 16];
    half.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    NoteId::from(uuid::Builder::from_custom_bytes(half).into_uuid())
}

fn usage(folder: &Folder, plan: &mut Plan) {
    match folder.own.get("_state.json").map(|text| state::read(text)) {
        Some(Ok(usage)) => plan.usage = usage,
        Some(Err(error)) => plan.findings.push(Finding {
            path: "_state.json".to_owned(),
            line: None,
            column: None,
            code: Code::Unreadable,
            severity: Severity::Warning,
            message: format!("the counts in it cannot be read: {error}"),
            hint: Some("scores start from what the notes say themselves".to_owned()),
        }),
        None => {}
    }
}

/// Notes of one import that claim the same id: each is named, and none is dropped.
fn twice(incoming: &[Incoming]) -> Vec<Finding> {
    let mut first: HashMap<&NoteId, &NotePath> = HashMap::new();
    let mut findings = Vec::new();
    for file in incoming {
        let Some(id) = &file.id else { continue };
        if let Some(other) = first.insert(id, &file.target) {
            let message = format!("the id {id} is also that of {other}");
            findings.push(
                Finding::new(&file.target, Code::DuplicateId, Severity::Error, message)
                    .hint("remove one of the ids, then run `cm adopt` on that file for a new one"),
            );
        }
    }
    findings
}

#[cfg(test)]
mod tests;
