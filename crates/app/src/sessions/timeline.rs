//! Counts sessions, agents and folders by day.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::list::{filter, lookback};
use super::{SessionAccess, SessionSelection};
use crate::context::open::Context;
use crate::error::Result;
use cm_index::sessions::SessionSummary;
use cm_session::event::EventName;

/// Maximum number of sessions that are counted.
const MAX_SESSIONS: usize = 100_000;

/// Number of sessions that ended on one day, by agent and folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimelineDay {
    /// Date in UTC; null for sessions without times.
    pub day: Option<String>,
    /// Number of sessions that ended on this day.
    pub sessions: usize,
    /// Number of prompts in these sessions.
    pub prompts: usize,
    /// Number of sessions by agent.
    pub agents: BTreeMap<String, usize>,
    /// Number of sessions by working directory.
    pub workspaces: BTreeMap<String, usize>,
}

/// Number of sessions per day.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Timeline {
    /// Days on which sessions ended, most recent first.
    pub days: Vec<TimelineDay>,
    /// Number of sessions, with or without a day.
    pub total: usize,
    /// Maximum age of the counted sessions in days; null for any age.
    pub lookback_days: Option<f64>,
}

/// Counts the sessions that match the selection, by day. Without a number of days,
/// `sessions.lookback_days` applies.
///
/// # Errors
/// Returns an error if the agent or the number of days is invalid, or if the index cannot be read.
pub fn timeline(context: &Context, access: &SessionAccess, which: &SessionSelection) -> Result<Timeline> {
    let lookback_days = lookback(context, which)?;
    let filter = filter(context, which, lookback_days)?;
    let listing = access.query(|sessions| sessions.list(&filter, 0, MAX_SESSIONS))?.unwrap_or_default();
    let mut days: BTreeMap<Option<String>, TimelineDay> = BTreeMap::new();
    for listed in &listing.list {
        let name = listed.session.meta.ended.map(|at| at.day());
        let day =
            days.entry(name.clone()).or_insert_with(|| TimelineDay { day: name, ..TimelineDay::default() });
        count(day, listed);
    }
    Ok(Timeline { days: days.into_values().rev().collect(), total: listing.total, lookback_days })
}

fn count(day: &mut TimelineDay, listed: &SessionSummary) {
    let meta = &listed.session.meta;
    day.sessions += 1;
    day.prompts += listed.counts.of(EventName::UserPrompt);
    *day.agents.entry(meta.agent.name().to_owned()).or_default() += 1;
    if let Some(workspace) = &meta.workspace {
        *day.workspaces.entry(workspace.clone()).or_default() += 1;
    }
}
