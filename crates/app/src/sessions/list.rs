//! Lists sessions, most recently ended first.

use schemars::JsonSchema;
use serde::Serialize;

use super::session_row::add_outcomes;
use super::{SessionAccess, SessionRow, SessionSelection, agents};
use crate::context::open::Context;
use crate::context::paths::resolve_path;
use crate::error::{Error, Result};
use cm_index::sessions::SessionIndexFilter;
use cm_note::instant::Instant;
use cm_store::config::keys;

/// Filter and page of a list of sessions.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Filter for sessions; if it sets no number of days, `sessions.lookback_days` applies.
    pub which: SessionSelection,
    /// Maximum number of sessions.
    pub limit: usize,
    /// Number of sessions to skip: the `next` of an earlier answer.
    pub offset: usize,
}

/// A page of the session list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionList {
    /// Sessions, most recently ended first.
    pub sessions: Vec<SessionRow>,
    /// Number of matching sessions on all pages.
    pub total: usize,
    /// Number of matching sessions of any age; only set if no session is recent enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older: Option<usize>,
    /// Maximum age of the listed sessions in days; null for any age.
    pub days: Option<f64>,
    /// Offset of the next page; null on the last one.
    pub next: Option<usize>,
}

/// Lists the sessions that match the filter.
///
/// # Errors
/// Returns an error if the agent or the number of days is invalid, or if the session index cannot
/// be read.
pub fn list(context: &Context, access: &SessionAccess, options: &Options) -> Result<SessionList> {
    let days = lookback(context, &options.which)?;
    let filter = filter(context, &options.which, days)?;
    let listing =
        access.query(|sessions| sessions.list(&filter, options.offset, options.limit))?.unwrap_or_default();
    let rows = listing.list.iter().map(|listed| access.row(listed, context.now()));
    let mut sessions = rows.collect::<Result<Vec<SessionRow>>>()?;
    add_outcomes(context, &mut sessions)?;
    let older = match (listing.total, days) {
        (0, Some(_)) => {
            let filter = SessionIndexFilter { since: None, ..filter };
            access.query(|sessions| sessions.list(&filter, 0, 0))?.map(|all| all.total).filter(|all| *all > 0)
        }
        _ => None,
    };
    let end = options.offset + sessions.len();
    let next = (end < listing.total && !sessions.is_empty()).then_some(end);
    Ok(SessionList { sessions, total: listing.total, older, days, next })
}

/// Returns the maximum age of sessions in days; `None` for any age.
pub(crate) fn lookback(context: &Context, which: &SessionSelection) -> Result<Option<f64>> {
    let days = which.days.unwrap_or_else(|| context.target().settings.number(keys::SESSIONS_LOOKBACK_DAYS));
    if !days.is_finite() || days < 0.0 {
        return Err(Error::usage("`--days` expects a number of days, 0 for all"));
    }
    Ok((days > 0.0).then_some(days))
}

/// Converts the user's selection into a filter for the session index.
pub(crate) fn filter(
    context: &Context,
    which: &SessionSelection,
    days: Option<f64>,
) -> Result<SessionIndexFilter> {
    let since: Option<Instant> = days.map(|days| context.now().minus_days(days));
    let workspace = which.workspace.as_deref();
    Ok(SessionIndexFilter {
        agents: which.agents.as_deref().map(agents).transpose()?.unwrap_or_default(),
        workspace: workspace.map(|typed| resolve_path(context, &context.request.cwd, typed)),
        since,
        ..SessionIndexFilter::default()
    })
}
