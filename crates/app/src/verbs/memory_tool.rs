//! Carries out a command of Anthropic's memory tool on notes below `memories/`: each file of the
//! tool is an unverified note, and each change is a commit.
//!
//! The caller is an agent, whoever started the program: it changes no note that a person confirmed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::context::actor::CallerIdentity;
use crate::context::find::load;
use crate::context::open::Context;
use crate::context::secrets;
use crate::context::write;
use crate::error::{Error, Result};
use cm_exchange::import::memory_tool::{self as note_format, AGENT, FILE};
use cm_exchange::memory_tool::{CommandAnswer, FilesChange, MemoryCommand, MemoryFiles};
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::frontmatter::edit::Edit;
use cm_note::frontmatter::parse::{self, FrontmatterField};
use cm_note::frontmatter::split::Split;
use cm_note::id::NoteId;
use cm_note::import_source::ImportFile;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::Note;
use cm_note::path::NotePath;
use cm_secrets::redact;

/// Folder of the vault with the files of the tool.
pub const FOLDER: &str = "memories";

/// Answer of the tool to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemoryToolAnswer {
    /// Text for the model: the content of the tool result.
    pub content: String,
    /// Whether the tool result is an error.
    pub is_error: bool,
    /// ID of the tool call; null if the input was a bare command.
    pub tool_use_id: Option<String>,
    /// Paths of the notes that changed, relative to the vault.
    pub paths: Vec<String>,
    /// Hash of the new commit; null if nothing changed or automatic commits are off (`git.commit`).
    pub commit: Option<String>,
    /// Number of secrets that were removed from the text.
    pub redacted: usize,
}

/// A note with the content of a file of the tool.
struct StoredFile {
    note: Note,
    hash: ContentHash,
}

/// Carries out a command, given as JSON: the input of a tool call, or a whole `tool_use` block.
///
/// # Errors
/// JSON that is not a command, and the errors of [`write::apply`]. What the tool itself refuses is an
/// answer with `is_error`.
pub fn memory_tool(context: &Context, json: &str) -> Result<MemoryToolAnswer> {
    let (command, tool_use_id) = parsed(json)?;
    let caller = context.request.caller.clone();
    let agent = caller.agent_name().or_else(|| Some(AGENT.to_owned()));
    let context =
        &context.with_actor(CallerIdentity { kind: caller.kind.lowered_to_agent(), agent, ..caller })?;
    let stored = stored_files(context)?;
    let contents: MemoryFiles =
        stored.iter().map(|(name, (_, content))| (name.clone(), content.clone())).collect();
    let refused = |content: String| MemoryToolAnswer {
        content,
        is_error: true,
        tool_use_id: tool_use_id.clone(),
        paths: Vec::new(),
        commit: None,
        redacted: 0,
    };
    let CommandAnswer { text, change } = match command.answer(&contents) {
        Ok(answer) => answer,
        Err(text) => return Ok(refused(text)),
    };
    let mut answer = MemoryToolAnswer { is_error: false, ..refused(text) };
    let Some(change) = change else { return Ok(answer) };
    if let Some(confirmed) = confirmed(&change, &stored) {
        let text = format!(
            "Error: /memories/{confirmed} was confirmed by a person and cannot be changed; create another file"
        );
        return Ok(refused(text));
    }
    let (changes, redacted) = file_changes(context, &stored, change)?;
    let subject = match &command {
        MemoryCommand::Create { .. } => "Create",
        MemoryCommand::Delete { .. } => "Delete",
        MemoryCommand::Rename { .. } => "Rename",
        _ => "Edit",
    };
    let message = CommitMessage::new(CommitOp::MemoryTool, format!("{subject} {}", command.path()));
    let written = write::apply(context, ChangeSet { message, changes })?;
    answer.paths = written.changed.iter().map(ToString::to_string).collect();
    answer.commit = written.commit;
    answer.redacted = redacted;
    Ok(answer)
}

fn parsed(json: &str) -> Result<(MemoryCommand, Option<String>)> {
    const EXAMPLE: &str = r#"for example: {"command": "view", "path": "/memories"}"#;
    let refused = |error: serde_json::Error| {
        Error::usage(format!("this is not a command of the memory tool: {error}")).hint(EXAMPLE)
    };
    let mut value: Value = serde_json::from_str(json).map_err(refused)?;
    let id = value.get("id").and_then(Value::as_str).map(str::to_owned);
    let is_block = value.get("type").and_then(Value::as_str) == Some("tool_use");
    if let Some(input) = value.get_mut("input").filter(|_| is_block) {
        value = input.take();
    }
    Ok((serde_json::from_value(value).map_err(refused)?, id.filter(|_| is_block)))
}

