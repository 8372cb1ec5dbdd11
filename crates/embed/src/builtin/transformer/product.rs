//! Matrix products of weight rows with token vectors.
//!
//! The product is computed in tiles of several rows and blocks, so that each loaded number is used
//! several times and the sums fill the registers.

use pulp::Simd;

use super::blocks::Blocks;
use super::weights::Linear;

/// Number of rows multiplied at once. The row count of every matrix is a multiple of it.
pub const ROWS: usize = 8;

/// Adds the linear map of the input vectors, bias included, to the output vectors.
pub fn add_linear<S: Simd>(simd: S, map: &Linear, input: &Blocks<S>, output: &mut Blocks<S>) {
    simd.vectorize(
        #[inline(always)]
        || {
            for block in output.blocks_mut() {
                for (out, bias) in block.iter_mut().zip(&map.bias) {
                    *out = simd.add_f32s(*out, simd.splat_f32s(*bias));
                }
            }
            let columns = map.matrix.columns();
            let mut rows = vec![0.0; ROWS * columns];
            for first in (0..map.matrix.rows()).step_by(ROWS) {
                for (index, row) in rows.chunks_exact_mut(columns).enumerate() {
                    map.matrix.row(first + index, row);
                }
                add_rows(simd, &rows, columns, input, output, first);
            }
        },
    );
}

/// Adds the products of matrix rows with the input vectors. The number of rows must be a multiple
/// of [`ROWS`]; a row covers the first features of a vector.
pub fn add_product<S: Simd>(
    simd: S,
    matrix: &[f32],
    columns: usize,
    input: &Blocks<S>,
    output: &mut Blocks<S>,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (index, rows) in matrix.chunks_exact(ROWS * columns).enumerate() {
                add_rows(simd, rows, columns, input, output, index * ROWS);
            }
        },
    );
}

/// Adds the products of [`ROWS`] rows to the features from `first` on, in all blocks.
#[inline(always)]
fn add_rows<S: Simd>(
    simd: S,
    rows: &[f32],
    columns: usize,
    input: &Blocks<S>,
    output: &mut Blocks<S>,
    first: usize,
) {
    let (features, all) = (output.features(), input.registers().len() / input.features());
    let mut block = 0;
    while block < all {
        let from = &input.registers()[block * input.features()..];
        let to = &mut output.registers_mut()[block * features + first..];
        let stride = (input.features(), features);
        block += match all - block {
            1 => tile::<S, 1>(simd, rows, columns, from, to, stride),
            2 | 4 => tile::<S, 2>(simd, rows, columns, from, to, stride),
            _ => tile::<S, 3>(simd, rows, columns, from, to, stride),
        };
    }
}

/// Adds the products for `BLOCKS` blocks and returns that number. With few registers, half of the
/// rows are processed at a time.
#[inline(always)]
fn tile<S: Simd, const BLOCKS: usize>(
    simd: S,
    rows: &[f32],
    columns: usize,
    input: &[S::f32s],
    output: &mut [S::f32s],
    stride: (usize, usize),
) -> usize {
    if S::REGISTER_COUNT >= 32 {
        sums::<S, BLOCKS, ROWS>(simd, rows, columns, input, output, stride);
    } else {
        let (top, bottom) = rows.split_at(ROWS / 2 * columns);
        sums::<S, BLOCKS, { ROWS / 2 }>(simd, top, columns, input, output, stride);
        sums::<S, BLOCKS, { ROWS / 2 }>(simd, bottom, columns, input, &mut output[ROWS / 2..], stride);
    }
    BLOCKS
}

/// Adds the products of `HEIGHT` rows with `BLOCKS` blocks to `output`; all sums stay in registers.
#[inline(always)]
fn sums<S: Simd, const BLOCKS: usize, const HEIGHT: usize>(
    simd: S,
    rows: &[f32],
    columns: usize,
    input: &[S::f32s],
    output: &mut [S::f32s],
    stride: (usize, usize),
) {
    let mut row = [rows; HEIGHT];
    for (index, row) in row.iter_mut().enumerate() {
        *row = &rows[index * columns..][..columns];
    }
    let mut block = [input; BLOCKS];
    for (index, block) in block.iter_mut().enumerate() {
        *block = &input[index * stride.0..][..columns];
    }
    let mut sums = [[simd.splat_f32s(0.0); HEIGHT]; BLOCKS];
    for column in 0..columns {
        for height in 0..HEIGHT {
            let weight = simd.splat_f32s(row[height][column]);
            for (sums, block) in sums.iter_mut().zip(&block) {
                sums[height] = simd.mul_add_e_f32s(weight, block[column], sums[height]);
            }
        }
    }
    for (index, sums) in sums.iter().enumerate() {
        for (out, sum) in output[index * stride.1..].iter_mut().zip(sums) {
            *out = simd.add_f32s(*out, *sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::linalg::general_mat_mul;
    use ndarray::{ArrayView2, ArrayViewMut2};
    use pulp::{Arch, WithSimd};

    use super::*;

    /// Computes products for the given number of tokens, by registers and by the library.
    struct Both(usize);

    impl WithSimd for Both {
        type Output = (Vec<f32>, Vec<f32>);

        fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
            let columns = 21;
            let number = |index: usize| ((index * 7919) % 97) as f32 / 97.0 - 0.5;
            let rows: Vec<f32> = (0..ROWS * columns).map(number).collect();
            let mut input = Blocks::zeros(simd, self.0, columns + 3);
            input.numbers_mut().iter_mut().enumerate().for_each(|(index, part)| *part = number(index + 5));
            let mut ours = Blocks::zeros(simd, self.0, 2 * ROWS + 1);
            ours.numbers_mut().iter_mut().enumerate().for_each(|(index, part)| *part = number(index));
            let mut theirs = ours.clone();
            add_rows(simd, &rows, columns, &input, &mut ours, ROWS);
            add_rows_by_library(&rows, columns, &input, &mut theirs, ROWS);
            (ours.numbers().to_vec(), theirs.numbers().to_vec())
        }
    }

    fn add_rows_by_library<S: Simd>(
        rows: &[f32],
        columns: usize,
        input: &Blocks<S>,
        output: &mut Blocks<S>,
        first: usize,
    ) {
        let (lanes, from, to) = (S::F32_LANES, input.features(), output.features());
        let blocks = input.numbers().chunks_exact(from * lanes);
        for (input, output) in blocks.zip(output.numbers_mut().chunks_exact_mut(to * lanes)) {
            let output = &mut output[first * lanes..(first + ROWS) * lanes];
            let rows = ArrayView2::from_shape((ROWS, columns), rows);
            let input = ArrayView2::from_shape((columns, lanes), &input[..columns * lanes]);
            let output = ArrayViewMut2::from_shape((ROWS, lanes), output);
            if let (Ok(rows), Ok(input), Ok(mut output)) = (rows, input, output) {
                general_mat_mul(1.0, &rows, &input, 1.0, &mut output);
            }
        }
    }

    #[test]
    fn products_are_those_of_the_library_for_any_number_of_blocks() {
        for tokens in [1, 16, 17, 40, 64, 70, 90, 120] {
            for (ours, theirs) in [Arch::new().dispatch(Both(tokens)), Both(tokens).with_simd(pulp::Scalar)] {
                assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-5), "{tokens}");
                assert!(ours.iter().any(|part| part.abs() > 0.6), "something was added");
            }
        }
    }
}
