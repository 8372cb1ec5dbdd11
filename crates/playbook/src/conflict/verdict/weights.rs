//! The weights of the learned verdict, written by `examples/train-pairs.rs`.

use super::features::{OPPOSITION, PairFeatures, SUBJECT};

/// Two logistic regressions: a bias, and a weight for each feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerdictWeights {
    pub subject_bias: f64,
    pub subject: [f64; SUBJECT],
    pub opposition_bias: f64,
    pub opposition: [f64; OPPOSITION],
}

impl VerdictWeights {
    /// Probabilities that both statements say the same, and that they contradict each other.
    pub fn probabilities(&self, features: &PairFeatures) -> [f64; 2] {
        let one_subject = logistic(self.subject_bias, &self.subject, &features.subject);
        let opposed = logistic(self.opposition_bias, &self.opposition, &features.opposition);
        [one_subject * (1.0 - opposed), one_subject * opposed]
    }
}

fn logistic(bias: f64, weights: &[f64], values: &[f64]) -> f64 {
    let score: f64 = bias + weights.iter().zip(values).map(|(weight, value)| weight * value).sum::<f64>();
    1.0 / (1.0 + (-score).exp())
}

/// Weights for cosines of the slower model.
pub(super) const FINE: VerdictWeights = VerdictWeights {
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
pub(super) const FAST: VerdictWeights = VerdictWeights {
    subject_bias: -2.58,
    subject: [
        1.43,  // cosine
        2.08,  // first sentence
        3.00,  // alignment
        -1.80, // containment
        1.34,  // other language
        0.66,  // other language, cosine
        -1.13, // word exchanged
        -1.81, // word and number exchanged
        0.45,  // word exchanged and denied
        0.56,  // name exchanged
        2.02,  // claims oppose
        2.54,  // claims choose
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
