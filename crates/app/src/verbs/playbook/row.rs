//! A bullet as a row of a list.

use schemars::JsonSchema;
use serde::Serialize;

use super::VaultBullet;
use crate::context::open_vault::VaultLevel;
use cm_note::bullet::{BulletState, BulletType, Maturity};
use cm_note::instant::Instant;
use cm_note::note::{Feedback, FeedbackSignal};
use cm_note::score::Scoring;
use cm_note::score::bullet::{EffectiveScore, effective};

/// A bullet in a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BulletRow {
    pub id: String,
    /// Text of the rule.
    pub content: String,
    /// Category of the rule.
    pub category: String,
    /// `rule` or `anti_pattern`.
    #[serde(rename = "type")]
    pub bullet_type: BulletType,
    pub state: BulletState,
    /// Maturity, derived from feedback.
    pub maturity: Maturity,
    pub score: EffectiveScore,
    /// Number of helpful feedback events with a weight, without decay.
    pub helpful: usize,
    /// Number of harmful feedback events with a weight, without decay.
    pub harmful: usize,
    /// Whether the bullet is pinned, so that automation does not change it.
    pub pinned: bool,
    /// Path of the bullet's file, relative to the vault root.
    pub path: String,
    /// Vault that contains the bullet: `project` or `global`.
    pub vault: VaultLevel,
}

impl BulletRow {
    /// Converts a bullet to a list entry, scored for the time `now`.
    pub fn of(vault_bullet: &VaultBullet, now: Instant, scoring: &Scoring) -> Self {
        let bullet = &vault_bullet.bullet;
        Self {
            id: bullet.id.to_string(),
            content: bullet.content().to_owned(),
            category: bullet.category.clone(),
            bullet_type: bullet.bullet_type,
            state: bullet.state,
            maturity: bullet.maturity,
            score: effective(bullet, now, scoring),
            helpful: Feedback::count(&bullet.feedback, FeedbackSignal::Helpful),
            harmful: Feedback::count(&bullet.feedback, FeedbackSignal::Harmful),
            pinned: bullet.pinned,
            path: bullet.path.to_string(),
            vault: vault_bullet.level,
        }
    }
}
