//! What a text means, as a vector: texts of like meaning point the same way.
//!
//! It computes no embedding (the layer `embed` does) and keeps none (the layer `index` does).

/// A vector of length 1, or of length 0 where a text holds nothing that a model knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding(Box<[f32]>);

impl Embedding {
    /// The direction of a vector; none where a part of it is no finite number, or it has no parts.
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

    /// What a text means that says nothing to a model of so many dimensions.
    pub fn none(dimension: usize) -> Self {
        Self(vec![0.0; dimension].into_boxed_slice())
    }

    /// Its parts.
    pub fn parts(&self) -> &[f32] {
        &self.0
    }

    /// How many parts it has.
    pub fn dimension(&self) -> usize {
        self.0.len()
    }

    /// How much two texts mean the same, −1 to 1; 0 where either says nothing, or where two models made them.
    pub fn cosine(&self, other: &Self) -> f64 {
        if self.dimension() != other.dimension() {
            return 0.0;
        }
        self.0.iter().zip(&other.0).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
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

    #[test]
    fn nothing_is_compared_across_models() {
        let (a, b) = (Embedding::of(vec![1.0]).unwrap(), Embedding::of(vec![1.0, 0.0]).unwrap());
        assert_eq!(a.cosine(&b), 0.0);
        assert_eq!(Embedding::of(Vec::new()), None);
    }
}
