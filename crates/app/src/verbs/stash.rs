//! Stores raw texts and agent sessions as notes in `stash/`, redacted.
//!
//! A stash is stored as it is; `cm remember` extracts memories from it.

use schemars::JsonSchema;
use serde::Serialize;
use yaml_serde::Value;

use crate::context::find::{ResolvedNote, ambiguous, find, load};
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::secrets;
use crate::context::write;
use crate::error::{Error, Result};
use crate::sessions::diaries::DiaryIndex;
use crate::sessions::logs::ParsedSession;
use crate::verbs::note_fields::{clean_tags, new_note_path, title_of};
use cm_learn::stash::{body, title};
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::frontmatter::split::Split;
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::{Note, NoteKind, compose};
use cm_note::path::NotePath;
use cm_secrets::redact;
use cm_session::SessionMeta;
use cm_session::status::SessionStatus;

#[derive(Debug)]
pub enum StashContent {
    Text(String),
    /// A session, already redacted.
    Session(Box<ParsedSession>),
}

/// Content, name and tags of a stash.
#[derive(Debug)]
pub struct Options {
    /// Name of the stash; by default the title of the session.
    pub name: Option<String>,
    pub content: StashContent,
    pub tags: Vec<String>,
}

/// Result of saving a session or text as a stash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StashResult {
    /// Id of the new note.
    pub id: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Name of the stash.
    pub title: String,
    /// Id of the saved session; for a text, the session in which it was saved.
    pub session: Option<String>,
    /// Number of secrets redacted in the text and the name; always 0 for a session, which is
    /// redacted before.
    pub redacted: usize,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`).
    pub commit: Option<String>,
}

/// Stores a stash in one commit. It never replaces another stash of the same name.
///
/// # Errors
/// Returns an error if the name is missing, if the text is empty, or if the write fails.
pub fn stash(context: &Context, options: &Options) -> Result<StashResult> {
    let open = context.target();
    let (rules, _) = secrets::rules_of_logs(context, open)?;
    let chosen_title = options.name.as_deref().map(title_of).transpose()?;
    let (name, removed_from_name) = match (&chosen_title, &options.content) {
        (Some(chosen), _) => redacted(chosen, &rules),
        (None, StashContent::Session(session)) => (title(&session.meta, &session.events), 0),
        (None, StashContent::Text(_)) => {
            return Err(Error::usage("the stash has no name").hint("describe it in a few words"));
        }
    };
    let (text, removed) = match &options.content {
        StashContent::Text(text) => redacted(text, &rules),
        StashContent::Session(session) => {
            (body(&name, &session.meta, &session.events, recorded_outcome(context, &session.meta)?), 0)
        }
    };
    if text.trim().is_empty() {
        return Err(write::nothing_done("there is no text to save")
            .hint("pipe the text in, use `--edit`, or pass a session with `--session`"));
    }
    let keys = keys(context, &name, options)?;
    let message =
        |id: &NoteId| CommitMessage::new(CommitOp::Stash, format!("Stash \"{name}\"")).id(id.as_str());
    let mut saved: Option<(NoteId, NotePath)> = None;
    let written = write::apply_with(context, |open| {
        let (id, path) = free_place(context, open, &name)?;
        let mut keys = keys;
        keys.insert(0, ("id".to_owned(), Value::String(id.to_string())));
        let text = compose::note(NoteKind::Stash, keys, &headed(&name, &text));
        let set = ChangeSet {
            message: message(&id),
            changes: vec![VaultFileChange::Create { path: path.clone(), text }],
        };
        saved = Some((id, path));
        Ok(set)
    })?;
    let (id, path) = saved.map(|(id, path)| (id.to_string(), path.to_string())).unwrap_or_default();
    let session = match &options.content {
        StashContent::Session(session) => Some(session.meta.id.to_string()),
        StashContent::Text(_) => context.request.caller.session.clone(),
    };
    Ok(StashResult {
        id,
        path,
        title: name,
        session,
        redacted: removed + removed_from_name,
        commit: written.commit,
    })
}

/// Returns the outcome that `cm outcome` recorded for a session.
fn recorded_outcome(context: &Context, session: &SessionMeta) -> Result<Option<SessionStatus>> {
    let diaries = DiaryIndex::of(context, &[session.id.as_str()])?;
    let stored = diaries.get(Some(session.agent.name()), session.id.as_str());
    Ok(stored.and_then(|stored| stored.diary.recorded_outcome.as_ref()).map(|recorded| recorded.status))
}

fn redacted(text: &str, rules: &cm_secrets::RedactionRules) -> (String, usize) {
    let (text, removed) = redact(text, rules);
    (text.into_string(), removed.len())
}

/// Returns a new id and a path for the note that no file has yet.
fn free_place(context: &Context, open: &OpenVault, name: &str) -> Result<(NoteId, NotePath)> {
    loop {
        let id = NoteId::from(context.new_uuid());
        let path = new_note_path(open, "stash", name, &id)?;
        if open.vault.file(&path).symlink_metadata().is_err() {
            return Ok((id, path));
        }
    }
}

fn keys(context: &Context, name: &str, options: &Options) -> Result<Vec<(String, Value)>> {
    let text = |key: &str, value: &str| (key.to_owned(), Value::String(value.to_owned()));
    let mut keys = vec![text("title", name), text("created", &context.now().to_string())];
    let tags = clean_tags(&options.tags)?;
    if !tags.is_empty() {
        keys.push(("tags".to_owned(), Value::Sequence(tags.into_iter().map(Value::String).collect())));
    }
    let caller = &context.request.caller;
    let (agent, session, workspace) = match &options.content {
        StashContent::Session(session) => {
            let meta = &session.meta;
            (Some(meta.agent.to_string()), Some(meta.id.to_string()), meta.workspace.clone())
        }
        StashContent::Text(_) => (caller.agent.clone(), caller.session.clone(), here(context)),
    };
    let further = [("agent", agent), ("session", session), ("workspace", workspace)];
    keys.extend(further.into_iter().filter_map(|(key, value)| Some(text(key, &value?))));
    Ok(keys)
}

/// Returns the project of the target vault; `None` for the global vault.
fn here(context: &Context) -> Option<String> {
    Some(context.workspace()).filter(|name| context.target().level == VaultLevel::Project && !name.is_empty())
}

/// Returns the text with the name as its heading; unchanged if it starts with a top-level heading.
fn headed(name: &str, text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with("# ") {
        return text.to_owned();
    }
    format!("# {}\n\n{text}", cm_note::markdown::escape::escape_inline(name))
}

/// A stash in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StashRow {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Name of the stash.
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Time when the stash was created.
    pub created: Option<Instant>,
    pub tags: Vec<String>,
    /// Agent of the session, such as `claude-code`.
    pub agent: Option<String>,
    /// Session id, as assigned by the agent.
    pub session: Option<String>,
    /// Project that the stash belongs to.
    pub workspace: Option<String>,
    /// Vault that contains the stash.
    pub vault: VaultLevel,
}

/// Stashes, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StashList {
    /// Stashes up to the limit.
    pub stashes: Vec<StashRow>,
    /// Number of stashes in all open vaults.
    pub total: usize,
}

/// Lists up to `limit` stashes of all open vaults, newest first.
///
/// # Errors
/// Returns an error if an index can be neither used nor rebuilt.
pub fn list(context: &Context, limit: usize) -> Result<StashList> {
    let mut stashes: Vec<StashRow> = Vec::new();
    for vault_notes in context.notes()? {
        let level = vault_notes.level;
        stashes.extend(
            vault_notes
                .notes()
                .filter(|note| note.kind == NoteKind::Stash)
                .map(|note| StashRow::of(note, level)),
        );
    }
    stashes.sort_by(|a, b| (b.created, &a.path).cmp(&(a.created, &b.path)));
    let total = stashes.len();
    stashes.truncate(limit);
    Ok(StashList { stashes, total })
}

impl StashRow {
    fn of(note: &Note, vault: VaultLevel) -> Self {
        Self {
            id: note.key().to_owned(),
            title: note.title.clone(),
            path: note.path.to_string(),
            created: note.created.or(note.updated),
            tags: note.tags.clone(),
            agent: note.agent.clone(),
            session: note.session.clone(),
            workspace: note.workspace.clone(),
            vault,
        }
    }
}

/// A stash with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StashPage {
    /// Id, name, path and origin of the stash.
    #[serde(flatten)]
    pub stash: StashRow,
    /// Text below the frontmatter.
    pub body: String,
}

/// Shows a stash, by name, id, id prefix or path.
///
/// # Errors
/// Returns an error if the reference matches no stash, several, or a note of another kind.
pub fn show(context: &Context, reference: &str) -> Result<StashPage> {
    let found = one(context, reference)?;
    let text = found.text();
    let body = Split::of(&text).body().trim_start_matches(['\r', '\n']).to_owned();
    Ok(StashPage { stash: StashRow::of(&found.note, found.open.level), body })
}

fn one<'a>(context: &'a Context, reference: &str) -> Result<ResolvedNote<'a>> {
    for open in &context.vaults {
        // Among stashes a name counts that some memory has, too.
        let notes = context.notes_of(open)?;
        let is_named_stash =
            |note: &&Note| note.kind == NoteKind::Stash && note.title.eq_ignore_ascii_case(reference.trim());
        let fitting: Vec<&Note> = notes.iter().filter(is_named_stash).collect();
        match fitting.as_slice() {
            [] => {}
            [one] => return load(open, &one.path),
            several => return Err(ambiguous(reference, several)),
        }
    }
    let found = find(context, reference).map_err(|error| {
        if error.is_not_found() { error.hint("`cm stash list` lists the stashes") } else { error }
    })?;
    if found.note.kind != NoteKind::Stash {
        let message = format!("`{reference}` is not a stash but {}", found.note.path);
        return Err(
            Error::not_found(message).hint("`cm get` shows any note, `cm stash list` lists the stashes")
        );
    }
    Ok(found)
}
