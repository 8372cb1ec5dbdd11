//! Turns the facts, preferences and fixes of sessions into new notes, and skips those that an
//! existing note already states.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use yaml_serde::Value;

use super::later_word::{StatementOrigin, replaced_memories};
use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::project_scope::project_of;
use crate::error::Result;
use crate::sessions::session_filter::is_global;
use crate::verbs::add::known_type;
use crate::verbs::note_fields::{new_note_path, supersedes_edge};
use cm_learn::diary::StatementAuthor;
use cm_learn::diary::note::as_line;
use cm_learn::evidence_quote::EvidenceQuote;
use cm_learn::reflect::draft::{DraftOrigin, ProposedMemory};
use cm_learn::reflect::said_again::memory_said_again;
use cm_learn::statement::Certainty;
use cm_learn::workspace_path::project_name;
use cm_note::change::VaultFileChange;
use cm_note::frontmatter::edit::Edit;
use cm_note::graph::LinkedNotes;
use cm_note::id::NoteId;
use cm_note::note::compose::{self, EdgeEnd, MemoryDraft};
use cm_note::note::suspicion::{order, payload};
use cm_note::note::{Note, NoteKind};
use cm_text::canonical::CanonicalForm;

/// A memory note that will be created or confirmed, with its file changes.
#[derive(Debug, Clone)]
pub struct PlannedMemory {
    pub id: String,
    /// Memory type of the note, such as `fix`.
    pub note_type: String,
    /// Title of the note, which is the text of the memory.
    pub title: String,
    /// Whether the note is a draft that a person must accept.
    pub is_draft: bool,
    /// Whether the note is unverified: agents see it marked so until a person accepts it.
    pub is_unverified: bool,
    /// Changes of the note's file, and edges to the memories that it replaces.
    pub changes: Vec<VaultFileChange>,
}

/// The memories of a vault, to which those of a session are added.
#[derive(Debug, Clone)]
pub struct ExistingMemories {
    notes: Arc<LinkedNotes>,
    /// Titles of all memories in canonical form.
    texts: HashSet<String>,
}

impl ExistingMemories {
    pub fn of(notes: Arc<LinkedNotes>) -> Self {
        let memories = notes.iter().filter(|note| note.kind == NoteKind::Memory);
        let texts = memories.map(|note| CanonicalForm::of(&note.title).as_str().to_owned()).collect();
        Self { notes, texts }
    }

    /// All notes of the vault.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns the memory that waits for confirmation and says what a person now says in another
    /// session.
    fn waiting(&self, open: &OpenVault, remembered: &ProposedMemory, session: &str) -> Option<&Note> {
        let is_of_type = |note: &&Note| {
            note.kind == NoteKind::Memory
                && note.is_waiting()
                && note.note_type.as_deref() == Some(remembered.note_type)
        };
        let quote_of_person = format!("- {}", EvidenceQuote::lead(StatementAuthor::Person));
        let is_of_person = |note: &&Note| {
            open.read(&note.path)
                .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(&quote_of_person))
        };
        let waiting = self.notes.iter().filter(is_of_type).filter(is_of_person);
        memory_said_again(&remembered.text, session, waiting, meaning(open))
    }
}

/// A memory that a session proposes, and how it came to be.
#[derive(Debug, Clone, Copy)]
pub struct MemoryProposal<'a> {
    pub remembered: &'a ProposedMemory,
    /// How certainly the person stated it as lasting; `None` if no person did.
    pub stated: Option<Certainty>,
    pub origin: &'a DraftOrigin,
    /// When and where it was stated; `None` if unknown, so that it replaces nothing.
    pub statement: Option<StatementOrigin<'a>>,
    /// Working folder of the session.
    pub workspace: Option<&'a str>,
}

