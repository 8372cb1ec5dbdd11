//! The kinds of notes, told apart by the folder they lie in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::path::NotePath;

/// What a file of the vault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A memory: `graph/<folder>/`, `vault/`, and any other note that says its `type`.
    Memory,
    /// A typed edge: `graph/edges/`.
    Edge,
    /// A rule or anti-pattern: `playbook/`.
    Bullet,
    /// A blocked pattern: `blocked/`.
    Blocked,
    /// A day's log: `episodes/`.
    Episode,
    /// A summary of an agent's session: `diary/`.
    Diary,
    /// A raw capture: `stash/`.
    Stash,
    /// Any other markdown file.
    Plain,
}

impl Kind {
    /// The kind that a path tells; `Plain` for a file outside the vault's own folders.
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

    /// Its name in JSON, in the query language and in messages.
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
