//! What the bearer of a token may do.

use std::fmt;

/// What the bearer of a token may do; each may do what those before it may.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, schemars::JsonSchema, serde::Serialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Ask.
    Reader,
    /// And change.
    Writer,
    /// And see figures of the server, and run its jobs.
    Admin,
}

/// A text that is no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no role: write reader, writer or admin")]
pub struct NoRole(String);

impl Role {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Writer, Self::Admin];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Role {
    type Err = NoRole;

    fn from_str(text: &str) -> Result<Self, NoRole> {
        Self::ALL.into_iter().find(|role| role.name() == text).ok_or_else(|| NoRole(text.to_owned()))
    }
}
