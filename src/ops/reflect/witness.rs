//! What sessions say of rules that are proposed: searched for before anything is locked, and then told to the curation.

use std::collections::HashMap;

use super::record::Record;
use crate::curate::outcome::Status;
use crate::curate::playbook::history::{Evidence, History};
use crate::curate::reflect::evidence::{DAYS, Found, Validation, keywords, validate};
use crate::domain::bullet::content::folded;
use crate::index::sessions::{Filter, Speaker, Witness};
use crate::ops::error::Result;
use crate::ops::memory::Memory;
use crate::ops::sessions::Shelf;

/// The evidence of some rules, by what they say.
#[derive(Debug, Default)]
pub struct Gathered(HashMap<String, Evidence>);

impl Gathered {
    /// Keeps what was found for a rule.
    pub fn keep(&mut self, rule: &str, evidence: Evidence) {
        self.0.insert(folded(rule), evidence);
    }
}

impl History for Gathered {
    fn evidence(&self, rule: &str) -> Evidence {
        self.0.get(&folded(rule)).cloned().unwrap_or_default()
    }
}

/// What the sessions of the last months say of a rule. `now_status` is how the session in hand ended, which the record
/// does not hold yet.
///
/// # Errors
/// Those of the index of sessions.
pub fn judged(
    memory: &Memory,
    shelf: &Shelf,
    record: &Record,
    rule: &str,
    (agent, session, now_status): (&str, &str, Status),
) -> Result<Validation> {
    let words = keywords(rule);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let least = words.len().div_ceil(2).max(2.min(words.len()));
    let since = Some(memory.now().minus_days(DAYS));
    let filter = Filter { since, without_subagents: true, ..Filter::default() };
    let found = shelf.ask(|sessions| sessions.evidence(&words, least, &filter))?.unwrap_or_default();
    let found: Vec<Found> = found
        .into_iter()
        .map(|Witness { session: held, best, .. }| {
            let (id, of) = (held.meta.id.as_str(), held.meta.agent.name());
            let status = match (of, id) == (agent, session) {
                true => now_status,
                false => record.status(of, id).unwrap_or_default(),
            };
            let at = best.at.or(held.meta.ended).or(held.meta.started);
            Found {
                session: id.to_owned(),
                agent: Some(of.to_owned()),
                line: Some(best.line),
                status,
                age_days: at.map_or(0.0, |at| at.days_until(memory.now())),
                by_person: best.speaker == Some(Speaker::Person),
                text: best.text,
            }
        })
        .collect();
    Ok(validate(rule, &found))
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
