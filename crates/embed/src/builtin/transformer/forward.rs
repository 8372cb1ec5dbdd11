//! Forward pass of the model, from the tokens of some texts to one vector per text.
//!
//! The texts are concatenated, so that none is padded to the length of another.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::super::Token;
use super::adapter::{AdapterLayer, LowRank};
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
    /// Additions of a fine-tuning to the layers, in their order; none for the model itself.
    pub additions: &'a [AdapterLayer],
}

impl WithSimd for Forward<'_> {
    type Output = Vec<Vec<f32>>;

    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let texts: Vec<&[Token]> = self.texts.iter().map(Vec::as_slice).collect();
        let ranges = ranges(&texts);
        let mut tokens = look_up(simd, self.weights, &texts);
        normalize(simd, &mut tokens, &self.weights.norm);
        for (index, layer) in self.weights.layers.iter().take(self.layers).enumerate() {
            layer.apply(simd, self.additions.get(index), &mut tokens, &ranges);
        }
        ranges.into_iter().map(|range| sum(&tokens, range)).collect()
    }
}

/// Returns the sum of token and position embedding for every token.
pub fn look_up<S: Simd>(simd: S, weights: &Weights, texts: &[&[Token]]) -> Blocks<S> {
    let mut tokens = Blocks::zeros(simd, texts.iter().map(|text| text.len()).sum(), FEATURES);
    let mut at = 0;
    let (mut word, mut place) = (vec![0.0; FEATURES], vec![0.0; FEATURES]);
    for text in texts {
        for (index, token) in text.iter().enumerate() {
            simd.vectorize(
                #[inline(always)]
                || {
                    weights.tokens.row(usize::from(*token), &mut word);
                    weights.places.row(index, &mut place);
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

impl TransformerLayer {
    /// Applies the layer to all tokens, with the additions of a fine-tuning if there is one.
    pub fn apply<S: Simd>(
        &self,
        simd: S,
        addition: Option<&AdapterLayer>,
        tokens: &mut Blocks<S>,
        texts: &[Range<usize>],
    ) {
        let seen = self.attended(simd, addition, tokens, texts);
        let count = texts.last().map_or(0, |last| last.end);
        self.after_attention(simd, addition, tokens, &seen, count);
    }

    /// Returns the attention output of each token.
    pub fn attended<S: Simd>(
        &self,
        simd: S,
        addition: Option<&AdapterLayer>,
        tokens: &Blocks<S>,
        texts: &[Range<usize>],
    ) -> Blocks<S> {
        let count = texts.last().map_or(0, |last| last.end);
        let mut projected = Blocks::zeros(simd, count, 3 * FEATURES);
        add_linear(simd, &self.attention, tokens, &mut projected);
        add_low_rank(simd, addition.map(|one| &one.attention), tokens, &mut projected, count);
        let mut seen = Blocks::zeros(simd, count, FEATURES);
        for text in texts {
            attend(simd, &projected, text.clone(), &mut seen);
        }
        seen
    }

    /// Applies the rest of the layer to `count` tokens with their attention output. It treats each token
    /// by itself.
    pub fn after_attention<S: Simd>(
        &self,
        simd: S,
        addition: Option<&AdapterLayer>,
        tokens: &mut Blocks<S>,
        seen: &Blocks<S>,
        count: usize,
    ) {
        add_linear(simd, &self.seen, seen, tokens);
        add_low_rank(simd, addition.map(|one| &one.seen), seen, tokens, count);
        normalize(simd, tokens, addition.map_or(&self.seen_norm, |one| &one.seen_norm));
        let mut hidden = Blocks::zeros(simd, count, HIDDEN);
        add_linear(simd, &self.up, tokens, &mut hidden);
        add_low_rank(simd, addition.map(|one| &one.up), tokens, &mut hidden, count);
        gelu(simd, &mut hidden);
        add_linear(simd, &self.down, &hidden, tokens);
        add_low_rank(simd, addition.map(|one| &one.down), &hidden, tokens, count);
        normalize(simd, tokens, addition.map_or(&self.down_norm, |one| &one.down_norm));
    }
}

fn add_low_rank<S: Simd>(
    simd: S,
    addition: Option<&LowRank>,
    input: &Blocks<S>,
    output: &mut Blocks<S>,
    count: usize,
) {
    if let Some(addition) = addition {
        let mut narrow = Blocks::zeros(simd, count, addition.narrow.matrix.rows());
        add_linear(simd, &addition.narrow, input, &mut narrow);
        add_linear(simd, &addition.wide, &narrow, output);
    }
}

/// Returns the range of each text's tokens within all tokens.
pub fn ranges(texts: &[&[Token]]) -> Vec<Range<usize>> {
    let mut end = 0;
    let ranges = texts.iter().map(|text| {
        let begin = end;
        end += text.len();
        begin..end
    });
    ranges.collect()
}

/// Returns the sum of a text's token vectors, which is their mean up to scale.
pub fn sum<S: Simd>(tokens: &Blocks<S>, text: Range<usize>) -> Vec<f32> {
    let mut sum = vec![0.0; FEATURES];
    for token in text {
        let parts = tokens.numbers()[tokens.at(token)..].iter().step_by(S::F32_LANES);
        for (sum, part) in sum.iter_mut().zip(parts) {
            *sum += part;
        }
    }
    sum
}
