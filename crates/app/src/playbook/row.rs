//! A bullet as a row of a list: what it says, how it stands, where it lies.

use schemars::JsonSchema;
use serde::Serialize;

use super::super::memory::Level;
use super::Shelved;
use cm_note::bullet::{BulletType, Maturity, State};
use cm_note::instant::Instant;
use cm_note::note::Signal;
use cm_note::score::Scoring;
use cm_note::score::bullet::{Effective, effective};

/// A bullet in a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// What it answers to.
    pub id: String,
    /// The rule.
    pub content: String,
    /// Its category.
    pub category: String,
    /// Whether it says what to do or what to avoid.
    #[serde(rename = "type")]
    pub bullet_type: BulletType,
    /// Whether it is in use.
    pub state: State,
    /// How far it has proved itself.
    pub maturity: Maturity,
    /// Its effective score.
    pub score: Effective,
    /// How many events call it helpful, faded or not.
    pub helpful: usize,
    /// How many call it harmful.
    pub harmful: usize,
    /// Whether automation leaves it alone.
    pub pinned: bool,
    /// Its file.
    pub path: String,
    /// Which vault it is from.
    pub vault: Level,
}

impl Row {
    /// A bullet at an instant.
    pub fn of(shelved: &Shelved, now: Instant, scoring: &Scoring) -> Self {
        let bullet = &shelved.bullet;
        let events = |signal| bullet.feedback.iter().filter(|event| event.signal == signal).count();
        Self {
            id: bullet.id.to_string(),
            content: bullet.content().to_owned(),
            category: bullet.category.clone(),
            bullet_type: bullet.bullet_type,
            state: bullet.state,
            maturity: bullet.maturity,
            score: effective(bullet, now, scoring),
            helpful: events(Signal::Helpful),
            harmful: events(Signal::Harmful),
            pinned: bullet.pinned,
            path: bullet.path.to_string(),
            vault: shelved.level,
        }
    }
}
