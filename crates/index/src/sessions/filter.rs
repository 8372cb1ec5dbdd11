//! Filters for sessions.

use std::collections::HashSet;

use super::opened::SessionIndex;
use super::opened::fact_range;
use super::record::SessionKey;
use super::schema::workspace_fact;
use crate::text::fact;
use cm_note::instant::Instant;
use cm_note::query::LabelField;
use cm_session::Agent;

/// Conditions on sessions; the default accepts all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionIndexFilter {
    /// Accepted agents; empty accepts all.
    pub agents: Vec<Agent>,
    /// Accept only sessions that ran in this folder or below it. Compared as text with the path in
    /// the log, so the path must be written as agents write it: absolute, symbolic links unresolved.
    pub workspace: Option<String>,
    /// Accept only stretches from this time on. Stretches without a time take the time of their
    /// session.
    pub since: Option<Instant>,
    /// Accept only stretches before this time.
    pub until: Option<Instant>,
    /// Accept only this session.
    pub session: Option<SessionKey>,
    /// Exclude sessions that an agent started for a subagent.
    pub without_subagents: bool,
}

impl SessionIndexFilter {
    /// Returns the numbers of the accepted sessions, or `None` if all are accepted.
    pub(super) fn passing(&self, opened: &SessionIndex) -> tantivy::Result<Option<HashSet<u64>>> {
        if *self == Self::default() {
            return Ok(None);
        }
        let book = opened.book()?;
        let mut passing: HashSet<u64> = match (&self.session, &self.workspace) {
            (Some(session), _) => HashSet::from([session.number()]),
            (None, Some(folder)) => numbers(opened, &below(opened, folder)?)?,
            (None, None) => book.sessions.keys().copied().collect(),
        };
        if let (Some(_), Some(folder)) = (&self.session, &self.workspace) {
            let below = numbers(opened, &below(opened, folder)?)?;
            passing.retain(|number| below.contains(number));
        }
        if !self.agents.is_empty() {
            let facts = self
                .agents
                .iter()
                .map(|agent| fact(LabelField::Agent, &LabelField::Agent.folded(agent.name())));
            let of_agents = numbers(opened, &facts.collect::<Vec<_>>())?;
            passing.retain(|number| of_agents.contains(number));
        }
        let (since, until) = (self.since.map(Instant::unix), self.until.map(Instant::unix));
        passing.retain(|number| {
            book.sessions.get(number).is_some_and(|line| {
                (!self.without_subagents || !line.subagent)
                    && since.is_none_or(|since| line.ended.is_some_and(|ended| ended >= since))
                    && until.is_none_or(|until| line.started.or(line.ended).is_some_and(|at| at < until))
            })
        });
        Ok(Some(passing))
    }
}

/// Returns the index terms of this folder and of all folders below it in which sessions ran.
fn below(opened: &SessionIndex, folder: &str) -> tantivy::Result<Vec<String>> {
    let exact = workspace_fact(folder);
    let facts = fact_range(opened, &exact)?.into_iter();
    let inside = |fact: &String| {
        let rest = &fact[exact.len()..];
        rest.is_empty() || rest.starts_with(['/', '\\']) || exact.ends_with(['/', '\\'])
    };
    Ok(facts.filter(inside).collect())
}

/// Returns the numbers of the sessions whose documents have one of these index terms.
fn numbers(opened: &SessionIndex, facts: &[String]) -> tantivy::Result<HashSet<u64>> {
    let mut addresses = HashSet::new();
    for fact in facts {
        addresses.extend(opened.having(&opened.fields.fact(fact))?);
    }
    let book = opened.book()?;
    let of_facts = book.sessions.iter().filter(|(_, line)| addresses.contains(&line.address));
    Ok(of_facts.map(|(number, _)| *number).collect())
}
