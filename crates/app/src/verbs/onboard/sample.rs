//! Selects the sessions that are most likely to fill the gaps of the playbook.

use schemars::JsonSchema;
use serde::Serialize;

use super::{asker, covered, done};
use crate::context::open::Context;
use crate::context::retrieve::rounded;
use crate::error::Result;
use crate::sessions::list::{filter, lookback};
use crate::sessions::{SessionAccess, SessionInfo, SessionSelection};
use crate::verbs::privacy;
use cm_index::sessions::{SessionIndexFilter, SessionSummary};
use cm_learn::onboard::{Category, CategoryCoverage, SessionCandidate, fit, order};
use cm_session::event::EventName;

/// Maximum number of sessions that are rated, latest first.
const MAX_RATED_SESSIONS: usize = 500;
/// Maximum number of prompts examined per session.
const MAX_PROMPTS: usize = 40;
/// Maximum length of a prompt that is examined, in characters.
const MAX_PROMPT_CHARS: usize = 2_000;

/// Filter and limit for selecting sessions to read.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Session filter; without a number of days, all sessions.
    pub which: SessionSelection,
    /// Maximum number of sessions.
    pub limit: usize,
}

/// A session that may contain rules for categories that lack them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SampledSession {
    #[serde(flatten)]
    pub info: SessionInfo,
    /// Estimated chance of finding missing rules in the session, 0–1.
    pub score: f64,
    /// Categories with too few rules that the person mentioned, most frequent first.
    pub fills: Vec<Category>,
    /// Number of prompts of the person.
    pub prompts: usize,
    /// Number of prompts that correct, interrupt or generally instruct the agent.
    pub corrections: usize,
}

/// The sessions in which missing rules are most likely found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Sample {
    /// The sessions, most promising first.
    pub sessions: Vec<SampledSession>,
    /// Number of sessions that were rated.
    pub compared: usize,
    /// Number of sessions that are not marked as done.
    pub left: usize,
}

/// Selects the sessions that most likely contain missing rules. Processed sessions and sessions
/// without a prompt of a person are excluded.
///
/// # Errors
/// An unknown agent, or unreadable notes, session index or list of processed sessions.
pub fn sample(context: &Context, access: &SessionAccess, options: &Options) -> Result<Sample> {
    let days = match options.which.days {
        Some(_) => lookback(context, &options.which)?,
        None => None,
    };
    let filter = SessionIndexFilter { without_subagents: true, ..filter(context, &options.which, days)? };
    let (covered, _) = covered(context)?;
    let mut left = open(context, access, &filter)?;
    let all = left.len();
    if all > MAX_RATED_SESSIONS {
        context.notice(format!(
            "only the {MAX_RATED_SESSIONS} most recent of {all} sessions are compared; use `--days` and `--workspace` to select others"
        ));
        left.truncate(MAX_RATED_SESSIONS);
    }
    let mut fitting = Vec::new();
    for listed in &left {
        fitting.extend(judged(context, access, listed, &covered)?);
    }
    fitting.sort_by(|a, b| {
        let name = |one: &SampledSession| (one.info.agent.clone(), one.info.id.clone());
        order((a.score, &a.info.ended, &name(a)), (b.score, &b.info.ended, &name(b)))
    });
    fitting.truncate(options.limit);
    Ok(Sample { sessions: fitting, compared: left.len(), left: all })
}

/// Returns the matching sessions that are not processed and that the caller may read.
fn open(
    context: &Context,
    access: &SessionAccess,
    filter: &SessionIndexFilter,
) -> Result<Vec<SessionSummary>> {
    let mut listed = access.query(|sessions| sessions.list(filter, 0, usize::MAX))?.unwrap_or_default().list;
    let done = done::processed_keys(context)?;
    listed.retain(|listed| !done.contains(&listed.session.key()));
    let before = listed.len();
    if let Some(asker) = asker(&context.request).filter(|_| !privacy::cross_agent(context)) {
        listed.retain(|listed| listed.session.meta.agent.name() == asker);
        if listed.len() < before {
            let others = match before - listed.len() {
                1 => "1 session of another agent is".to_owned(),
                n => format!("{n} sessions of other agents are"),
            };
            context.notice(format!("{others} skipped (sessions.cross_agent)"));
        }
    }
    Ok(listed)
}

fn judged(
    context: &Context,
    access: &SessionAccess,
    listed: &SessionSummary,
    covered: &[CategoryCoverage],
) -> Result<Option<SampledSession>> {
    let key = listed.session.key();
    let stretches = access.query(|sessions| sessions.prompts(&key, MAX_PROMPTS))?.unwrap_or_default();
    let prompts: Vec<String> =
        stretches.into_iter().map(|stretch| stretch.text.chars().take(MAX_PROMPT_CHARS).collect()).collect();
    if prompts.is_empty() {
        return Ok(None);
    }
    let candidate = SessionCandidate {
        prompts: &prompts,
        count: listed.counts.of(EventName::UserPrompt).max(1),
        stops: listed.counts.of(EventName::Interrupt) + listed.counts.of(EventName::ToolRejected),
        age_days: listed.session.meta.ended.map(|ended| ended.days_until(context.now())),
    };
    let fit = fit(&candidate, covered);
    Ok(Some(SampledSession {
        info: access.info_of(&listed.session)?,
        score: rounded(fit.score),
        fills: fit.fills,
        prompts: candidate.count,
        corrections: fit.corrections,
    }))
}
