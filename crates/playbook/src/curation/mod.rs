//! Curation of the playbook: proposed deltas become a new playbook and a report, by rules alone.
//!
//! One pure function ([`curate`]) decides, another ([`plan::changes`]) says which files that changes. No language model
//! has a hand in either; whoever proposes the deltas does not matter.

pub mod admission;
pub mod curation;
pub mod delta;
pub mod forgetting;
mod gate;
pub mod history;
mod merging;
pub mod plan;
pub mod report;
pub mod settle;
pub mod shelf;
pub mod word;

pub use curation::{Curated, Proposer, Request, curate};

use crate::conflict::Nearness;
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::Blocked;

/// The bullets of a vault and what is blocked in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Playbook {
    /// All bullets, drafts and retired ones too, by path.
    pub bullets: Vec<Bullet>,
    /// All blocked patterns, by path.
    pub blocked: Vec<Blocked>,
}

/// The limits of curation, `[curation]` in `cm.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// From which share of common words two rules are one.
    pub duplicate_jaccard: f64,
    /// From which cosine on two rules are one, where no word of one lacks a counterpart in the other.
    pub duplicate_cosine: f64,
    /// Above which share of common words a rule is as good as blocked.
    pub block_jaccard: f64,
    /// Above which cosine a rule is as good as blocked.
    pub block_cosine: f64,
    /// From which share of common words two rules of one category are worth merging.
    pub merge_jaccard: f64,
    /// From which cosine on two rules are worth merging.
    pub merge_cosine: f64,
    /// The most active bullets of one category.
    pub max_per_category: usize,
}

impl Default for Limits {
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

impl Limits {
    /// From where on two rules are one.
    pub fn duplicate(&self) -> Nearness {
        Nearness { jaccard: self.duplicate_jaccard, cosine: self.duplicate_cosine }
    }

    /// From where on a rule is as good as a blocked one.
    pub fn block(&self) -> Nearness {
        Nearness { jaccard: self.block_jaccard, cosine: self.block_cosine }
    }

    /// From where on two rules are worth merging.
    pub fn merge(&self) -> Nearness {
        Nearness { jaccard: self.merge_jaccard, cosine: self.merge_cosine }
    }
}

/// Whose word a delta is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// A person's, or an agent's who was told to: new rules are active at once.
    Person,
    /// A proposal of a program: the evidence gate decides, and pinned bullets stay as they are.
    Automation,
}

#[cfg(test)]
mod tests;
