//! How a session ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Outcome of a session.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// The session reached its goal.
    Success,
    /// The session did not reach its goal.
    Failure,
    /// The session reached something, but its end is open.
    Partial,
    /// The evidence is contradictory.
    Mixed,
    /// The log contains no evidence.
    #[default]
    Unknown,
}

impl SessionStatus {
    /// All statuses, in declaration order.
    pub const ALL: [Self; 5] = [Self::Success, Self::Failure, Self::Partial, Self::Mixed, Self::Unknown];

    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Partial => "partial",
            Self::Mixed => "mixed",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the status with this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}
