//! A learned verdict on two statements: whether they say the same, contradict each other or differ.
//!
//! Two logistic regressions: the first estimates whether both are about one thing, the second
//! whether statements about one thing contradict each other. An English pair that is likely by them is
//! read by a model that sees both statements at once, and its answer is combined with theirs.
//! `examples/train-pairs.rs` computes the weights.

mod cue_words;
mod features;
mod profile;
mod quantity;
#[cfg(test)]
mod tests;
mod weights;

pub use features::{OPPOSITION_NAMES, PairFeatures, SUBJECT_NAMES};
pub(super) use profile::StatementProfile;
pub use weights::{FAST as FAST_WEIGHTS, ReadWeights, VerdictWeights, model_scores};

use std::cell::RefCell;
use std::collections::BTreeSet;

use features::{Difference, cosines};

use super::similarity::EmbeddedStatement;
use super::{ConflictReason, RuleContradiction, RuleStatement};
use crate::embedding_model::WordVectors;
use cm_text::embedding::PairProbabilities;

/// Minimum probability of statements that contradict each other.
const CONTRADICTORY: f64 = 0.7;
/// Minimum probability of a contradiction if a model read both statements together, as they were written.
const CONTRADICTORY_IF_READ: f64 = 0.65;
/// Minimum probability of the same statement in other words that is proposed for merging. The training
/// pairs are the same far more often than two rules of a playbook, so that it is high.
const MERGEABLE: f64 = 0.75;
/// Minimum if the vectors of both are close: rules about one subject often reach a cosine of 0.6.
const MERGEABLE_IF_CLOSE: f64 = 0.5;
/// Minimum probability of a merge candidate if a model read both statements together.
const MERGEABLE_IF_READ: f64 = 0.6;
/// Cosine of the two texts from which they are close.
const CLOSE: f64 = 0.68;
/// Minimum if one has a number that the other lacks.
const MERGEABLE_WITHOUT_NUMBER: f64 = 0.85;
/// Minimum probability of the same statement that outweighs claims which oppose each other.
const SAME_DESPITE_CLAIMS: f64 = 0.8;
/// Minimum probability of a contradiction between statements whose claims oppose each other, if a model read
/// both together.
const OPPOSITE_AS_CLAIMED: f64 = 0.15;
/// Minimum probability of the same statement in other words that is credited without asking.
const CREDITED: f64 = 0.75;
/// Minimum probability, by the fast model, of the same or opposite statement for reading a pair.
const WORTH_READING: f64 = 0.2;
/// [`WORTH_READING`] where a statement is translated.
const WORTH_READING_TRANSLATED: f64 = 0.1;
/// Minimum probability, by the fast model, of the same or opposite statement for comparing the embeddings by
/// the slower model, where the pair cannot be read.
const WORTH_EMBEDDING: f64 = 0.4;

/// A model that is slower than the static one.
enum SlowModel {
    /// Reads both statements together; only for short ones, in English or word by word in English.
    ReadsBoth,
    /// Embeds each statement.
    ReadsEach,
}

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
    /// Whether a model read both statements together.
    is_read: bool,
    /// Whether it read them word by word in English.
    is_translated: bool,
}

impl StatementVerdict {
    /// Judges two statements by the fast model alone.
    fn fast(
        one: &EmbeddedStatement<'_>,
        other: &EmbeddedStatement<'_>,
        word_vectors: &WordVectors<'_>,
    ) -> Option<Self> {
        let (one, other) = ordered(one, other);
        Some(Self::first(one, other, word_vectors)?.0)
    }

