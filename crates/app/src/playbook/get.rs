//! One bullet, whole: its rule, its reasons, its feedback, and what its score is made of. It changes nothing.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Row, Shelved, constants, find_bullet, list, merged};
use crate::error::Result;
use crate::memory::Memory;
use cm_note::bullet::{BulletKind, DerivedFrom, Scope, Source, Verify};
use cm_note::finding::Finding;
use cm_note::instant::Instant;
use cm_note::note::Feedback;
use cm_note::score::bullet;

/// What a score is made of: (helpful − weight of harm × harmful) × multiplier.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Parts {
    /// What still counts of helpful feedback.
    pub helpful: f64,
    /// What still counts of harmful feedback.
    pub harmful: f64,
    /// By how much harm outweighs help.
    pub harm_weight: f64,
    /// Harm ÷ all that still counts, 0–1.
    pub ratio: f64,
    /// What the maturity multiplies with.
    pub multiplier: f64,
    /// Helpful events of the last days.
    pub recent_helpful: usize,
    /// After how many days an event counts half.
    pub half_life_days: f64,
}

/// A bullet with all that is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Got {
    /// What a list shows of it.
    #[serde(flatten)]
    pub row: Row,
    /// What it is about.
    pub kind: BulletKind,
    /// How far it reaches.
    pub scope: Scope,
    /// Which language, framework or task.
    pub scope_key: Option<String>,
    /// The project that it holds for.
    pub workspace: Option<String>,
    /// The reasons.
    pub why: Option<String>,
    /// Without `#`.
    pub tags: Vec<String>,
    /// What its score is made of.
    pub parts: Parts,
    /// Its feedback, in all vaults.
    pub feedback: Vec<Feedback>,
    /// The sessions that it comes from.
    pub sources: Vec<Source>,
    /// What it was made from.
    pub derived_from: DerivedFrom,
    /// A query that finds the details.
    pub search_pointer: Option<String>,
    /// How to see whether it is kept.
    pub verify: Option<Verify>,
    /// The bullet whose place it took.
    pub supersedes: Option<String>,
    /// The bullet that took its place.
    pub replaced_by: Option<String>,
    /// Why it was taken back.
    pub deprecation_reason: Option<String>,
    /// Why it is pinned.
    pub pinned_reason: Option<String>,
    /// When it was first written.
    pub created: Option<Instant>,
    /// When it was last changed.
    pub updated: Option<Instant>,
    /// When it last rose.
    pub promoted_at: Option<Instant>,
    /// When it was last checked against history.
    pub last_validated_at: Option<Instant>,
    /// When somebody last confirmed that it still holds.
    pub last_checked: Option<Instant>,
    /// What is wrong with its note.
    pub findings: Vec<Finding>,
}

/// Reads one bullet.
///
/// # Errors
/// Not found, ambiguous, or a note that is no bullet.
pub fn get(memory: &Memory, reference: &str) -> Result<Got> {
    let (found, bullet) = find_bullet(memory, reference)?;
    let (level, findings) = (found.open.level, found.note.findings.clone());
    // The merged one has the feedback of both vaults.
    let known = merged(memory)?.bullets.into_iter();
    let mut same = known.filter(|shelved| shelved.level == level && shelved.bullet.path == bullet.path);
    let shelved = same.next().unwrap_or(Shelved { level, bullet });
    let (row, parts) = (list::row(memory, &shelved), parts(memory, &shelved));
    let Shelved { bullet, .. } = shelved;
    let fields = bullet.fields;
    Ok(Got {
        row,
        kind: fields.kind,
        scope: bullet.scope,
        scope_key: fields.scope_key,
        workspace: bullet.workspace,
        why: fields.why,
        tags: bullet.tags,
        parts,
        feedback: bullet.feedback,
        sources: fields.sources,
        derived_from: fields.derived_from,
        search_pointer: fields.search_pointer,
        verify: fields.verify,
        supersedes: fields.supersedes,
        replaced_by: fields.replaced_by,
        deprecation_reason: fields.deprecation_reason,
        pinned_reason: fields.pinned_reason,
        created: bullet.created,
        updated: bullet.updated,
        promoted_at: fields.promoted_at,
        last_validated_at: fields.last_validated_at,
        last_checked: bullet.last_checked,
        findings,
    })
}

fn parts(memory: &Memory, shelved: &Shelved) -> Parts {
    let parts = bullet::Parts::of(&shelved.bullet, memory.now(), &constants(memory, shelved.level));
    Parts {
        helpful: parts.helpful,
        harmful: parts.harmful,
        harm_weight: parts.harm_weight,
        ratio: parts.harmful_ratio,
        multiplier: parts.multiplier,
        recent_helpful: parts.recent_helpful,
        half_life_days: parts.half_life_days,
    }
}
