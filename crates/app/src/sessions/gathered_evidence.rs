//! Collects the evidence of past sessions for proposed rules and for drafts. This happens before the
//! vault is locked; curation then uses the result.

use std::collections::{HashMap, HashSet};

use crate::context::open::Context;
use crate::context::receipts::ShownRules;
use crate::error::Result;
use crate::sessions::evidence::SessionEvidence;
use crate::sessions::reflection_log::ReflectionLog;
use cm_learn::recurring::SessionTrace;
use cm_learn::reflect::evidence::RuleValidation;
use cm_learn::reflect::session_topics::SessionTopics;
use cm_note::bullet::content::fold_whitespace;
use cm_note::bullet::{Bullet, BulletState};
use cm_note::instant::Instant;
use cm_playbook::curation::history::{RuleEvidenceSource, SessionCounts};
use cm_session::SessionMeta;
use cm_session::status::SessionStatus;

/// Evidence for new rules and drafts, found in advance.
#[derive(Debug, Default)]
pub struct GatheredEvidence {
    /// By rule text with normalized whitespace.
    by_rule: HashMap<String, SessionCounts>,
    /// Rules that need no further evidence, with normalized whitespace.
    admitted: HashSet<String>,
    /// Id and end of the session.
    session: Option<(String, Instant)>,
    /// Rules that the session was shown.
    shown: ShownRules,
}

impl GatheredEvidence {
    /// Creates evidence without rules for a session.
    pub fn of_session(meta: &SessionMeta) -> Self {
        let ended = meta.ended.or(meta.started);
        let session = ended.map(|at| (meta.id.to_string(), at));
        Self { session, ..Self::default() }
    }

    /// Sets the rules that the session was shown.
    pub fn with_shown(self, shown: ShownRules) -> Self {
        Self { shown, ..self }
    }

    /// Records that a rule needs no further evidence.
    pub fn admit(&mut self, rule: &str) {
        self.admitted.insert(fold_whitespace(rule));
    }

    /// Stores the evidence for a rule.
    pub fn insert(&mut self, rule: &str, evidence: SessionCounts) {
        self.by_rule.insert(fold_whitespace(rule), evidence);
    }

    /// Whether there is no evidence for any rule.
    pub fn is_empty(&self) -> bool {
        self.by_rule.is_empty() && self.admitted.is_empty()
    }

    /// Adds the evidence for the drafts that a session is about; that of all others is unchanged by it.
    /// Rules that have evidence already keep it.
    pub(crate) fn gather_drafts(
        &mut self,
        sessions: &SessionEvidence<'_>,
        bullets: &[Bullet],
        topics: &SessionTopics,
    ) {
        let is_draft = |bullet: &&Bullet| bullet.state == BulletState::Draft && bullet.is_standing();
        for bullet in bullets.iter().filter(is_draft).filter(|bullet| topics.concern(bullet.content())) {
            let rule = fold_whitespace(bullet.content());
            self.by_rule.entry(rule).or_insert_with(|| sessions.evidence_of_draft(bullet));
        }
    }
}

impl RuleEvidenceSource for GatheredEvidence {
    fn evidence(&self, rule: &str) -> SessionCounts {
        self.by_rule.get(&fold_whitespace(rule)).cloned().unwrap_or_default()
    }

    /// Returns true for every session, because rules come only from sessions whose logs were read.
    fn has_seen(&self, _session: &str) -> bool {
        true
    }

    fn is_admitted(&self, rule: &str) -> bool {
        self.admitted.contains(&fold_whitespace(rule))
    }

    /// The deltas of a curation come from one session, so that the session is not compared.
    fn was_shown(&self, _session: &str, rule: &str, before: Instant) -> bool {
        self.shown.before(rule, before)
    }

    fn ended(&self, session: &str) -> Option<Instant> {
        self.session.as_ref().filter(|(id, _)| id == session).map(|(_, at)| *at)
    }
}

/// Searches past sessions for evidence about a rule. `now_status` is the outcome of the session
/// that is being processed, which is not recorded yet. If a person stated the rule, the sessions of
/// `traces` that ran a command which it demands count as well.
///
/// # Errors
/// Returns an error if the session index cannot be read.
pub fn evidence_for(
    context: &Context,
    record: &ReflectionLog,
    rule: &str,
    (agent, session, now_status): (&str, &str, SessionStatus),
    traces: &[&SessionTrace],
) -> Result<RuleValidation> {
    let ended = |of: &str, id: &str| match (of, id) == (agent, session) {
        true => Some(now_status),
        false => record.status(of, id),
    };
    SessionEvidence::of(context).with_outcomes(&ended).validation_with_runs(rule, traces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_for_a_rule_is_told_of_that_rule_alone_however_it_is_spaced() {
        let mut gathered = GatheredEvidence::default();
        gathered.insert(
            "Run  the tests.",
            SessionCounts { sessions: 3, successes: 3, ..SessionCounts::default() },
        );
        assert_eq!(gathered.evidence("Run the tests.").successes, 3);
        assert_eq!(gathered.evidence("Run no tests."), SessionCounts::default());
    }
}
