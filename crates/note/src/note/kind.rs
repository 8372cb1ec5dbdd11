//! The kinds of notes, determined by their folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::path::NotePath;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// A memory: `graph/<folder>/`, `vault/`, and any other note with an id and a known `type`.
    Memory,
    /// A typed edge: `graph/edges/`.
    Edge,
    /// A rule or anti-pattern: `playbook/`.
    Bullet,
    /// A blocked pattern: `blocked/`.
    Blocked,
    /// A daily log: `episodes/`.
    Episode,
    /// A summary of an agent's session: `diary/`.
    Diary,
    /// A raw capture: `stash/`.
    Stash,
    /// Any other Markdown file.
    Plain,
}

impl NoteKind {
    pub const ALL: [Self; 8] = [
        Self::Memory,
        Self::Edge,
        Self::Bullet,
        Self::Blocked,
        Self::Episode,
        Self::Diary,
        Self::Stash,
        Self::Plain,
    ];

    /// Determines the kind from a path; `Plain` for a file outside the vault's own folders.
    pub fn of(path: &NotePath) -> Self {
        match (path.top(), path.folder().starts_with("graph/edges")) {
            (_, true) => Self::Edge,
            ("graph" | "vault", _) => Self::Memory,
            ("playbook", _) => Self::Bullet,
            ("blocked", _) => Self::Blocked,
            ("episodes", _) => Self::Episode,
            ("diary", _) => Self::Diary,
            ("stash", _) => Self::Stash,
            _ => Self::Plain,
        }
    }

    /// Name of the kind in JSON, queries and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Edge => "edge",
            Self::Bullet => "bullet",
            Self::Blocked => "blocked",
            Self::Episode => "episode",
            Self::Diary => "diary",
            Self::Stash => "stash",
            Self::Plain => "plain",
        }
    }
}
