//! Roles of token holders.

use cm_text::named_enum;
use std::fmt;

named_enum! {
    /// Permissions of a token holder; each role includes the previous ones.
    pub enum AccessRole {
        /// Read only.
        Reader = "reader",
        /// Read and write.
        Writer = "writer",
        /// Read, write, see server metrics, and run server jobs.
        Admin = "admin",
    }
}

/// Error: a text is not a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a role: use reader, writer or admin")]
pub struct UnknownRole(String);

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
