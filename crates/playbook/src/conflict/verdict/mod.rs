//! A learned verdict on two statements: whether they say the same, contradict each other or differ.
//!
//! Two logistic regressions: the first estimates whether both are about one thing, the second
//! whether statements about one thing contradict each other. `examples/train-pairs.rs` computes the
//! weights.

mod cue_words;
mod features;
mod profile;
mod quantity;
mod translation;
mod weights;

pub use features::{OPPOSITION_NAMES, PairFeatures, SUBJECT_NAMES};
pub(super) use profile::StatementProfile;
pub(super) use translation::gloss;
pub use weights::VerdictWeights;

use std::cell::RefCell;
use std::collections::BTreeSet;

use features::{Difference, cosines};

use super::similarity::EmbeddedStatement;
use super::{ConflictReason, RuleContradiction, RuleStatement};
use crate::embedding_model::WordVectors;

/// Minimum probability of statements that contradict each other.
const CONTRADICTORY: f64 = 0.7;
/// Minimum probability of the same statement in other words that is proposed for merging. The training
/// pairs are the same far more often than two rules of a playbook, so that it is high.
const MERGEABLE: f64 = 0.75;
/// Minimum if the vectors of both are close: rules about one subject often reach a cosine of 0.6.
const MERGEABLE_IF_CLOSE: f64 = 0.5;
/// Cosine of the two texts from which they are close.
const CLOSE: f64 = 0.68;
/// Minimum if one has a number that the other lacks.
const MERGEABLE_WITHOUT_NUMBER: f64 = 0.85;
/// Minimum probability of the same statement that outweighs claims which oppose each other.
const SAME_DESPITE_CLAIMS: f64 = 0.8;
/// Minimum probability of the same statement in other words that is credited without asking.
const CREDITED: f64 = 0.75;
/// Probability up to which a pair is judged by the fast model alone.
const UNLIKELY: f64 = 0.4;

/// Probabilities, 0–1, that two statements say the same or contradict each other; the rest is that
/// they differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatementVerdict {
    pub same: f64,
    pub opposite: f64,
    /// Cosine of the two texts.
    cosine: f64,
    agrees: bool,
    lacks_number: bool,
    difference: Difference,
}

impl StatementVerdict {
    /// Judges two statements by the fast model alone, for comparisons of many pairs.
    pub(super) fn fast(
        one: &EmbeddedStatement<'_>,
        other: &EmbeddedStatement<'_>,
        sense: &WordVectors<'_>,
    ) -> Option<Self> {
        if sense.is_disabled() {
            return None;
        }
        let (one, other) = ordered(one, other);
        let cosine = |a: &str, b: &str| sense.text_cosine(a, b);
        Some(Self::by(&weights::FAST, &PairFeatures::of(one, other, &cosine, sense)))
    }

    /// Judges two statements. Symmetric. `None` without an embedding model.
    pub fn of(
        one: &EmbeddedStatement<'_>,
        other: &EmbeddedStatement<'_>,
        sense: &WordVectors<'_>,
    ) -> Option<Self> {
        let first = Self::fast(one, other, sense)?;
        if first.is_unlikely() || !sense.has_fine() {
            return Some(first);
        }
        let (one, other) = ordered(one, other);
        let fine = |a: &str, b: &str| sense.fine_cosine(a, b).unwrap_or(0.0);
        Some(Self::by(&weights::FINE, &PairFeatures::of(one, other, &fine, sense)))
    }

    /// Embeds what [`of`](Self::of) needs of a statement and others by the slower model, in one call.
    pub fn prepare(one: &EmbeddedStatement<'_>, others: &[EmbeddedStatement<'_>], sense: &WordVectors<'_>) {
        let texts: RefCell<BTreeSet<String>> = RefCell::default();
        let collect = |a: &str, b: &str| {
            texts.borrow_mut().extend([a, b].map(str::to_owned));
            0.0
        };
        let is_likely = |other: &&EmbeddedStatement<'_>| {
            Self::fast(one, other, sense).is_some_and(|fast| !fast.is_unlikely())
        };
        for other in others.iter().filter(is_likely) {
            let (one, other) = ordered(one, other);
            cosines(one.statement, other.statement, &collect);
        }
        sense.prepare_fine(texts.into_inner());
    }

    /// Whether the slower model is not asked about the pair.
    fn is_unlikely(&self) -> bool {
        self.same + self.opposite < UNLIKELY
    }

    fn by(weights: &VerdictWeights, features: &PairFeatures) -> Self {
        let [same, opposite] = weights.probabilities(features);
        Self {
            same,
            opposite,
            cosine: features.subject[0],
            agrees: features.agrees,
            lacks_number: features.lacks_number,
            difference: features.difference,
        }
    }

    /// Whether one may stand for the other without asking anybody.
    pub fn is_credited(&self) -> bool {
        self.agrees && self.same >= CREDITED
    }

    /// Whether both probably say the same, so that a person should look. Statements whose vectors are
    /// close, by themselves or as the settings say, need less certainty.
    pub fn is_mergeable(&self, is_close: bool) -> bool {
        let least = match (self.lacks_number, is_close || self.cosine >= CLOSE) {
            (true, _) => MERGEABLE_WITHOUT_NUMBER,
            (false, true) => MERGEABLE_IF_CLOSE,
            (false, false) => MERGEABLE,
        };
        self.same >= least && self.same > self.opposite
    }

    /// Describes the contradiction by the most telling difference.
    pub(super) fn contradiction(&self, a: &RuleStatement, b: &RuleStatement) -> RuleContradiction {
        let (ground, reason) = match self.difference {
            Difference::Number => {
                let written = |statement: &RuleStatement| {
                    let quantities = statement.profile().quantities.iter();
                    quantities
                        .map(|one| one.written.as_str())
                        .filter(|one| !one.is_empty())
                        .collect::<Vec<_>>()
                        .join(", ")
                };
                (
                    ConflictReason::Exclusive,
                    format!("different values for one thing: “{}” against “{}”", written(a), written(b)),
                )
            }
            Difference::Polarity => {
                (ConflictReason::Polarity, "one denies what the other affirms".to_owned())
            }
            Difference::Antonym => (ConflictReason::Antonym, "they use words of opposite meaning".to_owned()),
            Difference::Exception => {
                (ConflictReason::Exception, "one makes an exception that the other does not allow".to_owned())
            }
            Difference::Order => (ConflictReason::Directive, "they demand opposite orders".to_owned()),
            Difference::Name | Difference::Other => {
                (ConflictReason::Exclusive, "they name different things for one purpose".to_owned())
            }
        };
        RuleContradiction { ground, reason, shared: a.overlap(b) }
    }

    pub fn is_contradiction(&self) -> bool {
        self.opposite >= CONTRADICTORY
    }

    /// Whether both say the same although their claims oppose each other.
    pub(super) fn is_same_despite_claims(&self) -> bool {
        self.same >= SAME_DESPITE_CLAIMS
    }
}

/// Puts two statements in an order that does not depend on which was given first.
fn ordered<'a, 's>(
    one: &'a EmbeddedStatement<'s>,
    other: &'a EmbeddedStatement<'s>,
) -> (&'a EmbeddedStatement<'s>, &'a EmbeddedStatement<'s>) {
    if one.statement.text() <= other.statement.text() { (one, other) } else { (other, one) }
}
