//! What past sessions say about a rule, and what the evidence gate makes of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cm_session::status::SessionStatus;

/// The sessions of the last months in which the words of a rule occur, by how they ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// How many sessions there are in all.
    pub sessions: usize,
    /// How many of them ended well.
    pub successes: usize,
    /// How many failed.
    pub failures: usize,
    /// Words of them.
    pub quotes: Vec<Quote>,
}

/// Words of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quote {
    /// The session's id.
    pub session: String,
    /// The agent whose session it was.
    pub agent: Option<String>,
    /// The line in its log, from 1.
    pub line: Option<u64>,
    /// How the session ended for the rule: a failure too where the person said the opposite of it.
    #[serde(default)]
    pub ended: SessionStatus,
    /// The words.
    pub text: String,
}

/// Where evidence about rules comes from.
pub trait History: std::fmt::Debug {
    /// What is known about a rule.
    fn evidence(&self, rule: &str) -> Evidence;

    /// Whether a session really took place: its log, its hook record, its upload or its diary is here.
    fn has_seen(&self, session: &str) -> bool;
}

/// No sessions are known.
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

/// What the evidence gate says of a rule, before any model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// It helped often enough that no model need be asked.
    Certain,
    /// It helped: active.
    Active,
    /// Too little is known, or it is mixed: a draft until somebody looks.
    Draft,
    /// It failed more often than it helped.
    Refused,
}

impl Gate {
    /// What these counts come to (04-curation, evidence gate).
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
