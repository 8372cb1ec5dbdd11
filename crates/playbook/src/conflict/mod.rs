//! Decides whether two rules contradict each other or are equivalent, by their words and their
//! meaning.
//!
//! A rule is parsed once into a [`RuleStatement`]: its content words, and its claims, each affirming or
//! denying something. Two statements contradict each other if one claim denies what the other
//! affirms, or if they choose mutually exclusive things, about the same subject. Two things that
//! are chosen by name for one purpose are mutually exclusive even if no list contains them.
//! [`opposed`] also detects synonyms, with a model that the caller passes.

mod claim;
mod claim_comparison;
mod compared_rules;
mod lexicon;
mod named_choice;
mod neighbours;
mod pairs;
mod relation;
mod remark;
mod restatement;
mod retraction;
mod rule_token;
mod similarity;
mod stance;
mod statement;
mod statement_digest;
mod verdict;
mod word_hashes;
mod written_language;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use compared_rules::ComparedRules;
pub use pairs::alike;
pub use relation::StatementRelation;
pub use restatement::{restated, statement_of_note};
pub use retraction::takes_place_of;
pub use similarity::{EmbeddedStatement, MinSimilarity, OwnedStatement, Similarity, opposed};
pub use statement::{RuleStatement, likeness, words};
pub(crate) use statement_digest::StatementDigest;
pub use verdict::{
    FAST_WEIGHTS, OPPOSITION_NAMES, PairFeatures, ReadWeights, SUBJECT_NAMES, StatementVerdict,
    VerdictWeights, model_scores,
};

/// Kind of contradiction between two rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConflictReason {
    /// One denies what the other affirms.
    Polarity,
    /// They give opposite directions: enable and disable, before and after.
    Directive,
    /// One makes an exception that the other does not allow.
    Exception,
    /// They use words with opposite meanings.
    Antonym,
    /// They choose different things of which only one can be used.
    Exclusive,
}

/// A contradiction between two rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleContradiction {
    /// Kind of contradiction.
    #[serde(rename = "ground")]
    pub reason_kind: ConflictReason,
    /// The opposed words, for display.
    pub reason: String,
    /// The share of words that both claims have, 0–1.
    pub shared: f64,
}

/// The contradiction between two rules, by words alone. Symmetric; a rule never contradicts itself.
pub fn opposition(a: &RuleStatement, b: &RuleStatement) -> Option<RuleContradiction> {
    claimed(a, b).or_else(|| chosen(a, b, &|_, _| 0.0))
}

/// A contradiction in which one claim denies or excludes the other.
fn claimed(a: &RuleStatement, b: &RuleStatement) -> Option<RuleContradiction> {
    let overlap = a.overlap(b);
    if overlap < claim_comparison::MIN_COMMON_SHARE || a.claims() == b.claims() {
        return None;
    }
    a.claims()
        .iter()
        .find_map(|one| b.claims().iter().find_map(|other| claim_comparison::opposed(one, other, overlap)))
}

/// A contradiction in which both rules choose different named things for one purpose. `like`
/// returns the similarity of two words.
fn chosen(
    a: &RuleStatement,
    b: &RuleStatement,
    like: &dyn Fn(&str, &str) -> f64,
) -> Option<RuleContradiction> {
    let (reason, shared) = a.choosing()?.against(b.choosing()?, like)?;
    Some(RuleContradiction { reason_kind: ConflictReason::Exclusive, reason, shared })
}
