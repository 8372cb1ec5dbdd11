//! Cosines of one vector with many that are kept as bytes, in plain loops that the compiler turns into the widest
//! instructions of the machine it runs on.

use super::rows::ROW_HEAD;
use crate::domain::embedding::Embedding;

/// The vector that others are compared with, in whole numbers too: finer than theirs, and so small that no sum overflows.
pub(super) struct Needle {
    parts: Vec<i16>,
    scale: f32,
}

impl Needle {
    pub(super) fn of(embedding: &Embedding) -> Self {
        let most = embedding.parts().iter().fold(0.0f32, |most, part| most.max(part.abs()));
        let bound = i32::MAX as f32 / 128.0 / embedding.dimension().max(1) as f32;
        let scale = most / bound.min(16_000.0).floor();
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        Self { parts: embedding.parts().iter().map(|part| (part * inverse).round() as i16).collect(), scale }
    }
}

/// The cosine of the needle with each row.
pub(super) fn cosines(needle: &Needle, rows: &[u8], stride: usize) -> Vec<f32> {
    let mut cosines = vec![0.0; rows.len() / stride];
    pulp::Arch::new().dispatch(|| all(needle, rows, stride, &mut cosines));
    cosines
}

#[inline(always)]
fn all(needle: &Needle, rows: &[u8], stride: usize, cosines: &mut [f32]) {
    for (row, cosine) in rows.chunks_exact(stride).zip(cosines) {
        let (head, codes) = row.split_at(ROW_HEAD);
        *cosine = dot(&needle.parts, codes) as f32 * needle.scale * scale(head);
    }
}

#[inline(always)]
fn dot(needle: &[i16], codes: &[u8]) -> i32 {
    // Whole blocks first: a fixed length lets the compiler keep everything in registers.
    const BLOCK: usize = 64;
    let (blocks, rest) = codes.as_chunks::<BLOCK>();
    let (needle_blocks, needle_rest) = needle.as_chunks::<BLOCK>();
    let mut sums = [0i32; BLOCK];
    for (code, part) in blocks.iter().zip(needle_blocks) {
        for at in 0..BLOCK {
            sums[at] += i32::from(code[at] as i8) * i32::from(part[at]);
        }
    }
    let rest: i32 =
        rest.iter().zip(needle_rest).map(|(code, part)| i32::from(*code as i8) * i32::from(*part)).sum();
    sums.iter().sum::<i32>() + rest
}

fn scale(head: &[u8]) -> f32 {
    let mut scale = [0; 4];
    scale.copy_from_slice(&head[12..16]);
    f32::from_le_bytes(scale)
}

/// The vector that a row holds.
pub(super) fn embedding(row: &[u8]) -> Option<Embedding> {
    let (head, codes) = row.split_at(ROW_HEAD);
    let scale = scale(head);
    Embedding::of(codes.iter().map(|code| f32::from(*code as i8) * scale).collect())
}
