//! Token vectors in SIMD layout: each register holds one feature of as many tokens as it has lanes.
//!
//! Sums over features need no shuffling, and matrix products read memory sequentially.

use pulp::Simd;

/// Vectors of `features` numbers, in blocks of one token per register lane.
#[derive(Debug, Clone)]
pub struct Blocks<S: Simd> {
    features: usize,
    /// Registers ordered by block, then by feature.
    registers: Vec<S::f32s>,
}

impl<S: Simd> Blocks<S> {
    /// Creates zero vectors for at least `tokens` tokens.
    pub fn zeros(simd: S, tokens: usize, features: usize) -> Self {
        let blocks = tokens.div_ceil(S::F32_LANES);
        Self { features, registers: vec![simd.splat_f32s(0.0); blocks * features] }
    }

    /// Number of features per vector.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Iterates over the blocks, each a slice of one register per feature.
    pub fn blocks_mut(&mut self) -> std::slice::ChunksExactMut<'_, S::f32s> {
        self.registers.chunks_exact_mut(self.features)
    }

    /// Returns all registers, ordered by block.
    pub fn registers(&self) -> &[S::f32s] {
        &self.registers
    }

    /// Returns all registers, ordered by block.
    pub fn registers_mut(&mut self) -> &mut [S::f32s] {
        &mut self.registers
    }

    /// Returns all numbers. Feature `f` of token `t` is at `self.at(t) + f * lanes`.
    pub fn numbers(&self) -> &[f32] {
        bytemuck::cast_slice(&self.registers)
    }

    pub fn numbers_mut(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(&mut self.registers)
    }

    /// Returns the position of a token's first feature among the numbers. Consecutive features are
    /// one register width apart.
    pub fn at(&self, token: usize) -> usize {
        token / S::F32_LANES * self.features * S::F32_LANES + token % S::F32_LANES
    }
}
