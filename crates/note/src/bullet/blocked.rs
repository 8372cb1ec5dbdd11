//! Blocked patterns: rules that must not be added again, and patterns that only cause a warning.

use serde::{Deserialize, Serialize};

use super::content::RuleHash;
use crate::id::NoteId;
use crate::instant::Instant;
use crate::note::{Note, NoteKind};
use crate::path::NotePath;

cm_text::named_enum! {
    /// Effect of a blocked pattern.
    #[derive(Default)]
    pub enum BlockKind {
        /// Equal and near-equal rules are rejected for good.
        #[default]
        Toxic = "toxic",
        /// A warning is shown wherever the pattern occurs.
        Deprecated = "deprecated",
    }
}

/// Frontmatter fields that only a blocked pattern has, by their key. Stored in the index with the
/// note.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedFields {
    pub pattern: Option<String>,
    pub content: Option<String>,
    pub content_hash: Option<String>,
    pub reason: Option<String>,
    pub replacement: Option<String>,
    pub source_bullet: Option<String>,
    pub inverted_to: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedNote {
    /// Id of the note, or its path if it has none.
    pub id: NoteId,
    pub path: NotePath,
    pub kind: BlockKind,
    pub created: Option<Instant>,
    pub fields: BlockedFields,
}

impl BlockedNote {
    /// Reads a note as a blocked pattern. Returns `None` for other kinds of note, and for a note
    /// with neither a text nor a hash.
    pub fn of(note: &Note) -> Option<Self> {
        if note.kind != NoteKind::Blocked {
            return None;
        }
        let kind = note.note_type.as_deref().and_then(BlockKind::of).unwrap_or_default();
        let fields = note.blocked.as_deref().cloned().unwrap_or_default();
        let blocked = Self {
            id: note.id.clone().or_else(|| NoteId::parse(note.path.as_str()).ok())?,
            path: note.path.clone(),
            kind,
            created: note.created,
            fields,
        };
        (!blocked.text().is_empty() || blocked.fields.content_hash.is_some()).then_some(blocked)
    }

    /// The blocked text: `pattern`, else `content`. Empty if the note has only a hash.
    pub fn text(&self) -> &str {
        self.fields.pattern.as_deref().or(self.fields.content.as_deref()).unwrap_or("")
    }

    /// Hash of the blocked rule: `content_hash` if it is valid, else computed from `content`.
    pub fn hash(&self) -> Option<RuleHash> {
        let written = self.fields.content_hash.as_deref().and_then(RuleHash::parse);
        written.or_else(|| self.fields.content.as_deref().map(RuleHash::of))
    }
}
