//! Quantized matrices with 4 or 8 bits per number and a shared scale per group.
//!
//! They stay in the program file; rows are dequantized on demand.

use crate::Error;
use crate::builtin::bytes::WeightReader;

/// Number of bits per entry of a quantized matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// Two numbers per byte and one scale per group of this many numbers, 32 or 64. The low halves
    /// of a group's bytes hold its first half.
    Four(usize),
    /// One number per byte and one scale per row.
    Eight,
}

impl Width {
    pub fn bits(self) -> usize {
        match self {
            Self::Four(_) => 4,
            Self::Eight => 8,
        }
    }
}

/// A quantized matrix.
#[derive(Debug)]
pub struct Quantized {
    width: Width,
    columns: usize,
    /// Scales as 16-bit floats.
    scales: &'static [u8],
    codes: &'static [u8],
}

impl Quantized {
    /// Reads a matrix: all scales, then all codes.
    pub fn read(file: &mut WeightReader, rows: usize, columns: usize, width: Width) -> Result<Self, Error> {
        let groups = match width {
            Width::Four(group) => columns / group,
            Width::Eight => 1,
        };
        let scales = file.take(rows * groups * 2)?;
        let codes = file.take(rows * columns * width.bits() / 8)?;
        Ok(Self { width, columns, scales, codes })
    }

    pub fn rows(&self) -> usize {
        self.codes.len() * 8 / self.width.bits() / self.columns
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Dequantizes a row into `out`. Must be inlined into code that is compiled for the detected
    /// processor.
    #[inline(always)]
    pub fn row(&self, index: usize, out: &mut [f32]) {
        match self.width {
            // Constants, so that each is compiled to loops of a fixed length.
            Width::Four(32) => self.fours::<32>(index, out),
            Width::Four(_) => self.fours::<64>(index, out),
            Width::Eight => self.eights(index, out),
        }
    }

    #[inline(always)]
    fn fours<const GROUP: usize>(&self, index: usize, out: &mut [f32]) {
        let groups = self.columns / GROUP;
        let (scales, _) = self.scales[index * groups * 2..][..groups * 2].as_chunks();
        let codes = self.codes[index * self.columns / 2..][..self.columns / 2].chunks_exact(GROUP / 2);
        for ((out, codes), scale) in out.chunks_exact_mut(GROUP).zip(codes).zip(scales) {
            let scale = half(*scale);
            let (low, high) = out.split_at_mut(GROUP / 2);
            for ((low, high), code) in low.iter_mut().zip(high).zip(codes) {
                *low = (i32::from(*code & 15) - 8) as f32 * scale;
                *high = (i32::from(*code >> 4) - 8) as f32 * scale;
            }
        }
    }

    #[inline(always)]
    fn eights(&self, index: usize, out: &mut [f32]) {
        let scale = half([self.scales[index * 2], self.scales[index * 2 + 1]]);
        let codes = &self.codes[index * self.columns..][..self.columns];
        for (out, code) in out.iter_mut().zip(codes) {
            *out = f32::from(code.cast_signed()) * scale;
        }
    }
}

/// Converts a 16-bit float (IEEE 754) exactly. The multiplication adjusts the exponent and also
/// handles subnormal numbers.
#[inline(always)]
fn half(bytes: [u8; 2]) -> f32 {
    const MOVE: f32 = f32::from_bits((127 + 127 - 15) << 23);
    let bits = u32::from(u16::from_le_bytes(bytes));
    let size = f32::from_bits((bits & 0x7fff) << 13) * MOVE;
    f32::from_bits(size.to_bits() | (bits & 0x8000) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sixteen_bits_are_read_exactly() {
        for (bits, number) in [
            (0x0000, 0.0),
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x0001, 2f32.powi(-24)),
            (0x7BFF, 65504.0),
            (0x3555, 0.333_251_95),
        ] {
            assert_eq!(half(u16::to_le_bytes(bits)), number, "{bits:x}");
        }
    }

    #[test]
    fn a_row_of_four_bits_keeps_a_groups_first_half_in_the_lower_halves() {
        // Two rows of one group: scales 1 and 2; the codes of the first go up from -8.
        let mut bytes = vec![0x00, 0x3C, 0x00, 0x40];
        bytes.extend((0..32).map(|code: u8| (code % 16) | ((15 - code % 16) << 4)));
        bytes.extend([0x8F; 32]);
        let mut file = WeightReader::new("test", bytes.leak());
        let matrix = Quantized::read(&mut file, 2, 64, Width::Four(64)).unwrap();
        assert_eq!((matrix.rows(), file.rest().len()), (2, 0));
        let mut row = [0.0; 64];
        matrix.row(0, &mut row);
        assert_eq!((row[0], row[15], row[32], row[63]), (-8.0, 7.0, 7.0, -8.0));
        matrix.row(1, &mut row);
        assert_eq!((row[0], row[32]), (14.0, 0.0));
    }

    #[test]
    fn each_group_of_four_bit_numbers_has_its_own_scale() {
        let mut bytes = vec![0x00, 0x3C, 0x00, 0x40];
        bytes.extend([0x79; 32]);
        let mut file = WeightReader::new("test", bytes.leak());
        let matrix = Quantized::read(&mut file, 1, 64, Width::Four(32)).unwrap();
        let mut row = [0.0; 64];
        matrix.row(0, &mut row);
        assert_eq!((row[0], row[16], row[32], row[48]), (1.0, -1.0, 2.0, -2.0));
    }

    #[test]
    fn a_row_of_eight_bits_has_one_scale() {
        let bytes = vec![0x00, 0x3C, 0x00, 0x38, 1, 0xFF, 0x80, 4];
        let matrix =
            Quantized::read(&mut WeightReader::new("test", bytes.leak()), 2, 2, Width::Eight).unwrap();
        let mut row = [0.0; 2];
        matrix.row(1, &mut row);
        assert_eq!((matrix.rows(), row), (2, [-64.0, 2.0]));
    }
}
