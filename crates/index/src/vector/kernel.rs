//! Computes the cosines of one vector with many quantized vectors, in plain loops that the compiler
//! vectorizes.

use super::rows::{ROW_HEAD_BYTES, key_of};
use super::table::SimilarityScan;
use cm_text::embedding::Embedding;

/// The query vector, quantized more finely than the rows but small enough that no sum overflows.
pub(super) struct QueryVector {
    parts: Vec<i16>,
    scale: f32,
}

impl QueryVector {
    pub(super) fn of(embedding: &Embedding) -> Self {
        let most = embedding.parts().iter().fold(0.0f32, |most, part| most.max(part.abs()));
        let bound = i32::MAX as f32 / 128.0 / embedding.dimension().max(1) as f32;
        let scale = most / bound.min(16_000.0).floor();
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        Self { parts: embedding.parts().iter().map(|part| (part * inverse).round() as i16).collect(), scale }
    }
}

/// Returns the passage key of each row and the row's cosine with `needle`; `stride` is the length
/// of a row in bytes.
pub(super) fn scan(needle: &QueryVector, rows: &[u8], stride: usize) -> SimilarityScan {
    pulp::Arch::new().dispatch(Scan { needle, rows, stride })
}

/// A scan, compiled for each instruction set. A closure is not always inlined; it is then compiled
/// for the baseline processor.
struct Scan<'a> {
    needle: &'a QueryVector,
    rows: &'a [u8],
    stride: usize,
}

impl pulp::NullaryFnOnce for Scan<'_> {
    type Output = SimilarityScan;

    #[inline(always)]
    fn call(self) -> SimilarityScan {
        let Self { needle, rows, stride } = self;
        let count = rows.len() / stride;
        let mut scan = SimilarityScan { keys: Vec::with_capacity(count), cosines: Vec::with_capacity(count) };
        for row in rows.chunks_exact(stride) {
            let (head, codes) = row.split_at(ROW_HEAD_BYTES);
            scan.keys.push(key_of(row));
            scan.cosines.push(dot(&needle.parts, codes) as f32 * needle.scale * scale(head));
        }
        scan
    }
}

#[inline(always)]
fn dot(needle: &[i16], codes: &[u8]) -> i32 {
    // Whole blocks first: a fixed length lets the compiler keep everything in registers. Widened to the needle's size
    // before they are multiplied, two products are one instruction.
    const BLOCK: usize = 64;
    let (blocks, rest) = codes.as_chunks::<BLOCK>();
    let (needle_blocks, needle_rest) = needle.as_chunks::<BLOCK>();
    let product = |(code, part): (&i16, &i16)| i32::from(*code) * i32::from(*part);
    let mut sum = 0;
    for (codes, parts) in blocks.iter().zip(needle_blocks) {
        let wide = codes.map(|code| i16::from(code as i8));
        sum += wide.iter().zip(parts).map(product).sum::<i32>();
    }
    let rest = rest.iter().map(|code| i16::from(*code as i8)).zip(needle_rest);
    sum + rest.map(|(code, part)| product((&code, part))).sum::<i32>()
}

fn scale(head: &[u8]) -> f32 {
    let mut scale = [0; 4];
    scale.copy_from_slice(&head[12..16]);
    f32::from_le_bytes(scale)
}

/// Decodes the vector of a row.
pub(super) fn embedding(row: &[u8]) -> Option<Embedding> {
    let (head, codes) = row.split_at(ROW_HEAD_BYTES);
    let scale = scale(head);
    Embedding::of(codes.iter().map(|code| f32::from(*code as i8) * scale).collect())
}
