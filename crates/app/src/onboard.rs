//! Filling a young playbook from past sessions: what it lacks, which sessions to read for it, and which are done.
//!
//! What counts and which session fits is for `curate::onboard` to say. Nothing is learned here: whoever reads a session
//! answers through `cm curate`.

pub mod done;
pub mod read;
pub mod sample;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::Result;
use super::memory::{Call, Memory};
use super::playbook;
use super::sessions::Shelf;
use cm_index::sessions::Filter;
use cm_learn::onboard::{self, Covered};
use cm_note::bullet::Bullet;

pub use cm_learn::onboard::{Category, Coverage};

/// How far onboarding is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Status {
    /// The ten categories and what the playbook has of each.
    pub categories: Vec<Covered>,
    /// How many rules count toward none of them.
    pub elsewhere: usize,
    /// How many sessions of people may be read.
    pub sessions: usize,
    /// How many of them are done.
    pub done: usize,
    /// How many are left.
    pub left: usize,
}

/// A category that lacks rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gap {
    /// The category.
    pub category: Category,
    /// How badly.
    pub coverage: Coverage,
    /// How many rules there are.
    pub rules: usize,
    /// How many more it takes until it is adequate.
    pub wanted: usize,
    /// What to look for in sessions.
    pub look_for: String,
}

impl From<&Covered> for Gap {
    fn from(covered: &Covered) -> Self {
        Self {
            category: covered.category,
            coverage: covered.coverage,
            rules: covered.rules,
            wanted: covered.wanted(),
            look_for: covered.category.look_for().to_owned(),
        }
    }
}

/// The categories that lack rules, those with none first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gaps {
    /// The categories.
    pub gaps: Vec<Gap>,
}

/// Tells how far it is.
///
/// # Errors
/// Where notes, the index of sessions or the list of those that are done cannot be read.
pub fn status(memory: &Memory, shelf: &Shelf) -> Result<Status> {
    let (categories, elsewhere) = covered(memory)?;
    let filter = Filter { without_subagents: true, ..Filter::default() };
    let listing = shelf.ask(|sessions| sessions.list(&filter, 0, usize::MAX))?.unwrap_or_default();
    let done = done::known(memory)?;
    let is_done = listing.list.iter().filter(|listed| done.contains(&listed.session.key())).count();
    let sessions = listing.total;
    Ok(Status { categories, elsewhere, sessions, done: is_done, left: sessions.saturating_sub(is_done) })
}

/// Tells what the playbook lacks.
///
/// # Errors
/// Where notes cannot be read.
pub fn gaps(memory: &Memory) -> Result<Gaps> {
    let mut gaps: Vec<Gap> = lacking(&covered(memory)?.0).map(Gap::from).collect();
    gaps.sort_by_key(|gap| (gap.rules, gap.category));
    Ok(Gaps { gaps })
}

fn lacking(covered: &[Covered]) -> impl Iterator<Item = &Covered> {
    covered.iter().filter(|covered| covered.coverage.lacks())
}

/// The bullets of all open vaults.
fn bullets(memory: &Memory) -> Result<Vec<Bullet>> {
    Ok(playbook::merged(memory)?.bullets.into_iter().map(|shelved| shelved.bullet).collect())
}

fn covered(memory: &Memory) -> Result<(Vec<Covered>, usize)> {
    Ok(onboard::coverage(&bullets(memory)?))
}

/// The agent that asks, as the environment tells; a person does where there is none.
fn asker(call: &Call) -> Option<&str> {
    call.variables.get("CM_AGENT").map(String::as_str).filter(|name| !name.is_empty())
}
