//! Curation of the playbook: applies proposed deltas by fixed rules, without a language model.
//!
//! [`curate`] computes the new playbook and a report; [`plan::changes`] computes the file changes.
//! Both are pure functions.

mod adding;
pub mod admission;
pub mod apply;
pub mod bullet_index;
pub mod consequences;
pub mod delta;
pub mod feedback;
pub mod forgetting;
mod gate;
pub mod history;
pub mod later_word;
pub mod left_out;
mod merging;
pub mod plan;
mod replacing;
pub mod report;
pub mod review_decision;
pub mod rule_digest;

pub use apply::{CurationRequest, CurationResult, Proposer, SweepScope, curate};

use crate::conflict::MinSimilarity;
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::BlockedNote;

/// The bullets and blocked patterns of a vault.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Playbook {
    /// All bullets including drafts and retired ones, by path.
    pub bullets: Vec<Bullet>,
    /// All blocked patterns, by path.
    pub blocked: Vec<BlockedNote>,
}

/// Limits and thresholds of curation, `[curation]` in `cm.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct CurationLimits {
    /// Minimum share of common words, 0–1, at which two rules are duplicates.
    pub duplicate_jaccard: f64,
    /// Minimum cosine of the embeddings at which two rules are duplicates, if every word has a
    /// counterpart in the other rule.
    pub duplicate_cosine: f64,
    /// Minimum share of words that a new rule must have in common with a blocked one to be refused,
    /// 0–1.
    pub block_jaccard: f64,
    /// Minimum cosine between a new rule and a blocked one at which the new rule is refused.
    pub block_cosine: f64,
    /// Minimum share of common words, 0–1, at which merging two rules of a category is suggested.
    pub merge_jaccard: f64,
    /// Minimum cosine of the embeddings at which merging two rules is suggested.
    pub merge_cosine: f64,
    /// Maximum number of active bullets per category.
    pub max_per_category: usize,
}

impl Default for CurationLimits {
    fn default() -> Self {
        Self {
            duplicate_jaccard: 0.85,
            duplicate_cosine: 0.85,
            block_jaccard: 0.85,
            block_cosine: 0.85,
            merge_jaccard: 0.7,
            merge_cosine: 0.85,
            max_per_category: 200,
        }
    }
}

impl CurationLimits {
    /// Thresholds at which a new rule is a duplicate of an existing one.
    pub fn duplicate(&self) -> MinSimilarity {
        MinSimilarity { jaccard: self.duplicate_jaccard, cosine: self.duplicate_cosine }
    }

    /// Thresholds at which a new rule repeats a blocked one.
    pub fn block(&self) -> MinSimilarity {
        MinSimilarity { jaccard: self.block_jaccard, cosine: self.block_cosine }
    }

    /// Thresholds at which merging two rules is suggested.
    pub fn merge(&self) -> MinSimilarity {
        MinSimilarity { jaccard: self.merge_jaccard, cosine: self.merge_cosine }
    }
}

/// On whose authority a delta is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// A person, or an agent on a person's instruction. New rules are active at once.
    Person,
    /// A program. Past sessions decide whether a new rule is active, and pinned bullets cannot be
    /// changed.
    Automation,
}

#[cfg(test)]
mod tests;
