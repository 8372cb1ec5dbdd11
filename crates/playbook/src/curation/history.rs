//! Evidence for rules from past sessions, and the evidence gate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cm_note::bullet::Bullet;
use cm_note::instant::Instant;
use cm_session::status::SessionStatus;

/// Past sessions of recent months that contain the words of a rule, by outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionCounts {
    /// Number of sessions.
    pub sessions: usize,
    /// Number of successful sessions.
    pub successes: usize,
    /// Number of failed sessions.
    pub failures: usize,
    /// Quotes from the sessions.
    pub quotes: Vec<SessionQuote>,
}

/// A quote from a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionQuote {
    /// ID of the session.
    pub session: String,
    pub agent: Option<String>,
    /// Line in the session's log, from 1.
    pub line: Option<u64>,
    /// How the session ended. Counts as a failure for this rule even in a successful session if the
    /// user said the opposite of the rule.
    #[serde(default)]
    pub ended: SessionStatus,
    pub text: String,
}

pub trait RuleEvidenceSource: std::fmt::Debug {
    fn evidence(&self, rule: &str) -> SessionCounts;

    /// Like [`Self::evidence`], for a draft. If it quotes what a person typed, successful sessions that
    /// ran a command which it demands count as well.
    fn evidence_of_draft(&self, draft: &Bullet) -> SessionCounts {
        self.evidence(draft.content())
    }

    /// Whether a session with this id is known from a log, hook record, upload or diary.
    fn has_seen(&self, session: &str) -> bool;

    /// Whether the rule needs no evidence of further sessions: a person stated it outright in a
    /// session that was read. Never taken from a delta.
    fn is_admitted(&self, _rule: &str) -> bool {
        false
    }

    /// Whether an agent was shown the rule with this id, in this session and before this time.
    fn was_shown(&self, _session: &str, _rule: &str, _before: Instant) -> bool {
        false
    }

    /// Time of the last event of a session; `None` if unknown.
    fn ended(&self, _session: &str) -> Option<Instant> {
        None
    }
}

/// Evidence source without past sessions. Every session id counts as known, so feedback has weight.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHistory;

impl RuleEvidenceSource for NoHistory {
    fn evidence(&self, _rule: &str) -> SessionCounts {
        SessionCounts::default()
    }

    fn has_seen(&self, _session: &str) -> bool {
        true
    }
}

/// Result of the evidence gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateDecision {
    /// Successful so often that no model needs to judge it.
    Certain,
    /// Successful: the rule becomes active.
    Active,
    /// Too little or mixed evidence: the rule becomes a draft for review.
    Draft,
    /// Failed more often than it succeeded: the rule is refused.
    Refused,
}

impl GateDecision {
    /// Decides by the outcomes of past sessions: without failures, three successes are `Active` and
    /// five `Certain`; at least two failures that outnumber the successes are `Refused`; all else
    /// is `Draft`.
    pub fn of(evidence: &SessionCounts) -> Self {
        match *evidence {
            SessionCounts { sessions: 0 | 1, .. } => Self::Draft,
            SessionCounts { successes, failures, .. } if failures > successes && failures >= 2 => {
                Self::Refused
            }
            SessionCounts { successes: 5.., failures: 0, .. } => Self::Certain,
            SessionCounts { successes: 3.., failures: 0, .. } => Self::Active,
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
            GateDecision::of(&SessionCounts { sessions, successes, failures, quotes: Vec::new() })
        };
        assert_eq!(gate(0, 0, 0), GateDecision::Draft);
        assert_eq!(gate(1, 1, 0), GateDecision::Draft);
        assert_eq!(gate(3, 1, 2), GateDecision::Refused);
        assert_eq!(gate(2, 0, 1), GateDecision::Draft);
        assert_eq!(gate(3, 3, 0), GateDecision::Active);
        assert_eq!(gate(5, 5, 0), GateDecision::Certain);
        assert_eq!(gate(9, 8, 1), GateDecision::Draft);
        assert_eq!(gate(4, 2, 2), GateDecision::Draft);
    }
}