    /// Judges two statements. Symmetric. `None` without an embedding model.
    pub fn of(
        one: &EmbeddedStatement<'_>,
        other: &EmbeddedStatement<'_>,
        word_vectors: &WordVectors<'_>,
    ) -> Option<Self> {
        let (one, other) = ordered(one, other);
        let (first, features) = Self::first(one, other, word_vectors)?;
        Some(match first.next_model(one, other) {
            Some(SlowModel::ReadsBoth) => {
                let read = word_vectors.pair(one.statement.in_english(), other.statement.in_english());
                read.map_or(first, |read| first.combined(&features, &read, is_translated(one, other)))
            }
            Some(SlowModel::ReadsEach) if word_vectors.has_fine() => {
                let fine = |a: &str, b: &str| word_vectors.fine_cosine(a, b).unwrap_or(0.0);
                Self::by(&weights::FINE, &PairFeatures::of(one, other, &fine, word_vectors))
            }
            _ => first,
        })
    }

    /// Judges two statements by the fast model, and by reading them if [`prepare`](Self::prepare) had them read.
    pub(super) fn prepared(
        one: &EmbeddedStatement<'_>,
        other: &EmbeddedStatement<'_>,
        word_vectors: &WordVectors<'_>,
    ) -> Option<Self> {
        let (one, other) = ordered(one, other);
        let (first, features) = Self::first(one, other, word_vectors)?;
        let read = word_vectors.pair_if_read(one.statement.in_english(), other.statement.in_english());
        Some(read.map_or(first, |read| first.combined(&features, &read, is_translated(one, other))))
    }

    /// Judges two statements by the fast model. The first one must sort before the second.
    fn first(
        one: &EmbeddedStatement<'_>,
        other: &EmbeddedStatement<'_>,
        word_vectors: &WordVectors<'_>,
    ) -> Option<(Self, PairFeatures)> {
        if word_vectors.is_disabled() {
            return None;
        }
        let cosine = |a: &str, b: &str| word_vectors.text_cosine(a, b);
        let features = PairFeatures::of(one, other, &cosine, word_vectors);
        Some((Self::by(&weights::FAST, &features), features))
    }

    /// Combines the verdict of the fast model with that of the model that read both statements. Of translated
    /// statements only the second verdict counts, because the fast model compares words and a translation uses other words.
    fn combined(self, features: &PairFeatures, read: &PairProbabilities, is_translated: bool) -> Self {
        let [same, opposite] = match is_translated {
            true => [read.same, read.opposite],
            false => weights::READ.probabilities(weights::FAST.scores(features), model_scores(read)),
        };
        Self { same, opposite, is_read: true, is_translated, ..self }
    }

    /// Returns the slower model that is asked about a pair, if it is likely enough. Statements that differ only in
    /// digits are judged by the fast model, which compares their numbers, and so are those that differ only in
    /// articles and punctuation, which the model that reads both has not learned.
    fn next_model(&self, one: &EmbeddedStatement<'_>, other: &EmbeddedStatement<'_>) -> Option<SlowModel> {
        let texts = [one.statement.in_english(), other.statement.in_english()];
        if differ_only_in_digits(texts[0], texts[1]) || differ_only_in_articles(texts[0], texts[1]) {
            return None;
        }
        let likely = self.same + self.opposite;
        if one.statement.is_readable() && other.statement.is_readable() {
            let least = if is_translated(one, other) { WORTH_READING_TRANSLATED } else { WORTH_READING };
            (likely >= least).then_some(SlowModel::ReadsBoth)
        } else {
            (likely >= WORTH_EMBEDDING).then_some(SlowModel::ReadsEach)
        }
    }

    /// Whether one statement may stand for the other without asking anybody: as [`of`](Self::of) and
    /// [`is_credited`](Self::is_credited), without asking the slower models where they cannot change that.
    pub fn is_one_statement(
        one: &EmbeddedStatement<'_>,
        other: &EmbeddedStatement<'_>,
        word_vectors: &WordVectors<'_>,
    ) -> bool {
        Self::fast(one, other, word_vectors).is_some_and(|fast| fast.agrees)
            && Self::of(one, other, word_vectors).is_some_and(|verdict| verdict.is_credited())
    }

