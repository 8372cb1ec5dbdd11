//! The bullets of which nobody has said anything for long.

use schemars::JsonSchema;
use serde::Serialize;

use super::decay::scoring;
use super::error::Result;
use super::memory::Memory;
use super::playbook::{Row, constants, merged};
use crate::domain::bullet::{Bullet, Maturity, State};
use crate::domain::instant::Instant;
use crate::domain::score::bullet::silent_days;

/// Which bullets.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Without feedback for so many days; `scoring.stale_days` where nothing is said.
    pub days: Option<f64>,
    /// At most so many.
    pub limit: usize,
}

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

/// Bullets, the longest silent first.
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
}

/// The bullets of all open vaults without feedback for long. Retired and deprecated ones are left out: nobody follows
/// them any more.
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
    Ok(Stale { at: now, days, bullets, total })
}
