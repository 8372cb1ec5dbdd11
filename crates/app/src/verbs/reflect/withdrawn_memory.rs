//! Retires a memory that a person withdrew.

use crate::context::open::Context;
use cm_learn::diary::note::as_line;
use cm_note::bullet::BulletState;
use cm_note::change::VaultFileChange;
use cm_note::frontmatter::edit::Edit;
use cm_note::note::Note;
use cm_note::path::NotePath;

/// A memory that a person withdrew.
#[derive(Debug)]
pub struct WithdrawnMemory {
    pub id: String,
    pub title: String,
    /// Line of the prompt in the session's log, from 1.
    pub line: u64,
    path: NotePath,
    /// The person's words with their origin.
    evidence: String,
}

impl WithdrawnMemory {
    pub(super) fn of(note: &Note, line: u64, evidence: String) -> Option<Self> {
        let id = note.id.as_ref()?.to_string();
        Some(Self { id, title: note.title.clone(), line, path: note.path.clone(), evidence })
    }

    /// Returns the change that retires the memory.
    pub(super) fn change(&self, context: &Context) -> VaultFileChange {
        let edits = vec![
            Edit::set_text("state", BulletState::Retired.name()),
            Edit::set_text("updated", context.now().to_string()),
            Edit::AppendBody { text: format!("\nWithdrawn:\n\n- {}\n", as_line(&self.evidence)) },
        ];
        VaultFileChange::edit(self.path.clone(), edits)
    }
}
