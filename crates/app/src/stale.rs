//! The bullets of which nobody has said anything for long, and the observations that hold no longer.

use schemars::JsonSchema;
use serde::Serialize;

use super::decay::scoring;
use super::error::Result;
use super::memory::{Level, Memory};
use super::playbook::{Row, constants, merged};
use cm_note::bullet::{Bullet, Maturity, State};
use cm_note::instant::Instant;
use cm_note::note::{Note, Staleness};
use cm_note::query::{Group, Label, Node, Query};
use cm_note::score::bullet::silent_days;

/// Which bullets.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Without feedback for so many days; `scoring.stale_days` where nothing is said.
    pub days: Option<f64>,
    /// At most so many.
    pub limit: usize,
}

/// The most observations of a vault that are looked at, the newest first.
const MOST_OBSERVATIONS: usize = 10_000;

/// A bullet, and how long nobody has judged it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Silent {
    /// The bullet.
    #[serde(flatten)]
    pub row: Row,
    /// Whole days since the last feedback; since the bullet was made where there is none.
    pub days: u64,
    /// When the last feedback came.
    pub last_feedback: Option<Instant>,
}

/// An observation that was condensed into another note or marked irrelevant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StaleObservation {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: String,
    /// Which vault it is from.
    pub vault: Level,
    /// Why it is stale.
    pub why: Staleness,
}

/// Bullets, the longest silent first, and stale observations.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Stale {
    /// The instant.
    pub at: Instant,
    /// From how many days of silence a bullet is listed.
    pub days: f64,
    /// The bullets.
    pub bullets: Vec<Silent>,
    /// How many there are.
    pub total: usize,
    /// Observations that were condensed into another note or marked irrelevant, by path, at most `limit`.
    pub observations: Vec<StaleObservation>,
}

/// The bullets of all open vaults without feedback for long. Retired and deprecated ones are left out: nobody follows
/// them any more. Observations are listed where they are stale, whenever that was.
///
/// # Errors
/// Where the notes cannot be read.
pub fn stale(memory: &Memory, options: &Options) -> Result<Stale> {
    let now = memory.now();
    let days = options.days.unwrap_or_else(|| scoring(&memory.target().settings).stale_days);
    let in_use = |bullet: &Bullet| bullet.state != State::Retired && bullet.maturity != Maturity::Deprecated;
    let mut silent: Vec<(f64, Silent)> = merged(memory)?
        .bullets
        .iter()
        .filter(|shelved| in_use(&shelved.bullet))
        .map(|shelved| (silent_days(&shelved.bullet, now), shelved))
        .filter(|(silent, _)| *silent >= days)
        .map(|(silent, shelved)| {
            let row = Row::of(shelved, now, &constants(memory, shelved.level));
            let last_feedback = shelved.bullet.feedback.iter().map(|event| event.at).max();
            (silent, Silent { row, days: silent as u64, last_feedback })
        })
        .collect();
    silent.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.row.id.cmp(&other.row.id)));
    let total = silent.len();
    let bullets = silent.into_iter().take(options.limit).map(|(_, silent)| silent).collect();
    Ok(Stale { at: now, days, bullets, total, observations: observations(memory, options.limit)? })
}

fn observations(memory: &Memory, limit: usize) -> Result<Vec<StaleObservation>> {
    let mut found = Vec::new();
    let label = |label: Label, value: &str| Node::Label { label, value: value.to_owned(), prefix: false };
    let group = Group {
        filter: vec![label(Label::Type, Note::OBSERVATION)],
        not: vec![label(Label::State, State::Retired.name())],
        ..Group::default()
    };
    let query = Query { root: Node::Group(group), notices: Vec::new() };
    for open in &memory.vaults {
        memory.freshen(open)?;
        let hits = memory.ask(open, |index| index.search(&query, 0, MOST_OBSERVATIONS))?.hits;
        let shown = hits.into_iter().filter(|hit| !memory.is_hidden(open, &hit.note));
        found.extend(shown.filter_map(|hit| {
            Some(StaleObservation {
                id: hit.note.key().to_owned(),
                title: hit.note.title.clone(),
                path: hit.note.path.to_string(),
                vault: open.level,
                why: hit.note.staleness()?,
            })
        }));
    }
    found.sort_by(|a, b| (a.vault != Level::Project, &a.path).cmp(&(b.vault != Level::Project, &b.path)));
    found.truncate(limit);
    Ok(found)
}