/// The files of the tool by name, with their contents. The name is the key `memory_file`, or the
/// path of a note that a person put there.
fn stored_files(context: &Context) -> Result<BTreeMap<String, (StoredFile, String)>> {
    let open = context.target();
    let mut found = BTreeMap::new();
    for note in context.notes_of(open)?.iter() {
        let Some(inner) = note.path.as_str().strip_prefix("memories/") else { continue };
        let loaded = load(open, &note.path)?;
        let text = loaded.text();
        let split = Split::of(&text);
        let fields = parse::parse(&split).fields;
        let file_name = fields.get(FILE).and_then(FrontmatterField::text).map(|name| name.to_string());
        let name = file_name.unwrap_or_else(|| inner.to_owned());
        let content = note_format::content(&name, split.body()).unwrap_or(split.body()).to_owned();
        let hash = ContentHash::of(&loaded.bytes);
        found.insert(name, (StoredFile { note: loaded.note, hash }, content));
    }
    Ok(found)
}

/// The first file of a change that a person confirmed or wrote.
fn confirmed(change: &FilesChange, stored: &BTreeMap<String, (StoredFile, String)>) -> Option<String> {
    let names: Vec<&String> = match change {
        FilesChange::Write { name, .. } => vec![name],
        FilesChange::Remove(names) => names.iter().collect(),
        FilesChange::Rename(pairs) => pairs.iter().map(|(old, _)| old).collect(),
    };
    let is_confirmed = |name: &&&String| {
        stored.get(**name).is_some_and(|(file, _)| !file.note.is_waiting() || file.note.pinned)
    };
    names.iter().find(is_confirmed).map(|name| (*name).clone())
}

/// The changes of the notes, and the number of secrets that were removed.
fn file_changes(
    context: &Context,
    stored: &BTreeMap<String, (StoredFile, String)>,
    change: FilesChange,
) -> Result<(Vec<VaultFileChange>, usize)> {
    let open = context.target();
    let invalid = |error: cm_note::path::InvalidNotePath| Error::usage(error.to_string());
    match change {
        FilesChange::Write { name, content } => {
            let (clean, removed) = redact(&content, &secrets::rules(context, open)?);
            let redacted = removed.len();
            let file = ImportFile {
                path: NotePath::parse(&name).map_err(invalid)?,
                bytes: Vec::new(),
                modified: context.now(),
                workspace: None,
            };
            let existing_file = stored.get(&name).map(|(file, _)| file);
            let id = existing_file.and_then(|existing_file| existing_file.note.id.clone());
            let id = id.unwrap_or_else(|| NoteId::from(context.new_uuid()));
            let new = note_format::note(&file, &clean.into_string(), &id);
            let change = match existing_file {
                None => VaultFileChange::Create { path: free_path(context, &name)?, text: new },
                // The person's own keys stay; a text that gives orders becomes a draft.
                Some(existing_file) => {
                    let state = parse::parse(&Split::of(&new)).fields;
                    let state = state.get("state").map(|field| field.value.clone());
                    let updated = yaml_serde::Value::String(context.now().to_string());
                    let set = |key: &str, value| Edit::Set { key: key.to_owned(), value };
                    let mut edits = vec![Edit::SetBody { text: Split::of(&new).body().to_owned() }];
                    edits.push(set("updated", updated));
                    edits.extend(state.map(|state| set("state", state)));
                    let path = existing_file.note.path.clone();
                    VaultFileChange::Edit { path, expected: Some(existing_file.hash), edits }
                }
            };
            Ok((vec![change], redacted))
        }
        FilesChange::Remove(names) => {
            let files = names.iter().filter_map(|name| stored.get(name));
            let remove = |(file, _): &(StoredFile, String)| VaultFileChange::Remove {
                path: file.note.path.clone(),
                expected: Some(file.hash),
            };
            Ok((files.map(remove).collect(), 0))
        }
        FilesChange::Rename(pairs) => {
            let mut changes = Vec::new();
            for (old, new) in pairs {
                let Some((file, _)) = stored.get(&old) else { continue };
                let value = yaml_serde::Value::String(new.clone());
                changes.push(VaultFileChange::Move {
                    from: file.note.path.clone(),
                    to: free_path(context, &new)?,
                    expected: file.hash,
                    edits: vec![Edit::Set { key: FILE.to_owned(), value }],
                });
            }
            Ok((changes, 0))
        }
    }
}

/// A path for the note of a file: its name, with a number if another file has the same note name,
/// as `a` and `a.md` do.
fn free_path(context: &Context, name: &str) -> Result<NotePath> {
    let file_name = note_format::note_name(name);
    let stem = file_name.strip_suffix(".md").unwrap_or(&file_name);
    let candidates = std::iter::once(file_name.clone()).chain((2..).map(|n| format!("{stem}-{n}.md")));
    for candidate in candidates {
        let path = NotePath::parse(&format!("{FOLDER}/{candidate}"))?;
        if context.target().vault.read(&path).is_err() {
            return Ok(path);
        }
    }
    Err(Error::usage(format!("no free path for {name}")))
}
