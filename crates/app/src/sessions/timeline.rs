//! What happened on which day: sessions, agents and folders.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::list::{filter, lookback};
use super::{Shelf, Which};
use crate::error::Result;
use crate::memory::Memory;
use cm_index::sessions::Listed;

/// The most sessions that are looked at.
const MOST: usize = 100_000;

/// A day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Day {
    /// The day, in UTC; null of sessions that tell no time.
    pub day: Option<String>,
    /// Sessions that ended then.
    pub sessions: usize,
    /// What the persons asked in them.
    pub prompts: usize,
    /// The sessions of each agent.
    pub agents: BTreeMap<String, usize>,
    /// The sessions in each folder.
    pub workspaces: BTreeMap<String, usize>,
}

/// Days, the last first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Timeline {
    /// The days on which sessions ended.
    pub days: Vec<Day>,
    /// How many sessions.
    pub total: usize,
    /// How many days were looked back; null for all.
    pub lookback_days: Option<f64>,
}

/// Tells the days; those of `sessions.lookback_days` where no days are given.
///
/// # Errors
/// No such agent, and those of the index.
pub fn timeline(memory: &Memory, shelf: &Shelf, which: &Which) -> Result<Timeline> {
    let lookback_days = lookback(memory, which)?;
    let filter = filter(memory, which, lookback_days)?;
    let listing = shelf.ask(|sessions| sessions.list(&filter, 0, MOST))?.unwrap_or_default();
    let mut days: BTreeMap<Option<String>, Day> = BTreeMap::new();
    for listed in &listing.list {
        let name = listed.session.meta.ended.map(|at| at.day());
        let day = days.entry(name.clone()).or_insert_with(|| Day { day: name, ..Day::default() });
        count(day, listed);
    }
    Ok(Timeline { days: days.into_values().rev().collect(), total: listing.total, lookback_days })
}

fn count(day: &mut Day, listed: &Listed) {
    let meta = &listed.session.meta;
    day.sessions += 1;
    day.prompts += listed.counts.events.get("user_prompt").copied().unwrap_or(0);
    *day.agents.entry(meta.agent.name().to_owned()).or_default() += 1;
    if let Some(workspace) = &meta.workspace {
        *day.workspaces.entry(workspace.clone()).or_default() += 1;
    }
}
