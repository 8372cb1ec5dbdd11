//! Multi-head self-attention over the tokens of a text.

use std::ops::Range;

use pulp::Simd;

use super::blocks::Blocks;
use super::functions::exponentials;
use super::product::{ROWS, add_product};
use super::weights::{FEATURES, HEADS};

/// Number of features per head.
const HEAD_FEATURES: usize = FEATURES / HEADS;

/// Writes the attention output of each token of `text` to `seen`. `projected` holds query, key and
/// value of every token.
pub fn attend<S: Simd>(simd: S, projected: &Blocks<S>, text: Range<usize>, seen: &mut Blocks<S>) {
    let count = text.len();
    let padded = count.next_multiple_of(ROWS);
    let mut head = AttentionHead {
        queries: Blocks::zeros(simd, count, HEAD_FEATURES),
        keys: vec![0.0; padded * HEAD_FEATURES],
        values: vec![0.0; HEAD_FEATURES * count],
    };
    for index in 0..HEADS {
        head.gather(projected, text.clone(), index * HEAD_FEATURES);
        let mut scores = Blocks::zeros(simd, count, padded);
        add_product(simd, &head.keys, HEAD_FEATURES, &head.queries, &mut scores);
        let sums = exponentials(simd, &mut scores, count);
        let mut mixed = Blocks::zeros(simd, count, HEAD_FEATURES);
        add_product(simd, &head.values, count, &scores, &mut mixed);
        divide(simd, &mut mixed, &sums);
        scatter(&mixed, seen, text.clone(), index * HEAD_FEATURES);
    }
}

/// Query, key and value matrices of one head for one text.
struct AttentionHead<S: Simd> {
    queries: Blocks<S>,
    /// Key vectors, one token after another.
    keys: Vec<f32>,
    /// Value vectors, transposed: one feature of all tokens after another.
    values: Vec<f32>,
}

impl<S: Simd> AttentionHead<S> {
    fn gather(&mut self, projected: &Blocks<S>, text: Range<usize>, first: usize) {
        let numbers = projected.numbers();
        let count = text.len();
        let scale = 1.0 / (HEAD_FEATURES as f32).sqrt();
        for (index, token) in text.enumerate() {
            let from = projected.at(token) + first * S::F32_LANES;
            let feature = |feature: usize| numbers[from + feature * S::F32_LANES];
            let to = self.queries.at(index);
            let queries = &mut self.queries.numbers_mut()[to..];
            for part in 0..HEAD_FEATURES {
                queries[part * S::F32_LANES] = feature(part) * scale;
                self.keys[index * HEAD_FEATURES + part] = feature(FEATURES + part);
                self.values[part * count + index] = feature(2 * FEATURES + part);
            }
        }
    }
}

/// Divides the features of each token by the token's number in `by`, which has one register per
/// block.
fn divide<S: Simd>(simd: S, tokens: &mut Blocks<S>, by: &[S::f32s]) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (block, sum) in tokens.blocks_mut().zip(by) {
                let factor = simd.div_f32s(simd.splat_f32s(1.0), *sum);
                block.iter_mut().for_each(|part| *part = simd.mul_f32s(*part, factor));
            }
        },
    );
}

/// Copies the vectors of a text to its tokens in `whole`, starting at feature `first`.
fn scatter<S: Simd>(part: &Blocks<S>, whole: &mut Blocks<S>, text: Range<usize>, first: usize) {
    for (index, token) in text.enumerate() {
        let (from, to) = (part.at(index), whole.at(token) + first * S::F32_LANES);
        for feature in 0..part.features() {
            whole.numbers_mut()[to + feature * S::F32_LANES] = part.numbers()[from + feature * S::F32_LANES];
        }
    }
}