    /// Asks the slower models about pairs of statements, in one call each, so that [`of`](Self::of) finds the answers.
    /// If `word_vectors` may not read all pairs, the likeliest are read. Pairs with a probability below `least` of being about
    /// one thing, by the fast model, are left out.
    pub fn prepare(pairs: &[[&EmbeddedStatement<'_>; 2]], least: f64, word_vectors: &WordVectors<'_>) {
        let texts: RefCell<BTreeSet<String>> = RefCell::default();
        let mut likely = Vec::new();
        let collect = |a: &str, b: &str| {
            texts.borrow_mut().extend([a, b].map(str::to_owned));
            0.0
        };
        for [one, other] in pairs {
            let (one, other) = ordered(one, other);
            let fast = Self::fast(one, other, word_vectors).filter(|fast| fast.same + fast.opposite >= least);
            let Some(fast) = fast else { continue };
            match fast.next_model(one, other) {
                Some(SlowModel::ReadsBoth) => {
                    let pair = [one, other].map(|each| each.statement.in_english().to_owned());
                    likely.push((fast.same + fast.opposite, pair));
                }
                Some(SlowModel::ReadsEach) => {
                    cosines(one.statement, other.statement, &collect);
                }
                None => {}
            }
        }
        likely.sort_by(|(one, a), (other, b)| other.total_cmp(one).then_with(|| a.cmp(b)));
        likely.dedup_by(|(_, a), (_, b)| a == b);
        word_vectors.prepare_pairs(likely);
        word_vectors.prepare_fine(texts.into_inner());
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
            is_read: false,
            is_translated: false,
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
            _ if self.is_read && !is_close => MERGEABLE_IF_READ,
            _ if self.is_read => MERGEABLE_IF_CLOSE,
            (true, _) => MERGEABLE_WITHOUT_NUMBER,
            (false, true) => MERGEABLE_IF_CLOSE,
            (false, false) => MERGEABLE,
        };
        self.same >= least && self.same > self.opposite
    }

    /// Describes the contradiction by the most telling difference.
    pub(super) fn contradiction(&self, a: &RuleStatement, b: &RuleStatement) -> RuleContradiction {
        let (reason_kind, reason) = match self.difference {
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
        RuleContradiction { reason_kind, reason, shared: a.overlap(b) }
    }

    pub fn is_contradiction(&self) -> bool {
        let is_read_as_written = self.is_read && !self.is_translated;
        self.opposite >= if is_read_as_written { CONTRADICTORY_IF_READ } else { CONTRADICTORY }
    }

    /// Whether both may hold although their claims oppose each other.
    pub(super) fn outweighs_claims(&self) -> bool {
        self.same >= SAME_DESPITE_CLAIMS || self.is_read && self.opposite < OPPOSITE_AS_CLAIMED
    }
}

/// Whether one of two statements is compared by its words in English.
fn is_translated(one: &EmbeddedStatement<'_>, other: &EmbeddedStatement<'_>) -> bool {
    one.statement.gloss().is_some() || other.statement.gloss().is_some()
}

fn differ_only_in_digits(one: &str, other: &str) -> bool {
    let is_number = |character: &char| character.is_ascii_digit() || matches!(character, '.' | ',');
    let frame = |text| str::chars(text).filter(move |character| !is_number(character));
    frame(one).eq(frame(other))
}

fn differ_only_in_articles(one: &str, other: &str) -> bool {
    const ARTICLES: [&str; 4] = ["a", "an", "the", "please"];
    let words = |text: &str| -> Vec<String> {
        let words = text
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':' | '!')).to_lowercase());
        words.filter(|word| !word.is_empty() && !ARTICLES.contains(&word.as_str())).collect()
    };
    words(one) == words(other)
}

/// Puts two statements in an order that does not depend on which was given first.
fn ordered<'a, 's>(
    one: &'a EmbeddedStatement<'s>,
    other: &'a EmbeddedStatement<'s>,
) -> (&'a EmbeddedStatement<'s>, &'a EmbeddedStatement<'s>) {
    if one.statement.text() <= other.statement.text() { (one, other) } else { (other, one) }
}
