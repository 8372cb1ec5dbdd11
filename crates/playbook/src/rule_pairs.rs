//! Pairs of rules that contradict each other or could be merged, found by comparing all rules.
//!
//! The pairs depend on the texts and categories of the rules alone, so that callers can store them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::conflict::{ComparedRules, MinSimilarity, RuleContradiction, Similarity};
use crate::embedding_model::WordVectors;
use cm_note::bullet::Bullet;

/// Pairs of rules, by index.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RulePairs {
    opposed: Vec<(usize, usize, RuleContradiction)>,
    similar: Vec<(usize, usize, Similarity)>,
}

/// Finds the pairs among rules.
pub type PairFinder<'f> = dyn Fn(&[&Bullet]) -> RulePairs + 'f;

impl RulePairs {
    /// Compares all rules. `least` is the minimum similarity of merge candidates.
    pub fn of(bullets: &[&Bullet], least: MinSimilarity, word_vectors: &WordVectors<'_>) -> Self {
        let texts: Vec<String> = bullets.iter().map(|bullet| bullet.agent_text()).collect();
        // As an add compares them, so that a conflict that lets a rule in only as a draft is the one that is listed.
        let compared = ComparedRules::of(&texts, word_vectors);
        let groups: Vec<Vec<usize>> = by_category(bullets).into_values().collect();
        Self { opposed: compared.opposed(), similar: compared.worth_merging(&groups, least) }
    }

    /// Returns a text that is the same only where [`Self::of`] finds the same pairs with the same model.
    pub fn basis(bullets: &[&Bullet], least: MinSimilarity) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        };
        add(&format!("{least:?}"));
        for bullet in bullets {
            add(&bullet.agent_text());
            add(&bullet.category);
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Returns the contradictions between rules that overlap in scope.
    pub(crate) fn contradictions(&self, bullets: &[&Bullet]) -> Vec<&(usize, usize, RuleContradiction)> {
        let meets = |a: usize, b: usize| bullets[a].rule_scope().overlaps(&bullets[b].rule_scope());
        self.opposed.iter().filter(|(a, b, _)| meets(*a, *b)).collect()
    }

    /// Returns pairs of similar rules, most similar first: rules of one category with enough common
    /// words, or rules of overlapping scope with a close enough meaning.
    pub(crate) fn merge_candidates(&self, bullets: &[&Bullet]) -> Vec<(usize, usize, Similarity)> {
        let meets = |a: usize, b: usize| bullets[a].rule_scope().overlaps(&bullets[b].rule_scope());
        let mut pairs = self.similar.clone();
        pairs.retain(|(a, b, near)| matches!(near, Similarity::Words(_)) || meets(*a, *b));
        pairs.sort_by(|one, other| {
            let by_value = other.2.value().total_cmp(&one.2.value());
            by_value.then_with(|| (one.0, one.1).cmp(&(other.0, other.1)))
        });
        pairs
    }
}

/// Indices of the rules of each category.
fn by_category<'b>(bullets: &[&'b Bullet]) -> BTreeMap<&'b str, Vec<usize>> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, bullet) in bullets.iter().enumerate() {
        places.entry(&bullet.category).or_default().push(at);
    }
    places
}
