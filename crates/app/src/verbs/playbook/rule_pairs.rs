//! Compares all rules of a playbook with each other, once for the same rules: with thousands of rules it
//! takes seconds.

use super::limits;
use crate::context::meaning::meaning;
use crate::context::open_vault::OpenVault;
use cm_note::bullet::Bullet;
use cm_playbook::embedding_model::WordVectors;
use cm_playbook::rule_pairs::RulePairs;
use cm_store::config::keys;

/// Name of the file with the last pairs.
const NAME: &str = "rule-pairs";
/// Increased with every change of how rules are compared, so that stored pairs are not used again.
const FORMAT: u32 = 7;
/// Number of rules up to which they are compared each time.
const MAX_UNSTORED_RULES: usize = 8;
/// Maximum number of pairs that are read by the slower model.
const MAX_READ_PAIRS: usize = 64;

/// Returns the contradictions and merge candidates among rules of a vault. They are stored with its
/// index.
pub(crate) fn rule_pairs(open: &OpenVault, rules: &[&Bullet]) -> RulePairs {
    let least = limits(open).merge();
    let word_vectors = WordVectors::of(meaning(open)).reading_at_most(MAX_READ_PAIRS);
    let compare = || RulePairs::of(rules, least, &word_vectors);
    if rules.len() <= MAX_UNSTORED_RULES {
        return compare();
    }
    let provider = open.settings.text(keys::EMBEDDINGS_PROVIDER).unwrap_or_default();
    let basis = format!("{} {provider}", RulePairs::basis(rules, least));
    let stored = open.index().derived(NAME, FORMAT, &basis);
    if let Some(pairs) = stored.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
        return pairs;
    }
    let pairs = compare();
    // Where nothing can be stored, the next command compares them again.
    if let Ok(bytes) = serde_json::to_vec(&pairs) {
        let _ = open.index().store_derived(NAME, FORMAT, &basis, bytes);
    }
    pairs
}
