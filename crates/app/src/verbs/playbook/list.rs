//! Lists the bullets of all open vaults, best first. Read-only.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use super::{BulletRow, VaultBullet, constants, merged};
use crate::context::open::Context;
use crate::error::Result;
use crate::paging::next_offset;
use cm_note::bullet::{Bullet, BulletState, BulletType, Maturity, Scope};

/// Filter for bullets; an empty filter matches all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BulletFilter {
    /// Only this category.
    pub category: Option<String>,
    /// Only these states; all states if empty.
    pub states: Vec<BulletState>,
    /// Only this maturity.
    pub maturity: Option<Maturity>,
    /// Only rules, or only anti-patterns.
    pub bullet_type: Option<BulletType>,
    /// Only this scope.
    pub scope: Option<Scope>,
    /// Only bullets with this tag, ignoring case.
    pub tag: Option<String>,
}

impl BulletFilter {
    /// Whether a bullet matches the filter.
    pub fn takes(&self, bullet: &Bullet) -> bool {
        let tag = |tag: &String| bullet.tags.iter().any(|own| own.to_lowercase() == tag.to_lowercase());
        self.category.as_ref().is_none_or(|category| *category == bullet.category)
            && (self.states.is_empty() || self.states.contains(&bullet.state))
            && self.maturity.is_none_or(|maturity| maturity == bullet.maturity)
            && self.bullet_type.is_none_or(|bullet_type| bullet_type == bullet.bullet_type)
            && self.scope.is_none_or(|scope| scope == bullet.scope)
            && self.tag.as_ref().is_none_or(tag)
    }
}

/// Filter, limit and offset of a list of bullets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Selects bullets.
    pub filter: BulletFilter,
    /// Maximum number of results on a page.
    pub limit: usize,
    /// Number of results to skip: the `next` of an earlier answer.
    pub offset: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BulletPage {
    /// The bullets, best first.
    pub bullets: Vec<BulletRow>,
    /// Number of matching bullets.
    pub total: usize,
    /// Offset of the next page; null on the last one.
    pub next: Option<usize>,
}

/// Lists bullets by score, highest first; equal scores by ID.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn list(context: &Context, options: &Options) -> Result<BulletPage> {
    let merged = merged(context)?;
    let mut rows: Vec<BulletRow> = merged
        .bullets
        .iter()
        .filter(|vault_bullet| options.filter.takes(&vault_bullet.bullet))
        .map(|vault_bullet| row(context, vault_bullet))
        .collect();
    rows.sort_by(|a, b| (Reverse(a.score), &a.id, &a.path).cmp(&(Reverse(b.score), &b.id, &b.path)));
    let total = rows.len();
    let bullets: Vec<BulletRow> = rows.into_iter().skip(options.offset).take(options.limit).collect();
    let next = next_offset(options.offset, bullets.len(), total);
    Ok(BulletPage { bullets, total, next })
}

/// Converts a bullet to a list entry, scored with the constants of its own vault.
pub(super) fn row(context: &Context, vault_bullet: &VaultBullet) -> BulletRow {
    BulletRow::of(vault_bullet, context.now(), &constants(context, vault_bullet.level))
}
