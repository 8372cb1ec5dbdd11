//! Reads a complete bullet: rule, reasons, feedback and the parts of its score. Read-only.

use schemars::JsonSchema;
use serde::Serialize;

use super::{BulletRow, VaultBullet, constants, find_bullet, list, merged};
use crate::context::open::Context;
use crate::error::Result;
use cm_note::bullet::{BulletKind, DerivedFrom, Scope, SessionSource, Verify};
use cm_note::finding::Finding;
use cm_note::instant::Instant;
use cm_note::note::Feedback;
use cm_note::score::bullet;

/// Parts of a score: `(helpful − harm_weight × harmful) × multiplier`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct ScoreParts {
    /// Decayed sum of helpful feedback.
    pub helpful: f64,
    /// Decayed sum of harmful feedback.
    pub harmful: f64,
    /// Weight of harmful relative to helpful feedback.
    pub harm_weight: f64,
    /// Harmful share of the decayed feedback, 0–1.
    pub ratio: f64,
    /// Multiplier for the bullet's maturity.
    pub multiplier: f64,
    /// Number of helpful events in the period that counts for promotion.
    pub recent_helpful: usize,
    /// Time in days after which an event counts half.
    pub half_life_days: f64,
}

/// All data of a bullet.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BulletDetails {
    /// The bullet as shown in lists.
    #[serde(flatten)]
    pub row: BulletRow,
    pub kind: BulletKind,
    pub scope: Scope,
    /// The language, framework or task of the scope.
    pub scope_key: Option<String>,
    /// The project of a workspace-scoped bullet.
    pub workspace: Option<String>,
    /// Reasons for the rule.
    pub why: Option<String>,
    /// Tags without `#`.
    pub tags: Vec<String>,
    pub parts: ScoreParts,
    /// Feedback from all open vaults.
    pub feedback: Vec<Feedback>,
    /// Sessions that the bullet comes from.
    pub sources: Vec<SessionSource>,
    /// Diaries and notes that the bullet was derived from.
    pub derived_from: DerivedFrom,
    /// Query for `cm search` that finds details; null if the bullet has none.
    pub search_pointer: Option<String>,
    /// How to check compliance with the rule.
    pub verify: Option<Verify>,
    /// ID of the bullet that this one replaced.
    pub supersedes: Option<String>,
    /// ID of the bullet that replaced this one.
    pub replaced_by: Option<String>,
    /// Why the bullet was deprecated.
    pub deprecation_reason: Option<String>,
    /// Why the bullet is pinned.
    pub pinned_reason: Option<String>,
    /// Time of creation.
    pub created: Option<Instant>,
    /// Time of the last change.
    pub updated: Option<Instant>,
    /// Time of the last promotion.
    pub promoted_at: Option<Instant>,
    /// Time of the last validation against past sessions.
    pub last_validated_at: Option<Instant>,
    /// Time of the last confirmation.
    pub last_checked: Option<Instant>,
    /// Problems that the validation of the bullet's note found.
    pub findings: Vec<Finding>,
}

/// Reads one bullet.
///
/// # Errors
/// Returns an error if no note, or more than one, matches the reference, or if it is not a bullet.
pub fn get(context: &Context, reference: &str) -> Result<BulletDetails> {
    let (found, bullet) = find_bullet(context, reference)?;
    let (level, findings) = (found.open.level, found.note.findings.clone());
    // The merged one has the feedback of both vaults.
    let bullets = merged(context)?.bullets.into_iter();
    let mut same =
        bullets.filter(|vault_bullet| vault_bullet.level == level && vault_bullet.bullet.path == bullet.path);
    let vault_bullet = same.next().unwrap_or(VaultBullet { level, bullet });
    let (row, parts) = (list::row(context, &vault_bullet), parts(context, &vault_bullet));
    let VaultBullet { bullet, .. } = vault_bullet;
    let fields = bullet.fields;
    Ok(BulletDetails {
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

fn parts(context: &Context, vault_bullet: &VaultBullet) -> ScoreParts {
    let parts = bullet::ScoreBreakdown::of(
        &vault_bullet.bullet,
        context.now(),
        &constants(context, vault_bullet.level),
    );
    ScoreParts {
        helpful: parts.helpful,
        harmful: parts.harmful,
        harm_weight: parts.harm_weight,
        ratio: parts.harmful_ratio,
        multiplier: parts.multiplier,
        recent_helpful: parts.recent_helpful,
        half_life_days: parts.half_life_days,
    }
}
