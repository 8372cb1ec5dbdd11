//! A blocked pattern: a rule that must not come back, or a pattern that only warns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::content::RuleHash;
use crate::id::NoteId;
use crate::instant::Instant;
use crate::note::{Kind, Note};
use crate::path::NotePath;

/// How a pattern is blocked.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Equal and near-equal bullets are kept out for ever.
    #[default]
    Toxic,
    /// A warning is shown wherever the pattern occurs.
    Deprecated,
}

/// What the note of a blocked pattern says besides what every note may say. Kept in the index with the note.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedFields {
    /// `pattern`.
    pub pattern: Option<String>,
    /// `content`.
    pub content: Option<String>,
    /// `content_hash`.
    pub content_hash: Option<String>,
    /// `reason`.
    pub reason: Option<String>,
    /// `replacement`.
    pub replacement: Option<String>,
    /// `source_bullet`.
    pub source_bullet: Option<String>,
    /// `inverted_to`.
    pub inverted_to: Option<String>,
}

/// A blocked pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// What it answers to: its id, else its path.
    pub id: NoteId,
    /// Where it lies.
    pub path: NotePath,
    /// Kept out, or warned of.
    pub kind: BlockKind,
    /// When it was blocked.
    pub created: Option<Instant>,
    /// Everything else.
    pub fields: BlockedFields,
}

impl Blocked {
    /// The blocked pattern that a note is; `None` for any other note, and for one that blocks nothing.
    pub fn of(note: &Note) -> Option<Self> {
        if note.kind != Kind::Blocked {
            return None;
        }
        let kind = match note.note_type.as_deref() {
            Some("deprecated") => BlockKind::Deprecated,
            _ => BlockKind::Toxic,
        };
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

    /// What is blocked: the pattern, else the content.
    pub fn text(&self) -> &str {
        self.fields.pattern.as_deref().or(self.fields.content.as_deref()).unwrap_or("")
    }

    /// The hash of the bullet's text that is kept out: as written, else of the content.
    pub fn hash(&self) -> Option<RuleHash> {
        let written = self.fields.content_hash.as_deref().and_then(RuleHash::parse);
        written.or_else(|| self.fields.content.as_deref().map(RuleHash::of))
    }
}
