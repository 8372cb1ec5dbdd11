//! Forward pass of the model, from the tokens of some texts to one vector per text.
//!
//! The texts are concatenated, so that none is padded to the length of another.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::super::Token;
use super::attention::attend;
use super::blocks::Blocks;
use super::functions::{gelu, normalize};
use super::product::add_linear;
use super::weights::{FEATURES, HIDDEN, TransformerLayer, Weights};

/// Input of a forward pass. Each text has at least one token and at most as many as there are
/// positions.
pub struct Forward<'a> {
    pub weights: &'a Weights,
    /// Tokens of each text, including the start and end tokens.
    pub texts: &'a [Vec<Token>],
    /// Number of layers to apply; fewer than all give vectors of how a text is worded.
    pub layers: usize,
}

impl WithSimd for Forward<'_> {
    type Output = Vec<Vec<f32>>;

    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let ranges = ranges(self.texts);
        let mut tokens = self.look_up(simd);
        normalize(simd, &mut tokens, &self.weights.norm);
        for layer in self.weights.layers.iter().take(self.layers) {
            layer.apply(simd, &mut tokens, &ranges);
        }
        ranges.into_iter().map(|range| sum(&tokens, range)).collect()
    }
}

impl Forward<'_> {
    /// Returns the sum of token and position embedding for every token.
    fn look_up<S: Simd>(&self, simd: S) -> Blocks<S> {
        let mut tokens = Blocks::zeros(simd, self.texts.iter().map(Vec::len).sum(), FEATURES);
        let mut at = 0;
        let (mut word, mut place) = (vec![0.0; FEATURES], vec![0.0; FEATURES]);
        for text in self.texts {
            for (index, token) in text.iter().enumerate() {
                simd.vectorize(
                    #[inline(always)]
                    || {
                        self.weights.tokens.row(usize::from(*token), &mut word);
                        self.weights.places.row(index, &mut place);
                    },
                );
                let to = tokens.at(at);
                let parts = tokens.numbers_mut()[to..].iter_mut().step_by(S::F32_LANES);
                for ((part, word), place) in parts.zip(&word).zip(&place) {
                    *part = word + place;
                }
                at += 1;
            }
        }
        tokens
    }
}

impl TransformerLayer {
    fn apply<S: Simd>(&self, simd: S, tokens: &mut Blocks<S>, texts: &[Range<usize>]) {
        let count = texts.last().map_or(0, |last| last.end);
        let mut projected = Blocks::zeros(simd, count, 3 * FEATURES);
        add_linear(simd, &self.attention, tokens, &mut projected);
        let mut seen = Blocks::zeros(simd, count, FEATURES);
        for text in texts {
            attend(simd, &projected, text.clone(), &mut seen);
        }
        add_linear(simd, &self.seen, &seen, tokens);
        normalize(simd, tokens, &self.seen_norm);
        let mut hidden = Blocks::zeros(simd, count, HIDDEN);
        add_linear(simd, &self.up, tokens, &mut hidden);
        gelu(simd, &mut hidden);
        add_linear(simd, &self.down, &hidden, tokens);
        normalize(simd, tokens, &self.down_norm);
    }
}

/// Returns the range of each text's tokens within all tokens.
fn ranges(texts: &[Vec<Token>]) -> Vec<Range<usize>> {
    let mut end = 0;
    let ranges = texts.iter().map(|text| {
        let begin = end;
        end += text.len();
        begin..end
    });
    ranges.collect()
}

/// Returns the sum of a text's token vectors, which is their mean up to scale.
fn sum<S: Simd>(tokens: &Blocks<S>, text: Range<usize>) -> Vec<f32> {
    let mut sum = vec![0.0; FEATURES];
    for token in text {
        let parts = tokens.numbers()[tokens.at(token)..].iter().step_by(S::F32_LANES);
        for (sum, part) in sum.iter_mut().zip(parts) {
            *sum += part;
        }
    }
    sum
}
