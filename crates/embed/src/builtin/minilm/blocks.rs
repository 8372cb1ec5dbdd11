//! The vectors of many tokens, laid out for the processor: a register holds one feature of as many tokens as fit in.
//!
//! So sums over features need no shuffling, and the products of matrices read memory in order.

use pulp::Simd;

/// Vectors of so many features, of tokens in blocks of as many as a register has lanes.
#[derive(Debug, Clone)]
pub struct Blocks<S: Simd> {
    features: usize,
    /// Block after block, feature after feature.
    registers: Vec<S::f32s>,
}

impl<S: Simd> Blocks<S> {
    /// Zeros for at least so many tokens.
    pub fn zeros(simd: S, tokens: usize, features: usize) -> Self {
        let blocks = tokens.div_ceil(S::F32_LANES);
        Self { features, registers: vec![simd.splat_f32s(0.0); blocks * features] }
    }

    /// How many features a vector has.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The blocks, each a register a feature, to be changed.
    pub fn blocks_mut(&mut self) -> std::slice::ChunksExactMut<'_, S::f32s> {
        self.registers.chunks_exact_mut(self.features)
    }

    /// All registers, block after block.
    pub fn registers(&self) -> &[S::f32s] {
        &self.registers
    }

    /// All registers, to be changed.
    pub fn registers_mut(&mut self) -> &mut [S::f32s] {
        &mut self.registers
    }

    /// All numbers: feature `f` of token `t` is at `self.at(t) + f * lanes`.
    pub fn numbers(&self) -> &[f32] {
        bytemuck::cast_slice(&self.registers)
    }

    /// All numbers, to be changed.
    pub fn numbers_mut(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(&mut self.registers)
    }

    /// Where the first feature of a token is among the numbers; each next one is as many further as there are lanes.
    pub fn at(&self, token: usize) -> usize {
        token / S::F32_LANES * self.features * S::F32_LANES + token % S::F32_LANES
    }
}
