//! The sessions that are most likely to fill the gaps of the playbook.

use schemars::JsonSchema;
use serde::Serialize;

use super::{asker, covered, done};
use crate::error::Result;
use crate::memory::Memory;
use crate::privacy;
use crate::search::rounded;
use crate::sessions::list::{filter, lookback};
use crate::sessions::{Named, Shelf, Which};
use cm_index::sessions::{Filter, Listed};
use cm_learn::onboard::{Candidate, Category, Covered, fit, order};

/// The most sessions that are looked at, the last ended first.
const MOST: usize = 500;
/// The most stretches of a person's words that are looked at in each.
const PROMPTS: usize = 40;
/// The longest part of a prompt that is looked at, in characters.
const LONGEST: usize = 2_000;

/// Which sessions, and how many.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Of which; those of all times where no days are given.
    pub which: Which,
    /// At most so many.
    pub limit: usize,
}

/// A session that may fill gaps.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Fitting {
    /// The session.
    #[serde(flatten)]
    pub named: Named,
    /// How likely it is to teach what is not known, 0–1.
    pub score: f64,
    /// Categories that lack rules and that the person talked of, the most talked of first.
    pub fills: Vec<Category>,
    /// How many prompts the person gave.
    pub prompts: usize,
    /// How often they corrected or stopped the agent, or said what is to hold always.
    pub corrections: usize,
}

/// The sessions to read.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Sample {
    /// The sessions, the likeliest first.
    pub sessions: Vec<Fitting>,
    /// How many were compared.
    pub compared: usize,
    /// How many there are that are not done.
    pub left: usize,
}

/// Chooses sessions. One that is done is not chosen again, nor one in which a person said nothing.
///
/// # Errors
/// No such agent, and where notes, the index or the list of those that are done cannot be read.
pub fn sample(memory: &Memory, shelf: &Shelf, options: &Options) -> Result<Sample> {
    let days = match options.which.days {
        Some(_) => lookback(memory, &options.which)?,
        None => None,
    };
    let filter = Filter { without_subagents: true, ..filter(memory, &options.which, days)? };
    let (covered, _) = covered(memory)?;
    let mut left = open(memory, shelf, &filter)?;
    let all = left.len();
    if all > MOST {
        memory.notice(format!(
            "of {all} sessions the {MOST} that ended last are compared; --days and --workspace narrow them"
        ));
        left.truncate(MOST);
    }
    let mut fitting = Vec::new();
    for listed in &left {
        fitting.extend(judged(memory, shelf, listed, &covered)?);
    }
    fitting.sort_by(|a, b| {
        let name = |one: &Fitting| (one.named.agent.clone(), one.named.id.clone());
        order((a.score, &a.named.ended, &name(a)), (b.score, &b.named.ended, &name(b)))
    });
    fitting.truncate(options.limit);
    Ok(Sample { sessions: fitting, compared: left.len(), left: all })
}

/// The sessions that are not done, and that the one who asks may be shown.
fn open(memory: &Memory, shelf: &Shelf, filter: &Filter) -> Result<Vec<Listed>> {
    let mut listed = shelf.ask(|sessions| sessions.list(filter, 0, usize::MAX))?.unwrap_or_default().list;
    let done = done::known(memory)?;
    listed.retain(|listed| !done.contains(&listed.session.key()));
    let before = listed.len();
    if let Some(asker) = asker(&memory.call).filter(|_| !privacy::cross_agent(memory)) {
        listed.retain(|listed| listed.session.meta.agent.name() == asker);
        if listed.len() < before {
            let others = match before - listed.len() {
                1 => "1 session of another agent is".to_owned(),
                n => format!("{n} sessions of other agents are"),
            };
            memory.notice(format!("{others} left out (sessions.cross_agent)"));
        }
    }
    Ok(listed)
}

fn judged(memory: &Memory, shelf: &Shelf, listed: &Listed, covered: &[Covered]) -> Result<Option<Fitting>> {
    let of_kind = |kind: &str| listed.counts.events.get(kind).copied().unwrap_or(0);
    let key = listed.session.key();
    let said = shelf.ask(|sessions| sessions.prompts(&key, PROMPTS))?.unwrap_or_default();
    let prompts: Vec<String> =
        said.into_iter().map(|said| said.text.chars().take(LONGEST).collect()).collect();
    if prompts.is_empty() {
        return Ok(None);
    }
    let candidate = Candidate {
        prompts: &prompts,
        count: of_kind("user_prompt").max(1),
        stops: of_kind("interrupt") + of_kind("tool_rejected"),
        age_days: listed.session.meta.ended.map(|ended| ended.days_until(memory.now())),
    };
    let fit = fit(&candidate, covered);
    Ok(Some(Fitting {
        named: shelf.named(&listed.session)?,
        score: rounded(fit.score),
        fills: fit.fills,
        prompts: candidate.count,
        corrections: fit.corrections,
    }))
}
