//! Fills a young playbook from past sessions: reports its gaps, selects sessions to read, and
//! tracks processed ones.
//!
//! `cm_learn::onboard` defines coverage and session scores. Nothing is learned here; readers submit
//! rules with `cm curate`.

pub mod done;
pub mod read;
pub mod sample;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::request::Request;
use crate::error::Result;
use crate::sessions::SessionAccess;
use crate::verbs::playbook;
use cm_index::sessions::SessionIndexFilter;
use cm_learn::onboard::{self, CategoryCoverage};
use cm_note::bullet::Bullet;

pub use cm_learn::onboard::{Category, CoverageLevel};

/// How well rules cover the onboarding categories, and how many sessions remain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OnboardingStatus {
    /// The ten categories with their coverage.
    pub categories: Vec<CategoryCoverage>,
    /// Number of rules in other categories.
    pub elsewhere: usize,
    /// Number of sessions between a person and an agent that the caller may read.
    pub sessions: usize,
    /// Number of these sessions that are marked as done.
    pub done: usize,
    /// Number of these sessions that are not marked as done.
    pub left: usize,
}

/// An onboarding category that has too few rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CategoryGap {
    pub category: Category,
    /// How well existing rules cover the category.
    pub coverage: CoverageLevel,
    /// Number of existing rules.
    pub rules: usize,
    /// Number of rules that are missing for adequate coverage.
    pub wanted: usize,
    /// Hints what to look for when reading sessions.
    pub look_for: String,
}

impl From<&CategoryCoverage> for CategoryGap {
    fn from(covered: &CategoryCoverage) -> Self {
        Self {
            category: covered.category,
            coverage: covered.coverage,
            rules: covered.rules,
            wanted: covered.missing_rules(),
            look_for: covered.category.look_for().to_owned(),
        }
    }
}

/// Onboarding categories with too few rules, those without any rule first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gaps {
    pub gaps: Vec<CategoryGap>,
}

/// Reports the coverage of the categories and the number of remaining sessions.
///
/// # Errors
/// Unreadable notes, session index or list of processed sessions.
pub fn status(context: &Context, access: &SessionAccess) -> Result<OnboardingStatus> {
    let (categories, elsewhere) = covered(context)?;
    let filter = SessionIndexFilter { without_subagents: true, ..SessionIndexFilter::default() };
    let listing = access.query(|sessions| sessions.list(&filter, 0, usize::MAX))?.unwrap_or_default();
    let done = done::processed_keys(context)?;
    let is_done = listing.list.iter().filter(|listed| done.contains(&listed.session.key())).count();
    let sessions = listing.total;
    Ok(OnboardingStatus {
        categories,
        elsewhere,
        sessions,
        done: is_done,
        left: sessions.saturating_sub(is_done),
    })
}

/// Returns the categories that lack rules.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn gaps(context: &Context) -> Result<Gaps> {
    let mut gaps: Vec<CategoryGap> = lacking(&covered(context)?.0).map(CategoryGap::from).collect();
    gaps.sort_by_key(|gap| (gap.rules, gap.category));
    Ok(Gaps { gaps })
}

fn lacking(covered: &[CategoryCoverage]) -> impl Iterator<Item = &CategoryCoverage> {
    covered.iter().filter(|covered| covered.coverage.lacks())
}

/// Returns the bullets of all open vaults.
fn bullets(context: &Context) -> Result<Vec<Bullet>> {
    Ok(playbook::merged(context)?.bullets.into_iter().map(|vault_bullet| vault_bullet.bullet).collect())
}

fn covered(context: &Context) -> Result<(Vec<CategoryCoverage>, usize)> {
    Ok(onboard::coverage(&bullets(context)?))
}

/// Returns the agent that `CM_AGENT` names; `None` for a person.
fn asker(request: &Request) -> Option<&str> {
    request.variables.get("CM_AGENT").map(String::as_str).filter(|name| !name.is_empty())
}
