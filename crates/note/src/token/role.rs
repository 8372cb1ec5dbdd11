//! Roles of token holders.

use std::fmt;

/// Permissions of a token holder; each role includes the previous ones.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, schemars::JsonSchema, serde::Serialize,
)]
#[serde(rename_all = "lowercase")]
pub enum AccessRole {
    /// Read only.
    Reader,
    /// Read and write.
    Writer,
    /// Read, write, see server metrics, and run server jobs.
    Admin,
}

/// Error: a text is not a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a role: use reader, writer or admin")]
pub struct UnknownRole(String);

impl AccessRole {
    /// All roles, in order of increasing permissions.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Writer, Self::Admin];

    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for AccessRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for AccessRole {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.name() == text).ok_or_else(|| UnknownRole(text.to_owned()))
    }
}
