//! Forward pass over sentences with a fine-tuning of the last layers: how each is worded, and the scores
//! of its classes.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::super::Token;
use super::blocks::Blocks;
use super::forward::{look_up, ranges, sum};
use super::functions::normalize;
use super::sentence_adapter::SentenceAdapter;
use super::weights::{FEATURES, Weights};

/// A sentence: its tokens, with a start and an end token, and the index of what came before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentenceInContext {
    pub tokens: Vec<Token>,
    pub context: usize,
}

/// Output of the forward pass for one sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct SentenceOutput {
    /// Sum of the tokens' vectors after the layers without additions.
    pub wording: Vec<f32>,
    /// Score of each class, before the softmax.
    pub scores: Vec<f32>,
}

/// Input of a forward pass over sentences. Each has at least one token.
pub struct SentenceForward<'a> {
    pub weights: &'a Weights,
    pub adapter: &'a SentenceAdapter,
    pub sentences: &'a [SentenceInContext],
}

impl WithSimd for SentenceForward<'_> {
    /// One output per sentence.
    type Output = Vec<SentenceOutput>;

    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self { weights, adapter, sentences } = self;
        let texts: Vec<&[Token]> = sentences.iter().map(|sentence| &*sentence.tokens).collect();
        let ranges = ranges(&texts);
        let mut tokens = look_up(simd, weights, &texts);
        normalize(simd, &mut tokens, &weights.norm);
        let (first, last) = weights.layers.split_at(adapter.first.min(weights.layers.len()));
        for layer in first {
            layer.apply(simd, None, &mut tokens, &ranges);
        }
        let wordings: Vec<Vec<f32>> = ranges.iter().map(|range| sum(&tokens, range.clone())).collect();
        for (sentence, range) in sentences.iter().zip(&ranges) {
            let at = tokens.at(range.start);
            let parts = tokens.numbers_mut()[at..].iter_mut().step_by(S::F32_LANES);
            let context = adapter.contexts.get(sentence.context).into_iter().flatten();
            parts.zip(context).for_each(|(part, context)| *part += context);
        }
        for (layer, addition) in last.iter().zip(&adapter.layers) {
            layer.apply(simd, Some(addition), &mut tokens, &ranges);
        }
        let scores = ranges.iter().map(|range| scores(adapter, &tokens, range));
        wordings.into_iter().zip(scores).map(|(wording, scores)| SentenceOutput { wording, scores }).collect()
    }
}

fn scores<S: Simd>(adapter: &SentenceAdapter, tokens: &Blocks<S>, range: &Range<usize>) -> Vec<f32> {
    let start = tokens.numbers()[tokens.at(range.start)..].iter().step_by(S::F32_LANES).take(FEATURES);
    let length = range.len() as f32;
    let mean = sum(tokens, range.clone()).into_iter().map(|part| part / length);
    let vector: Vec<f32> = start.copied().chain(mean).collect();
    let score = |(row, bias): (&Vec<f32>, &f32)| {
        bias + row.iter().zip(&vector).map(|(weight, part)| weight * part).sum::<f32>()
    };
    adapter.classes.iter().zip(&adapter.class_bias).map(score).collect()
}
