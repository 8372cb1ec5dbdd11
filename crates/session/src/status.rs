//! How a session ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a session ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// It reached its goal.
    Success,
    /// It did not.
    Failure,
    /// Something was reached, and the end of it is open.
    Partial,
    /// Some signs speak for it and some against.
    Mixed,
    /// The log does not tell.
    #[default]
    Unknown,
}

impl SessionStatus {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Success, Self::Failure, Self::Partial, Self::Mixed, Self::Unknown];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Partial => "partial",
            Self::Mixed => "mixed",
            Self::Unknown => "unknown",
        }
    }

    /// The one of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}
