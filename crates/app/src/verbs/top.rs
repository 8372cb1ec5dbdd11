//! Lists the active bullets with the highest effective scores.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::verbs::playbook::{BulletRow, constants, merged};
use cm_note::instant::Instant;
use cm_note::note::check::is_category;
use cm_text::spelling;

/// Filter and limit of the list.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Maximum number of bullets.
    pub limit: usize,
    /// Only bullets of this category.
    pub category: Option<String>,
}

/// Bullets, best first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TopBullets {
    /// Time for which the scores were calculated.
    pub at: Instant,
    /// Bullets up to the limit.
    pub bullets: Vec<BulletRow>,
    /// Number of matching bullets, including those beyond the limit.
    pub total: usize,
}

/// Lists the live bullets of all open vaults with the highest scores. Drafts, retired and
/// deprecated bullets are not listed.
///
/// # Errors
/// Returns an error if the category name is invalid, or if the notes cannot be read.
pub fn top(context: &Context, options: &Options) -> Result<TopBullets> {
    let category_filter = options.category.as_deref();
    if let Some(category) = category_filter.filter(|category| !is_category(category)) {
        let hint = "use a lower-case letter, then letters, digits, - or _, at most 50, for example `testing`";
        return Err(Error::usage(format!("`{category}` is not a valid category")).hint(hint));
    }
    let bullets = merged(context)?.bullets;
    let mut rows: Vec<BulletRow> = bullets
        .iter()
        .filter(|vault_bullet| vault_bullet.bullet.is_live())
        .filter(|vault_bullet| {
            category_filter.is_none_or(|category| vault_bullet.bullet.category == category)
        })
        .map(|vault_bullet| {
            BulletRow::of(vault_bullet, context.now(), &constants(context, vault_bullet.level))
        })
        .collect();
    if let Some(category) = category_filter.filter(|_| rows.is_empty()) {
        let categories = bullets.iter().map(|vault_bullet| vault_bullet.bullet.category.as_str());
        if let Some(near) = spelling::nearest(category, categories).filter(|near| *near != category) {
            context.notice(format!("no rule has the category `{category}`; did you mean `{near}`?"));
        }
    }
    rows.sort_by(|a, b| (Reverse(a.score), &a.id).cmp(&(Reverse(b.score), &b.id)));
    let total = rows.len();
    rows.truncate(options.limit);
    Ok(TopBullets { at: context.now(), bullets: rows, total })
}
