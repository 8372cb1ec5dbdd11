//! Collects the evidence of past sessions for proposed rules. This happens before the vault is
//! locked; curation then uses the result.

use std::collections::HashMap;

use super::record::Record;
use crate::error::Result;
use crate::memory::Memory;
use crate::witnesses::Witnesses;
use cm_learn::reflect::evidence::Validation;
use cm_note::bullet::content::folded;
use cm_playbook::curation::history::{Evidence, History};
use cm_session::status::SessionStatus;

/// Evidence of rules, by their folded text.
#[derive(Debug, Default)]
pub struct Gathered(HashMap<String, Evidence>);

impl Gathered {
    /// Stores the evidence for a rule.
    pub fn keep(&mut self, rule: &str, evidence: Evidence) {
        self.0.insert(folded(rule), evidence);
    }
}

impl History for Gathered {
    fn evidence(&self, rule: &str) -> Evidence {
        self.0.get(&folded(rule)).cloned().unwrap_or_default()
    }

    /// Always true: only sessions whose logs were read are reflected on.
    fn has_seen(&self, _session: &str) -> bool {
        true
    }
}

/// Searches the sessions of the last months for evidence about a rule. `now_status` is the outcome
/// of the current session, which neither a diary nor the record contains yet.
///
/// # Errors
/// Returns an error if the session index cannot be read.
pub fn judged(
    memory: &Memory,
    record: &Record,
    rule: &str,
    (agent, session, now_status): (&str, &str, SessionStatus),
) -> Result<Validation> {
    let ended = |of: &str, id: &str| match (of, id) == (agent, session) {
        true => Some(now_status),
        false => record.status(of, id),
    };
    Witnesses::of(memory).knowing(&ended).validation(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_for_a_rule_is_told_of_that_rule_alone_however_it_is_spaced() {
        let mut gathered = Gathered::default();
        gathered.keep("Run  the tests.", Evidence { sessions: 3, successes: 3, ..Evidence::default() });
        assert_eq!(gathered.evidence("Run the tests.").successes, 3);
        assert_eq!(gathered.evidence("Run no tests."), Evidence::default());
    }
}