/// Plans the note of a memory and adds its text to `existing`; `None` if a note already states it. A
/// memory stated with high certainty is confirmed and replaces those that it contradicts; one that a person agreed to is
/// confirmed; one stated with
/// lower certainty, or recurring, is a draft; all others are unverified. A repeated statement confirms a
/// waiting note.
///
/// # Errors
/// Returns an error if the vault does not define the type.
pub fn plan_memory(
    context: &Context,
    open: &OpenVault,
    existing: &mut ExistingMemories,
    proposal: MemoryProposal<'_>,
) -> Result<Option<PlannedMemory>> {
    let MemoryProposal { remembered, stated, origin, .. } = proposal;
    if let Some(note) = stated.and_then(|_| existing.waiting(open, remembered, &origin.session)) {
        return Ok(confirmed(context, note, remembered));
    }
    if !existing.texts.insert(CanonicalForm::of(&remembered.text).as_str().to_owned()) {
        return Ok(None);
    }
    let memory_type = known_type(open, remembered.note_type)?;
    let id = NoteId::from(context.new_uuid());
    let title = remembered.text.trim_end_matches('.').to_owned();
    let path = new_note_path(open, &format!("graph/{}", memory_type.folder), &title, &id)?;
    let body = body(remembered, origin);
    // What recurs is a draft; what one session shows is unverified.
    let is_recurring = stated.is_none() && remembered.observations > 1 && !remembered.is_acknowledged;
    // Decisions and preferences that a person stated may be orders.
    let is_stated = stated == Some(Certainty::High);
    let doubt = |text| if is_stated { payload(text) } else { order(text) };
    let is_doubtful = doubt(&title).or_else(|| doubt(&body)).is_some();
    let is_draft = is_doubtful || is_recurring || stated == Some(Certainty::Medium);
    let state = match stated {
        _ if is_draft => Some(Note::DRAFT),
        // The person's word confirms it.
        Some(_) => None,
        None if remembered.is_acknowledged => None,
        None => Some(Note::UNVERIFIED),
    };
    // In a vault for all projects, what is known of one of them is not shown in the others. A preference is its
    // person's everywhere.
    let is_of_project = is_global(context, open) && remembered.note_type != "preference";
    let project = proposal.workspace.filter(|_| is_of_project).map(|folder| match Path::new(folder) {
        there if there.is_dir() => project_of(there).unwrap_or_default(),
        _ => project_name(folder),
    });
    let own_keys = [("state", state.map(str::to_owned)), ("workspace", project)];
    let extra = own_keys.into_iter().filter_map(|(key, text)| Some((key.to_owned(), Value::String(text?))));
    let text = compose::memory(&MemoryDraft {
        id: id.clone(),
        note_type: memory_type.name.clone(),
        title: title.clone(),
        tags: Vec::new(),
        importance: 0.5,
        confidence: Some(remembered.confidence),
        created: context.now(),
        author: None,
        agent: Some(origin.agent.clone()),
        session: Some(origin.session.clone()),
        body,
        extra: extra.collect(),
    });
    let mut changes = vec![VaultFileChange::Create { path: path.clone(), text }];
    if let Some(statement) = proposal.statement.filter(|_| state.is_none()) {
        let end = EdgeEnd::of_file(id.as_str(), &title, &path);
        changes.extend(edges_to_replaced(context, open, existing.notes(), &end, statement)?);
    }
    let is_unverified = state == Some(Note::UNVERIFIED);
    let (id, note_type) = (id.to_string(), memory_type.name.clone());
    Ok(Some(PlannedMemory { id, note_type, title, is_draft, is_unverified, changes }))
}

/// Plans the confirmation of a waiting note that a person states again.
fn confirmed(context: &Context, note: &Note, remembered: &ProposedMemory) -> Option<PlannedMemory> {
    let edits = confirming_edits(context, "Stated again", &remembered.evidence);
    Some(PlannedMemory {
        id: note.id.as_ref()?.to_string(),
        note_type: note.note_type.clone().unwrap_or_default(),
        title: note.title.clone(),
        is_draft: false,
        is_unverified: false,
        changes: vec![VaultFileChange::edit(note.path.clone(), edits)],
    })
}

/// Returns the edits that confirm a waiting note, with the quotes that do so in its body under `lead`.
pub(super) fn confirming_edits(context: &Context, lead: &str, quotes: &[String]) -> Vec<Edit> {
    let quotes = quotes.iter().map(|quote| format!("- {}\n", as_line(quote)));
    vec![
        Edit::Remove { key: "state".to_owned() },
        Edit::set_text("updated", context.now().to_string()),
        Edit::AppendBody { text: format!("\n{lead}:\n\n{}", quotes.collect::<String>()) },
    ]
}

/// Returns the edges from a note that a person stated to the memories that it replaces.
///
/// # Errors
/// Returns an error if the path of an edge is invalid.
pub(crate) fn edges_to_replaced(
    context: &Context,
    open: &OpenVault,
    notes: &[Note],
    newer: &EdgeEnd,
    stated: StatementOrigin<'_>,
) -> Result<Vec<VaultFileChange>> {
    let mut edges = Vec::new();
    for (note, reason) in replaced_memories(context, open, notes, &newer.title, stated) {
        let Some(id) = &note.id else { continue };
        let older = EdgeEnd::of_file(id.as_str(), &note.title, &note.path);
        let why = format!("A person said otherwise later: {reason}.");
        let (_, path, text) = supersedes_edge(context, open, (newer, &older), &why)?;
        edges.push(VaultFileChange::Create { path, text });
    }
    Ok(edges)
}

fn body(remembered: &ProposedMemory, origin: &DraftOrigin) -> String {
    let mut body = format!("{}\n\n## Evidence\n\n", as_line(&remembered.text));
    for quote in &remembered.evidence {
        body.push_str(&format!("- {}\n", as_line(quote)));
    }
    let times = match remembered.observations {
        1 => "once".to_owned(),
        times => format!("in {times} sessions"),
    };
    body.push_str(&format!("\nObserved {times}, first in line {} of the session's log.\n", origin.line));
    body
}
