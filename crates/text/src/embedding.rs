//! Embedding of a text: a vector that points in a similar direction for texts of similar meaning.
//!
//! Embeddings are computed by the crate `embed` and stored by `index`.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// A vector of length 1, or of length 0 if the model recognizes nothing in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding(Box<[f32]>);

impl Embedding {
    /// Normalizes a vector to length 1. Returns `None` if it is empty or has a component that is
    /// not finite.
    ///
    /// ```
    /// use cm_text::embedding::Embedding;
    /// let (a, b) = (Embedding::of(vec![3.0, 4.0]).unwrap(), Embedding::of(vec![4.0, 3.0]).unwrap());
    /// assert!((a.cosine(&b) - 0.96).abs() < 1e-6);
    /// assert_eq!(Embedding::of(vec![f32::NAN]), None);
    /// ```
    pub fn of(vector: Vec<f32>) -> Option<Self> {
        let square: f64 = vector.iter().map(|part| f64::from(*part) * f64::from(*part)).sum();
        if vector.is_empty() || !square.is_finite() {
            return None;
        }
        let mut vector = vector.into_boxed_slice();
        let length = square.sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|part| *part = (f64::from(*part) / length) as f32);
        }
        Some(Self(vector))
    }

    /// The zero vector of the given dimension, for a text without meaning to the model.
    pub fn zero(dimension: usize) -> Self {
        Self(vec![0.0; dimension].into_boxed_slice())
    }

    pub fn parts(&self) -> &[f32] {
        &self.0
    }

    pub fn dimension(&self) -> usize {
        self.0.len()
    }

    /// Cosine similarity, −1 to 1; 0 if either vector is zero or the dimensions differ.
    pub fn cosine(&self, other: &Self) -> f64 {
        if self.dimension() != other.dimension() {
            return 0.0;
        }
        self.0.iter().zip(&other.0).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    }
}

/// How two statements relate, as probabilities, 0–1, that add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairProbabilities {
    /// Both say the same.
    pub same: f64,
    /// Both cannot hold.
    pub opposite: f64,
    /// Both may hold.
    pub different: f64,
}

/// Number of kinds of statements that a model tells apart.
pub const STATEMENT_KINDS: usize = 5;

/// Output of the model of statements for one sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementReading {
    /// Describes how the sentence is worded.
    pub wording: Embedding,
    /// Score of each kind of statement, before the softmax.
    pub kinds: [f32; STATEMENT_KINDS],
}

/// An embedding rounded to one byte a component, for finding those that can be similar enough.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundedEmbedding<'a> {
    scale: f32,
    /// Upper bound of the distance to the exact vector.
    error: f32,
    /// The components in units of `scale`, each a signed byte.
    #[serde(borrow)]
    parts: Cow<'a, [u8]>,
}

/// Covers what summing in another order, or on another processor, changes in a cosine.
const IMPRECISION: f64 = 1e-4;

impl RoundedEmbedding<'_> {
    pub fn of(embedding: &Embedding) -> Self {
        let most = embedding.0.iter().fold(0.0f32, |most, part| most.max(part.abs()));
        let scale = most / 127.0;
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        let rounded: Vec<i8> = embedding.0.iter().map(|part| (part * inverse).round() as i8).collect();
        let pairs = embedding.0.iter().zip(&rounded);
        let square: f64 = pairs
            .map(|(part, rounded)| (f64::from(*part) - f64::from(*rounded) * f64::from(scale)).powi(2))
            .sum();
        let parts = Cow::Owned(rounded.into_iter().map(i8::cast_unsigned).collect());
        Self { scale, error: square.sqrt() as f32, parts }
    }

    /// Bounds of [`Embedding::cosine`] with the exact vector.
    pub fn cosine(&self, other: &Embedding) -> RangeInclusive<f64> {
        if self.parts.len() != other.dimension() {
            return 0.0..=0.0;
        }
        let products = self.parts.iter().zip(&other.0).map(|(a, b)| f32::from(a.cast_signed()) * b);
        let cosine = f64::from(products.sum::<f32>() * self.scale);
        let error = f64::from(self.error) + IMPRECISION;
        cosine - error..=cosine + error
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_means_the_same_as_itself_whatever_the_length_of_its_vector(
            parts in proptest::collection::vec(-9.0f32..9.0, 1..40),
            factor in 0.01f32..100.0,
        ) {
            let one = Embedding::of(parts.clone()).unwrap();
            let other = Embedding::of(parts.iter().map(|part| part * factor).collect()).unwrap();
            let expected = if parts.iter().all(|part| *part == 0.0) { 0.0 } else { 1.0 };
            prop_assert!((one.cosine(&other) - expected).abs() < 1e-5);
        }
    }

    proptest! {
        #[test]
        fn the_cosine_with_an_exact_vector_is_within_the_bounds_of_the_rounded_one(
            pairs in proptest::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 1..300),
        ) {
            let (one, other): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let (one, other) = (Embedding::of(one).unwrap(), Embedding::of(other).unwrap());
            let bounds = RoundedEmbedding::of(&one).cosine(&other);
            prop_assert!(bounds.contains(&one.cosine(&other)), "{bounds:?}");
            prop_assert!(bounds.end() - bounds.start() < 0.1);
        }
    }

    #[test]
    fn nothing_is_compared_across_models() {
        let (a, b) = (Embedding::of(vec![1.0]).unwrap(), Embedding::of(vec![1.0, 0.0]).unwrap());
        assert_eq!(a.cosine(&b), 0.0);
        assert_eq!(Embedding::of(Vec::new()), None);
    }
}
