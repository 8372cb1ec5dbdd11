//! The sessions, the last ended first.

use schemars::JsonSchema;
use serde::Serialize;

use super::allowed::resolved;
use super::row::add_outcomes;
use super::{Row, Shelf, Which, agents};
use crate::error::{Error, Result};
use crate::memory::Memory;
use cm_index::sessions::Filter;
use cm_note::instant::Instant;

/// Which part of the list.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Of which sessions; those of `sessions.lookback_days` where no days are given.
    pub which: Which,
    /// At most so many.
    pub limit: usize,
    /// Sessions to leave out at the front: the `next` of an earlier answer.
    pub offset: usize,
}

/// Sessions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Sessions {
    /// The sessions, the last ended first.
    pub sessions: Vec<Row>,
    /// How many there are of these days, agents and folders.
    pub total: usize,
    /// How many there are of all days, where none of these days is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older: Option<usize>,
    /// How many days were looked back; null for all.
    pub days: Option<f64>,
    /// The offset of the next page, where there is more.
    pub next: Option<usize>,
}

/// Lists sessions.
///
/// # Errors
/// No such agent, and those of [`Shelf::open`].
pub fn list(memory: &Memory, shelf: &Shelf, options: &Options) -> Result<Sessions> {
    let days = lookback(memory, &options.which)?;
    let filter = filter(memory, &options.which, days)?;
    let listing =
        shelf.ask(|sessions| sessions.list(&filter, options.offset, options.limit))?.unwrap_or_default();
    let rows = listing.list.iter().map(|listed| shelf.row(listed, memory.now()));
    let mut sessions = rows.collect::<Result<Vec<Row>>>()?;
    add_outcomes(memory, &mut sessions)?;
    let older = match (listing.total, days) {
        (0, Some(_)) => {
            let filter = Filter { since: None, ..filter };
            shelf.ask(|sessions| sessions.list(&filter, 0, 0))?.map(|all| all.total).filter(|all| *all > 0)
        }
        _ => None,
    };
    let end = options.offset + sessions.len();
    let next = (end < listing.total && !sessions.is_empty()).then_some(end);
    Ok(Sessions { sessions, total: listing.total, older, days, next })
}

/// How many days count; all where there is none.
pub(crate) fn lookback(memory: &Memory, which: &Which) -> Result<Option<f64>> {
    let days = which.days.unwrap_or_else(|| memory.target().settings.number("sessions.lookback_days"));
    if !days.is_finite() || days < 0.0 {
        return Err(Error::usage("--days is a number of days, 0 for all"));
    }
    Ok((days > 0.0).then_some(days))
}

/// The filter of the index.
pub(crate) fn filter(memory: &Memory, which: &Which, days: Option<f64>) -> Result<Filter> {
    let since: Option<Instant> = days.map(|days| memory.now().minus_days(days));
    let workspace = which.workspace.as_deref();
    Ok(Filter {
        agents: which.agents.as_deref().map(agents).transpose()?.unwrap_or_default(),
        workspace: workspace.map(|typed| resolved(memory, &memory.call.cwd, typed)),
        since,
        ..Filter::default()
    })
}
