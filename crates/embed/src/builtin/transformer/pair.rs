//! Forward pass that reads two texts as one and scores the classes of a fine-tuned model.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::super::Token;
use super::adapter::{Adapter, CLASSES};
use super::blocks::Blocks;
use super::forward::{look_up, ranges};
use super::functions::normalize;
use super::product::add_linear;
use super::weights::{FEATURES, Weights};

/// Two texts as one: their tokens, with a start token and an end token after each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedTexts {
    pub tokens: Vec<Token>,
    /// Where the tokens of the second text begin.
    pub second: usize,
}

/// Input of a forward pass over pairs of texts.
pub struct PairForward<'a> {
    pub weights: &'a Weights,
    pub adapter: &'a Adapter,
    pub pairs: &'a [JoinedTexts],
}

impl WithSimd for PairForward<'_> {
    /// The score of each class, before the softmax, per pair.
    type Output = Vec<[f32; CLASSES]>;

    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self { weights, adapter, pairs } = self;
        let texts: Vec<&[Token]> = pairs.iter().map(|pair| &*pair.tokens).collect();
        let ranges = ranges(&texts);
        let mut tokens = look_up(simd, weights, &texts);
        for (pair, range) in pairs.iter().zip(&ranges) {
            for token in range.start + pair.second..range.end {
                let at = tokens.at(token);
                let parts = tokens.numbers_mut()[at..].iter_mut().step_by(S::F32_LANES);
                parts.zip(&adapter.second).for_each(|(part, second)| *part += second);
            }
        }
        normalize(simd, &mut tokens, &adapter.norm);
        let mut layers = weights.layers.iter().zip(&adapter.layers);
        // Only the start token of a pair is read after the last layer.
        let last = layers.next_back();
        for (layer, addition) in layers {
            layer.apply(simd, Some(addition), &mut tokens, &ranges);
        }
        let mut starts = start_tokens(simd, &tokens, &ranges);
        if let Some((layer, addition)) = last {
            let seen = layer.attended(simd, Some(addition), &tokens, &ranges);
            let seen = start_tokens(simd, &seen, &ranges);
            layer.after_attention(simd, Some(addition), &mut starts, &seen, pairs.len());
        }
        let mut pooled = Blocks::zeros(simd, pairs.len(), FEATURES);
        add_linear(simd, &adapter.pooled, &starts, &mut pooled);
        (0..pairs.len()).map(|index| scores(adapter, &pooled, index)).collect()
    }
}

/// Returns the vector of the first token of each text.
fn start_tokens<S: Simd>(simd: S, tokens: &Blocks<S>, texts: &[Range<usize>]) -> Blocks<S> {
    let mut starts = Blocks::zeros(simd, texts.len(), FEATURES);
    for (index, text) in texts.iter().enumerate() {
        let (from, to) = (tokens.at(text.start), starts.at(index));
        for feature in 0..FEATURES {
            starts.numbers_mut()[to + feature * S::F32_LANES] =
                tokens.numbers()[from + feature * S::F32_LANES];
        }
    }
    starts
}

fn scores<S: Simd>(adapter: &Adapter, pooled: &Blocks<S>, index: usize) -> [f32; CLASSES] {
    let parts = pooled.numbers()[pooled.at(index)..].iter().step_by(S::F32_LANES);
    let vector: Vec<f32> = parts.take(FEATURES).map(|part| part.tanh()).collect();
    let mut scores = [0.0; CLASSES];
    for ((score, row), bias) in scores.iter_mut().zip(&adapter.classes).zip(&adapter.class_bias) {
        *score = bias + row.iter().zip(&vector).map(|(weight, part)| weight * part).sum::<f32>();
    }
    scores
}
