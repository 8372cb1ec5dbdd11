//! Evidence for rules from past sessions, and the evidence gate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cm_session::status::SessionStatus;

/// Past sessions of recent months that contain the words of a rule, by outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Number of sessions.
    pub sessions: usize,
    /// Number of successful sessions.
    pub successes: usize,
    /// Number of failed sessions.
    pub failures: usize,
    /// Quotes from the sessions.
    pub quotes: Vec<Quote>,
}

/// A quote from a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quote {
    /// ID of the session.
    pub session: String,
    /// Agent of the session.
    pub agent: Option<String>,
    /// Line in the session's log, from 1.
    pub line: Option<u64>,
    /// Outcome of the session for the rule; a failure also if the user stated the opposite of the
    /// rule.
    #[serde(default)]
    pub ended: SessionStatus,
    /// Quoted text.
    pub text: String,
}

/// A source of evidence for rules.
pub trait History: std::fmt::Debug {
    /// The evidence for a rule.
    fn evidence(&self, rule: &str) -> Evidence;

    /// Whether a session is known from its log, hook record, upload or diary.
    fn has_seen(&self, session: &str) -> bool;
}

/// A source without sessions.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHistory;

impl History for NoHistory {
    fn evidence(&self, _rule: &str) -> Evidence {
        Evidence::default()
    }

    fn has_seen(&self, _session: &str) -> bool {
        true
    }
}

/// Result of the evidence gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Successful so often that no model needs to judge it.
    Certain,
    /// Successful: the rule becomes active.
    Active,
    /// Too little or mixed evidence: the rule becomes a draft for review.
    Draft,
    /// Failed more often than it succeeded: the rule is refused.
    Refused,
}

impl Gate {
    /// Applies the thresholds of the evidence gate (04-curation).
    pub fn of(evidence: &Evidence) -> Self {
        match *evidence {
            Evidence { sessions: 0 | 1, .. } => Self::Draft,
            Evidence { successes, failures, .. } if failures > successes && failures >= 2 => Self::Refused,
            Evidence { successes: 5.., failures: 0, .. } => Self::Certain,
            Evidence { successes: 3.., failures: 0, .. } => Self::Active,
            _ => Self::Draft,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_follows_the_counts() {
        let gate = |sessions, successes, failures| {
            Gate::of(&Evidence { sessions, successes, failures, quotes: Vec::new() })
        };
        assert_eq!(gate(0, 0, 0), Gate::Draft);
        assert_eq!(gate(1, 1, 0), Gate::Draft);
        assert_eq!(gate(3, 1, 2), Gate::Refused);
        assert_eq!(gate(2, 0, 1), Gate::Draft);
        assert_eq!(gate(3, 3, 0), Gate::Active);
        assert_eq!(gate(5, 5, 0), Gate::Certain);
        assert_eq!(gate(9, 8, 1), Gate::Draft);
        assert_eq!(gate(4, 2, 2), Gate::Draft);
    }
}
