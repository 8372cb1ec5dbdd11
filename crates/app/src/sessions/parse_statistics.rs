//! Reports which share of agents' log records was recognized, from the session index.

use std::collections::{BTreeMap, HashMap};

use super::refresh_index::SCOPE;
use super::sources::{LogSources, path_of};
use super::{SessionAccess, folder};
use crate::context::open::Context;
use crate::error::Result;
use cm_index::sessions::{SessionIndexFilter, Sessions};

/// How well the logs of one agent could be parsed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParseStatistics {
    /// Agent name; empty for logs that are deleted and contained no known session.
    pub agent: String,
    /// Number of logs of this agent.
    pub logs: usize,
    /// Number of records in these logs.
    pub records: u64,
    /// Number of records, or parts of records, that were not recognized.
    pub not_understood: u64,
    /// Names of unknown record kinds with their counts, most frequent first.
    pub unknown: Vec<(String, u64)>,
}

impl ParseStatistics {
    /// Returns whether more than half of the records were not recognized.
    pub fn is_mostly_unknown(&self) -> bool {
        self.not_understood.saturating_mul(2) > self.records.max(1)
    }
}

/// Returns the parse statistics per agent; `None` if no log has been indexed yet.
///
/// # Errors
/// Returns an error if the index cannot be read.
pub fn understood(context: &Context) -> Result<Option<Vec<ParseStatistics>>> {
    let sessions = Sessions::open(&folder(context));
    let logs = match sessions.logs() {
        Err(cm_index::Error::Unusable(cm_index::RebuildReason::Missing)) => return Ok(None),
        logs => logs?,
    };
    let agents = agents_of_logs(context, &SessionAccess::open_without_refresh(context))?;
    let mut by_agent: BTreeMap<String, (ParseStatistics, BTreeMap<String, u64>)> = BTreeMap::new();
    for log in logs.into_iter().filter(|log| log.path != SCOPE) {
        let agent = agents.get(&log.path).cloned().unwrap_or_default();
        let (sum, unknown) = by_agent.entry(agent.clone()).or_default();
        sum.agent = agent;
        sum.logs += 1;
        sum.records += log.understood.records;
        sum.not_understood += log.understood.not_understood;
        for (name, count) in log.understood.unknown {
            *unknown.entry(name).or_default() += count;
        }
    }
    let with_names = |(mut sum, unknown): (ParseStatistics, BTreeMap<String, u64>)| {
        sum.unknown = unknown.into_iter().collect();
        sum.unknown.sort_by(|(a, n), (b, m)| m.cmp(n).then_with(|| a.cmp(b)));
        sum
    };
    Ok(Some(by_agent.into_values().map(with_names).collect()))
}

/// Maps each log path to its agent, by the indexed sessions or else by the location of the log.
fn agents_of_logs(context: &Context, access: &SessionAccess) -> Result<HashMap<String, String>> {
    let mut agents = HashMap::new();
    if let Some(home) = context.request.home.clone() {
        let found = LogSources::of(context, context.target(), home).find(&[]);
        agents.extend(found.sources.iter().map(|source| (path_of(source), source.agent.name().to_owned())));
    }
    let listing = access
        .query(|sessions| sessions.list(&SessionIndexFilter::default(), 0, usize::MAX))?
        .unwrap_or_default();
    for listed in listing.list {
        let agent = listed.session.meta.agent.name().to_owned();
        agents.extend(listed.session.log.map(|log| (log, agent)));
    }
    Ok(agents)
}
