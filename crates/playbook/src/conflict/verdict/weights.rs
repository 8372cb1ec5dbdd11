//! The weights of the learned verdict, written by `examples/train-pairs.rs`.

use cm_text::embedding::PairProbabilities;

use super::features::{OPPOSITION_FEATURES, PairFeatures, SUBJECT_FEATURES};

/// Two logistic regressions: a bias, and a weight for each feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerdictWeights {
    pub subject_bias: f64,
    pub subject: [f64; SUBJECT_FEATURES],
    pub opposition_bias: f64,
    pub opposition: [f64; OPPOSITION_FEATURES],
}

impl VerdictWeights {
    /// Probabilities that both statements say the same, and that they contradict each other.
    pub fn probabilities(&self, features: &PairFeatures) -> [f64; 2] {
        both(self.scores(features))
    }

    /// Logits that both statements are about one thing, and that such statements contradict each other.
    pub fn scores(&self, features: &PairFeatures) -> [f64; 2] {
        [
            score(self.subject_bias, &self.subject, &features.subject),
            score(self.opposition_bias, &self.opposition, &features.opposition),
        ]
    }
}

/// Combination of the features' logits with those of the model that reads both statements together:
/// for one subject and for opposition a bias, the weight of the features and that of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadWeights {
    pub subject: [f64; 3],
    pub opposition: [f64; 3],
}

impl ReadWeights {
    /// Probabilities that both statements say the same, and that they contradict each other. `features`
    /// and `model` are logits as by [`VerdictWeights::scores`] and [`model_scores`].
    pub fn probabilities(&self, features: [f64; 2], model: [f64; 2]) -> [f64; 2] {
        let combined =
            |[bias, weights @ ..]: &[f64; 3], at: usize| score(*bias, weights, &[features[at], model[at]]);
        both([combined(&self.subject, 0), combined(&self.opposition, 1)])
    }
}

/// Logits, at most about 9 in size, that both statements are about one thing, and that such statements
/// contradict each other.
pub fn model_scores(model: &PairProbabilities) -> [f64; 2] {
    const MIN_PROBABILITY: f64 = 1e-4;
    let ratio = |one: f64, other: f64| ((one + MIN_PROBABILITY) / (other + MIN_PROBABILITY)).ln();
    [ratio(model.same + model.opposite, model.different), ratio(model.opposite, model.same)]
}

fn both([subject, opposition]: [f64; 2]) -> [f64; 2] {
    let (one_subject, opposed) = (logistic(subject), logistic(opposition));
    [one_subject * (1.0 - opposed), one_subject * opposed]
}

fn score(bias: f64, weights: &[f64], values: &[f64]) -> f64 {
    bias + weights.iter().zip(values).map(|(weight, value)| weight * value).sum::<f64>()
}

fn logistic(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

/// Weights of the combination, fitted to pairs of which the model had seen none.
pub(super) const READ: ReadWeights =
    ReadWeights { subject: [0.09, -0.16, 0.73], opposition: [-0.32, 0.24, 0.89] };

/// Weights for cosines of the slower model.
pub const FINE: VerdictWeights = VerdictWeights {
    subject_bias: -3.40,
    subject: [
        2.93,  // cosine
        3.33,  // first sentence
        1.34,  // alignment
        -2.01, // containment
        1.69,  // other language
        0.79,  // other language, cosine
        -0.97, // word exchanged
        -1.83, // word and number exchanged
        0.39,  // word exchanged and denied
        0.58,  // name exchanged
        2.03,  // claims oppose
        2.88,  // claims choose
    ],
    opposition_bias: -0.66,
    opposition: [
        3.09,  // number differs
        2.69,  // claims oppose
        1.81,  // claims choose
        2.31,  // lone names
        2.10,  // name exchanged
        1.30,  // one word each
        1.63,  // exception to all
        1.35,  // one denies
        1.15,  // opposite words
        -1.07, // same order
        0.72,  // order exchanged
        -2.42, // code differs
        -1.42, // length
        -1.14, // alignment
        -0.62, // lone words
        1.54,  // any difference
    ],
};

/// Weights for cosines of the fast model.
pub const FAST: VerdictWeights = VerdictWeights {
    subject_bias: -3.64,
    subject: [
        1.49,  // cosine
        2.29,  // first sentence
        3.54,  // alignment
        -1.28, // containment
        1.79,  // other language
        0.70,  // other language, cosine
        -0.85, // word exchanged
        -1.89, // word and number exchanged
        0.33,  // word exchanged and denied
        0.75,  // name exchanged
        2.03,  // claims oppose
        2.53,  // claims choose
    ],
    opposition_bias: -0.86,
    opposition: [
        3.11,  // number differs
        2.69,  // claims oppose
        1.81,  // claims choose
        2.34,  // lone names
        2.12,  // name exchanged
        1.33,  // one word each
        1.63,  // exception to all
        1.35,  // one denies
        1.15,  // opposite words
        -1.06, // same order
        0.72,  // order exchanged
        -2.42, // code differs
        -1.39, // length
        -0.97, // alignment
        -0.52, // lone words
        1.57,  // any difference
    ],
};
