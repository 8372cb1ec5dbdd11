//! The classifier of statements: logistic regression over the embedding and the hashed features, combined
//! with the scores of a fine-tuned model where the sentence was read by one.
//!
//! `examples/train-statements.rs` trains the regression and writes the file that is read here. The file has the
//! magic number, the kinds' dense weights and biases as `f32`, a scale for each kind as `f32`, and the
//! hashed weights as `i8`, all little-endian.

use std::sync::LazyLock;

use super::features::{FEATURE_BUCKETS, hashed};
use super::{KIND_COUNT, StatementContext, StatementKind};
use cm_text::embedding::StatementReading;

/// Dimension of the embedding: that of the wording by the built-in fine model.
pub const EMBEDDING_DIMENSION: usize = 384;
/// Beginning of the file.
pub const MAGIC: &[u8; 8] = b"cm-stmt1";

/// Weight of the logarithms of both classifiers' probabilities in their sum: with it, as many passing sentences
/// pass each threshold as by the regression alone, and more of those that are meant to last.
const READING_WEIGHT: f32 = 0.5;

/// Weights of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct KindWeights {
    pub bias: f32,
    pub dense: Vec<f32>,
    /// Value of 1 in `hashed`.
    pub scale: f32,
    pub hashed: Vec<i8>,
}

/// A trained classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementClassifier {
    /// Weights with the embedding, by kind in the order of [`StatementKind::ALL`].
    pub with_embedding: [KindWeights; KIND_COUNT],
    /// Weights without it, for vaults that disable embeddings; their `dense` weights are empty.
    pub without_embedding: [KindWeights; KIND_COUNT],
}

/// Probabilities of the kinds, in the order of [`StatementKind::ALL`]; their sum is 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KindProbabilities(pub [f32; KIND_COUNT]);

impl KindProbabilities {
    /// Probability that the statement is meant to last beyond its session, 0–1.
    pub fn lasting(&self) -> f32 {
        1.0 - self.0[0]
    }

    /// Returns the most probable kind of a lasting statement.
    pub fn kind(&self) -> StatementKind {
        let kinds = StatementKind::ALL.into_iter().zip(self.0).skip(1);
        let best = kinds.max_by(|(_, a), (_, b)| a.total_cmp(b));
        best.map_or(StatementKind::Rule, |(kind, _)| kind)
    }
}

impl StatementClassifier {
    /// Returns the classifier that is built into the program.
    #[allow(clippy::expect_used, reason = "the weights are compiled in, and every test reads them")]
    pub fn builtin() -> &'static Self {
        static SHIPPED: LazyLock<StatementClassifier> = LazyLock::new(|| {
            StatementClassifier::read(include_bytes!("../../../../assets/statements.bin"))
                .expect("the weights are those that were shipped")
        });
        &SHIPPED
    }

    /// Computes the probabilities of the kinds, from the words alone without a reading. The embedding of a
    /// reading has [`EMBEDDING_DIMENSION`] values.
    pub fn probabilities(
        &self,
        text: &str,
        context: StatementContext,
        reading: Option<&StatementReading>,
    ) -> KindProbabilities {
        let features = hashed(text, context);
        let Some(reading) = reading else {
            let scores = self.without_embedding.each_ref().map(|kind| kind.score(&features, None));
            return KindProbabilities(softmax(scores));
        };
        let embedding = Some(reading.wording.parts());
        let by_words = softmax(self.with_embedding.each_ref().map(|kind| kind.score(&features, embedding)));
        let by_model = softmax(reading.kinds);
        let both = |kind| READING_WEIGHT * (logarithm(by_words[kind]) + logarithm(by_model[kind]));
        KindProbabilities(softmax(std::array::from_fn(both)))
    }

    /// Reads a classifier from its file; `None` if the file is invalid.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let classifier = Self {
            with_embedding: read_kinds(&mut rest, EMBEDDING_DIMENSION)?,
            without_embedding: read_kinds(&mut rest, 0)?,
        };
        rest.is_empty().then_some(classifier)
    }

    /// Returns the file of the classifier.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        self.with_embedding.iter().chain(&self.without_embedding).for_each(|kind| kind.write(&mut bytes));
        bytes
    }
}

impl KindWeights {
    /// Appends the weights to a file.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let floats = std::iter::once(self.bias).chain(self.dense.iter().copied()).chain([self.scale]);
        floats.for_each(|float| bytes.extend(float.to_le_bytes()));
        bytes.extend(self.hashed.iter().map(|weight| weight.to_le_bytes()[0]));
    }

    /// Reads weights with `dimension` dense ones from the beginning of `rest`; `None` if they are
    /// invalid.
    pub fn read(rest: &mut &[u8], dimension: usize) -> Option<Self> {
        let bias = read_float(rest)?;
        let dense = (0..dimension).map(|_| read_float(rest)).collect::<Option<Vec<f32>>>()?;
        let scale = read_float(rest)?;
        let (own, after) = rest.split_at_checked(FEATURE_BUCKETS)?;
        *rest = after;
        let hashed = own.iter().map(|byte| i8::from_le_bytes([*byte])).collect();
        Some(Self { bias, dense, scale, hashed })
    }

    /// Returns the sum of the weights of these features and of the embedding.
    pub fn score(&self, features: &[(usize, f32)], embedding: Option<&[f32]>) -> f32 {
        let dense: f32 =
            embedding.unwrap_or_default().iter().zip(&self.dense).map(|(value, weight)| value * weight).sum();
        let weight = |bucket: usize| f32::from(self.hashed.get(bucket).copied().unwrap_or(0)) * self.scale;
        let hashed: f32 = features.iter().map(|(bucket, value)| value * weight(*bucket)).sum();
        self.bias + dense + hashed
    }
}

/// The natural logarithm of a probability, finite also for 0.
fn logarithm(probability: f32) -> f32 {
    probability.max(1e-6).ln()
}

/// Converts scores to probabilities.
pub fn softmax(scores: [f32; KIND_COUNT]) -> [f32; KIND_COUNT] {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let powers = scores.map(|score| (score - most).exp());
    let sum: f32 = powers.iter().sum();
    powers.map(|power| power / sum)
}

fn read_kinds(rest: &mut &[u8], dimension: usize) -> Option<[KindWeights; KIND_COUNT]> {
    let mut kinds = Vec::with_capacity(KIND_COUNT);
    for _ in 0..KIND_COUNT {
        kinds.push(KindWeights::read(rest, dimension)?);
    }
    kinds.try_into().ok()
}

fn read_float(rest: &mut &[u8]) -> Option<f32> {
    let (own, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(f32::from_le_bytes(*own)).filter(|float| float.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_orders_last_whenever_they_are_given() {
        let orders = [
            "Never push to main on a Friday.",
            "Never delete a migration.",
            "Never commit on a Friday.",
            "Do not edit generated files.",
            "From now on, always run the tests before you commit.",
            "Niemals ohne Test committen.",
            "Ne jamais supprimer une migration.",
        ];
        let classifier = StatementClassifier::builtin();
        for context in [StatementContext::Plain, StatementContext::After] {
            for order in orders {
                let lasting = classifier.probabilities(order, context, None).lasting();
                assert!(lasting >= 0.5, "{order}: {lasting} in {context:?}");
            }
        }
    }
}
