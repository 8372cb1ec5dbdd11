//! The bullets of all open vaults, the best first, some of them left out on request. It changes nothing.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Row, Shelved, constants, merged};
use crate::error::Result;
use crate::memory::Memory;
use cm_note::bullet::{Bullet, BulletType, Maturity, Scope, State};

/// Which bullets; an empty choice takes all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Of this category.
    pub category: Option<String>,
    /// In one of these states.
    pub states: Vec<State>,
    /// Of this maturity.
    pub maturity: Option<Maturity>,
    /// Rules, or what to avoid.
    pub bullet_type: Option<BulletType>,
    /// Of this scope.
    pub scope: Option<Scope>,
    /// With this tag, whatever its case.
    pub tag: Option<String>,
}

impl Filter {
    /// Whether a bullet is wanted.
    pub fn takes(&self, bullet: &Bullet) -> bool {
        let tag = |tag: &String| bullet.tags.iter().any(|own| own.to_lowercase() == tag.to_lowercase());
        self.category.as_ref().is_none_or(|category| *category == bullet.category)
            && (self.states.is_empty() || self.states.contains(&bullet.state))
            && self.maturity.is_none_or(|maturity| maturity == bullet.maturity)
            && self.bullet_type.is_none_or(|wanted| wanted == bullet.bullet_type)
            && self.scope.is_none_or(|scope| scope == bullet.scope)
            && self.tag.as_ref().is_none_or(tag)
    }
}

/// Which bullets, and how many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Which.
    pub filter: Filter,
    /// At most so many.
    pub limit: usize,
    /// Bullets to leave out at the front: the `next` of an earlier answer.
    pub offset: usize,
}

/// Bullets, the best first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Listed {
    /// The bullets.
    pub bullets: Vec<Row>,
    /// How many there are in all.
    pub total: usize,
    /// The offset of the next page, where there is more.
    pub next: Option<usize>,
}

/// Lists bullets by their score; ties by id.
///
/// # Errors
/// Where the notes cannot be read.
pub fn list(memory: &Memory, options: &Options) -> Result<Listed> {
    let merged = merged(memory)?;
    let mut rows: Vec<Row> = merged
        .bullets
        .iter()
        .filter(|shelved| options.filter.takes(&shelved.bullet))
        .map(|shelved| row(memory, shelved))
        .collect();
    rows.sort_by(|a, b| (Reverse(a.score), &a.id, &a.path).cmp(&(Reverse(b.score), &b.id, &b.path)));
    let total = rows.len();
    let bullets: Vec<Row> = rows.into_iter().skip(options.offset).take(options.limit).collect();
    let end = options.offset.saturating_add(bullets.len());
    let next = (end < total && !bullets.is_empty()).then_some(end);
    Ok(Listed { bullets, total, next })
}

/// A bullet by the constants of its own vault.
pub(super) fn row(memory: &Memory, shelved: &Shelved) -> Row {
    Row::of(shelved, memory.now(), &constants(memory, shelved.level))
}
