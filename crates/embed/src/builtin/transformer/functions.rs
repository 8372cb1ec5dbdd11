//! Element-wise functions between the matrix products, computed one register at a time.

use pulp::Simd;

use super::blocks::Blocks;
use super::weights::LayerNorm;

/// Layer normalization of every token's vector.
pub fn normalize<S: Simd>(simd: S, tokens: &mut Blocks<S>, norm: &LayerNorm) {
    simd.vectorize(
        #[inline(always)]
        || {
            let share = simd.splat_f32s(1.0 / tokens.features() as f32);
            for block in tokens.blocks_mut() {
                let mut mean = simd.splat_f32s(0.0);
                for part in block.iter() {
                    mean = simd.add_f32s(mean, *part);
                }
                mean = simd.mul_f32s(mean, share);
                let mut square = simd.splat_f32s(0.0);
                for part in block.iter_mut() {
                    *part = simd.sub_f32s(*part, mean);
                    square = simd.mul_add_e_f32s(*part, *part, square);
                }
                let variance = simd.mul_add_e_f32s(square, share, simd.splat_f32s(1e-12));
                let factor = simd.div_f32s(simd.splat_f32s(1.0), simd.sqrt_f32s(variance));
                for ((part, scale), shift) in block.iter_mut().zip(&norm.scale).zip(&norm.shift) {
                    let scaled = simd.mul_f32s(simd.mul_f32s(*part, factor), simd.splat_f32s(*scale));
                    *part = simd.add_f32s(scaled, simd.splat_f32s(*shift));
                }
            }
        },
    );
}

/// Applies GELU, `x · Φ(x)`, to all features.
pub fn gelu<S: Simd>(simd: S, tokens: &mut Blocks<S>) {
    simd.vectorize(
        #[inline(always)]
        || {
            for part in tokens.registers_mut() {
                *part = gelu_of(simd, *part);
            }
        },
    );
}

/// Replaces each token's first `count` scores by their exponentials and returns the sums per block.
/// Dividing by the sums completes the softmax.
pub fn exponentials<S: Simd>(simd: S, scores: &mut Blocks<S>, count: usize) -> Vec<S::f32s> {
    let mut sums = Vec::new();
    simd.vectorize(
        #[inline(always)]
        || {
            for block in scores.blocks_mut() {
                let block = &mut block[..count];
                let mut most = simd.splat_f32s(f32::MIN);
                for score in block.iter() {
                    most = simd.max_f32s(most, *score);
                }
                let mut sum = simd.splat_f32s(0.0);
                for score in block.iter_mut() {
                    *score = exp(simd, simd.sub_f32s(*score, most));
                    sum = simd.add_f32s(sum, *score);
                }
                sums.push(sum);
            }
        },
    );
    sums
}

/// GELU with the error function from Abramowitz and Stegun 7.1.26, with an error below 2e-7.
#[inline(always)]
fn gelu_of<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const TERMS: [f32; 5] = [1.061_405_4, -1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6];
    let one = simd.splat_f32s(1.0);
    let size = simd.mul_f32s(simd.abs_f32s(x), simd.splat_f32s(std::f32::consts::FRAC_1_SQRT_2));
    let t = simd.div_f32s(one, simd.mul_add_e_f32s(size, simd.splat_f32s(0.327_591_1), one));
    let power = exp(simd, simd.neg_f32s(simd.mul_f32s(size, size)));
    let tail = simd.mul_f32s(simd.mul_f32s(polynomial(simd, t, TERMS), t), power);
    // x · Φ(x) = (x + |x| · erf(|x| / √2)) / 2, since both of the latter change sign with x.
    let error = simd.sub_f32s(one, tail);
    simd.mul_f32s(simd.mul_add_e_f32s(simd.abs_f32s(x), error, x), simd.splat_f32s(0.5))
}

/// Exponential function for arguments up to 88, accurate to six digits: 2ⁿ · eʳ with small r.
#[inline(always)]
fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const TERMS: [f32; 7] = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    // A number is rounded to a whole one by adding one that is so large that no fraction fits in.
    const ROUNDING_SUMMAND: f32 = 12_582_912.0;
    let x = simd.max_f32s(x, simd.splat_f32s(-87.0));
    let large = simd.splat_f32s(ROUNDING_SUMMAND);
    let shifted = simd.mul_add_e_f32s(x, simd.splat_f32s(std::f32::consts::LOG2_E), large);
    let whole = simd.sub_f32s(shifted, large);
    let rest = simd.mul_add_e_f32s(whole, simd.splat_f32s(-std::f32::consts::LN_2), x);
    // The whole number is in the lower bits of the shifted one; in the exponent's place it is a power of two.
    let exponent =
        simd.sub_u32s(simd.transmute_u32s_f32s(shifted), simd.splat_u32s(ROUNDING_SUMMAND.to_bits() - 127));
    let power = simd.wrapping_dyn_shl_u32s(exponent, simd.splat_u32s(23));
    simd.mul_f32s(polynomial(simd, rest, TERMS), simd.transmute_f32s_u32s(power))
}

/// Evaluates a polynomial. The coefficients are ordered by descending degree.
#[inline(always)]
fn polynomial<S: Simd, const COUNT: usize>(simd: S, x: S::f32s, terms: [f32; COUNT]) -> S::f32s {
    let mut sum = simd.splat_f32s(0.0);
    for term in terms {
        sum = simd.mul_add_e_f32s(sum, x, simd.splat_f32s(term));
    }
    sum
}

#[cfg(test)]
mod tests {
    use pulp::{Arch, WithSimd};

    use super::*;

    /// Applies a register function to a slice of numbers.
    struct Apply<'a>(&'a mut [f32], bool);

    impl WithSimd for Apply<'_> {
        type Output = ();

        fn with_simd<S: Simd>(self, simd: S) {
            let mut blocks = Blocks::zeros(simd, self.0.len(), 1);
            blocks.numbers_mut()[..self.0.len()].copy_from_slice(self.0);
            if self.1 {
                gelu(simd, &mut blocks);
            } else {
                blocks.registers_mut().iter_mut().for_each(|part| *part = exp(simd, *part));
            }
            self.0.copy_from_slice(&blocks.numbers()[..self.0.len()]);
        }
    }

    #[test]
    fn powers_of_e_are_right_to_six_digits() {
        let xs: Vec<f32> = (-860..=860).map(|tenth| tenth as f32 / 10.0).collect();
        let mut found = xs.clone();
        Arch::new().dispatch(Apply(&mut found, false));
        for (x, found) in xs.iter().zip(found) {
            let expected = f64::from(*x).exp();
            assert!((f64::from(found) / expected - 1.0).abs() < 1e-5, "{x}: {found} {expected}");
        }
    }

    #[test]
    fn powers_that_are_too_small_for_a_number_are_next_to_nothing() {
        let mut found = [-88.0, -1e9, f32::MIN];
        Arch::new().dispatch(Apply(&mut found, false));
        assert!(found.iter().all(|found| (0.0..1e-37).contains(found)), "{found:?}");
    }

    #[test]
    fn what_is_let_through_is_x_times_the_share_below_x() {
        let known = [(0.0, 0.0), (1.0, 0.841_344_8), (-1.0, -0.158_655_25), (3.0, 2.995_950_3), (-10.0, 0.0)];
        let mut found = known.map(|(x, _)| x);
        Arch::new().dispatch(Apply(&mut found, true));
        for (found, (x, expected)) in found.iter().zip(known) {
            assert!((found - expected).abs() < 1e-6, "{x}: {found} {expected}");
        }
    }
}
