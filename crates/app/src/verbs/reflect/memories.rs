//! Turns the facts, preferences and fixes of sessions into new notes, and skips those that an
//! existing note already states.

use std::collections::HashSet;

use yaml_serde::Value;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use crate::verbs::add::known_type;
use crate::verbs::note_fields::place;
use cm_learn::diary::note::as_line;
use cm_learn::reflect::draft::{DraftOrigin, ProposedMemory};
use cm_learn::statement::Certainty;
use cm_note::change::VaultFileChange;
use cm_note::id::NoteId;
use cm_note::note::compose::{self, MemoryDraft};
use cm_note::note::suspicion::order;
use cm_note::note::{Note, NoteKind};
use cm_text::canonical::CanonicalForm;

/// A memory note that will be created, with its file change.
#[derive(Debug, Clone)]
pub struct PlannedMemory {
    pub id: String,
    /// Memory type of the note, such as `fix`.
    pub note_type: String,
    /// Title of the note, which is the text of the memory.
    pub title: String,
    /// Whether the note is a draft that a person must accept.
    pub is_draft: bool,
    /// Change that creates the file.
    pub change: VaultFileChange,
}

/// Returns the titles of all memories in canonical form, to detect duplicates.
pub fn existing_texts(notes: &[Note]) -> HashSet<String> {
    let memories = notes.iter().filter(|note| note.kind == NoteKind::Memory);
    memories.map(|note| CanonicalForm::of(&note.title).as_str().to_owned()).collect()
}

/// Plans the note of a memory and adds its text to `statements`; `None` if `statements` contains
/// the text already. A memory that the user stated as lasting is confirmed, one that they may have
/// stated so is a draft, and all others are unverified.
///
/// # Errors
/// Returns an error if the vault does not define the type.
pub fn plan_memory(
    memory: &Context,
    open: &OpenVault,
    statements: &mut HashSet<String>,
    (remembered, stated): (&ProposedMemory, Option<Certainty>),
    origin: &DraftOrigin,
) -> Result<Option<PlannedMemory>> {
    if !statements.insert(CanonicalForm::of(&remembered.text).as_str().to_owned()) {
        return Ok(None);
    }
    let known = known_type(open, remembered.note_type)?;
    let id = NoteId::from(memory.new_uuid());
    let title = remembered.text.trim_end_matches('.').to_owned();
    let path = place(open, &format!("graph/{}", known.folder), &title, &id)?;
    let body = body(remembered, origin);
    let is_draft = order(&title).or_else(|| order(&body)).is_some() || stated == Some(Certainty::Medium);
    let state = match stated {
        _ if is_draft => Some("draft"),
        // The person's word confirms it.
        Some(_) => None,
        None => Some(Note::UNVERIFIED),
    };
    let text = compose::memory(&MemoryDraft {
        id: id.clone(),
        note_type: known.name.clone(),
        title: title.clone(),
        tags: Vec::new(),
        importance: 0.5,
        confidence: Some(remembered.confidence),
        created: memory.now(),
        author: None,
        agent: Some(origin.agent.clone()),
        session: Some(origin.session.clone()),
        body,
        extra: state.map(|state| ("state".to_owned(), Value::String(state.to_owned()))).into_iter().collect(),
    });
    let change = VaultFileChange::Create { path, text };
    Ok(Some(PlannedMemory { id: id.to_string(), note_type: known.name.clone(), title, is_draft, change }))
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
