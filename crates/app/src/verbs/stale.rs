//! Lists bullets without recent feedback, and observations that no longer hold.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::context::scoring::scoring;
use crate::error::Result;
use crate::verbs::playbook::{BulletRow, constants, merged};
use cm_note::bullet::BulletState;
use cm_note::instant::Instant;
use cm_note::note::{Note, Staleness};
use cm_note::query::{BooleanGroup, LabelField, Query, QueryNode};
use cm_note::score::bullet::silent_days;

/// Minimum age and limit of a list of stale notes.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Minimum number of days without feedback; by default `scoring.stale_days`.
    pub days: Option<f64>,
    /// Maximum number of bullets, and of observations.
    pub limit: usize,
}

/// Maximum number of observations checked per vault, newest first.
const MAX_OBSERVATIONS: usize = 10_000;

/// A bullet without recent feedback.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StaleBullet {
    /// Id, text, state and score of the bullet.
    #[serde(flatten)]
    pub row: BulletRow,
    /// Whole days since the last feedback, or since the bullet's creation if it has none.
    pub days: u64,
    /// Time of the last feedback.
    pub last_feedback: Option<Instant>,
}

/// An observation that was condensed into another note or marked irrelevant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StaleObservation {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Title from the frontmatter, else derived from the content or the file name.
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Vault that contains the note: `project` or `global`.
    pub vault: VaultLevel,
    pub why: Staleness,
}

/// Bullets without recent feedback, and stale observations.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StaleResult {
    /// Time for which ages were computed.
    pub at: Instant,
    /// Minimum number of days without feedback that was applied.
    pub days: f64,
    /// Bullets without recent feedback that are neither retired nor deprecated, longest without it
    /// first.
    pub bullets: Vec<StaleBullet>,
    /// Number of such bullets, including those beyond the limit.
    pub total: usize,
    /// Stale observations, ordered by vault and path, up to the limit.
    pub observations: Vec<StaleObservation>,
}

/// Lists the bullets of all open vaults without recent feedback. Retired and deprecated bullets are
/// not listed. Stale observations are listed whatever their age.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn stale(context: &Context, options: &Options) -> Result<StaleResult> {
    let now = context.now();
    let days = options.days.unwrap_or_else(|| scoring(&context.target().settings).stale_days);
    let mut silent: Vec<(f64, StaleBullet)> = merged(context)?
        .bullets
        .iter()
        .filter(|vault_bullet| vault_bullet.bullet.is_standing())
        .map(|vault_bullet| (silent_days(&vault_bullet.bullet, now), vault_bullet))
        .filter(|(silent, _)| *silent >= days)
        .map(|(silent, vault_bullet)| {
            let row = BulletRow::of(vault_bullet, now, &constants(context, vault_bullet.level));
            let last_feedback = vault_bullet.bullet.feedback.iter().map(|event| event.at).max();
            (silent, StaleBullet { row, days: silent as u64, last_feedback })
        })
        .collect();
    silent.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.row.id.cmp(&other.row.id)));
    let total = silent.len();
    let bullets = silent.into_iter().take(options.limit).map(|(_, silent)| silent).collect();
    Ok(StaleResult { at: now, days, bullets, total, observations: observations(context, options.limit)? })
}

fn observations(context: &Context, limit: usize) -> Result<Vec<StaleObservation>> {
    let mut found = Vec::new();
    let label =
        |label: LabelField, value: &str| QueryNode::Label { label, value: value.to_owned(), prefix: false };
    let group = BooleanGroup {
        filter: vec![label(LabelField::Type, Note::OBSERVATION)],
        not: vec![label(LabelField::State, BulletState::Retired.name())],
        ..BooleanGroup::default()
    };
    let query = Query { root: QueryNode::Group(group), notices: Vec::new() };
    for open in &context.vaults {
        context.ensure_fresh(open)?;
        let hits = context.query_index(open, |index| index.search(&query, 0, MAX_OBSERVATIONS))?.hits;
        let shown = hits.into_iter().filter(|hit| !context.is_hidden(open, &hit.note));
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
    found.sort_by(|a, b| {
        (a.vault != VaultLevel::Project, &a.path).cmp(&(b.vault != VaultLevel::Project, &b.path))
    });
    found.truncate(limit);
    Ok(found)
}
