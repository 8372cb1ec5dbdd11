//! Nearest neighbours among many embeddings, computed by block-wise matrix products.

use std::collections::BTreeSet;

use ndarray::{ArrayView2, Axis, Slice};

use cm_text::embedding::Embedding;

/// Number of embeddings that are multiplied as one matrix block.
const BLOCK_ROWS: usize = 256;

/// Returns pairs of indices with their cosines of at least `least`, if one is among the `most`
/// nearest neighbours of the other. On ties, lower indices are preferred.
pub fn neighbours(embeddings: &[Option<Embedding>], least: f64, most: usize) -> Vec<(usize, usize, f64)> {
    let embedded: Vec<(usize, &Embedding)> =
        embeddings.iter().enumerate().filter_map(|(at, embedding)| Some((at, embedding.as_ref()?))).collect();
    let dimension = embedded.first().map_or(0, |(_, first)| first.dimension());
    // Vectors of two models cannot be compared.
    let embedded: Vec<_> =
        embedded.into_iter().filter(|(_, embedding)| embedding.dimension() == dimension).collect();
    let parts: Vec<f32> = embedded.iter().flat_map(|(_, embedding)| embedding.parts()).copied().collect();
    let Ok(matrix) = ArrayView2::from_shape((embedded.len(), dimension), &parts) else { return Vec::new() };
    let mut nearest: Vec<Nearest> = vec![Nearest::default(); embedded.len()];
    for top in (0..embedded.len()).step_by(BLOCK_ROWS) {
        let rows = matrix.slice_axis(Axis(0), Slice::from(top..(top + BLOCK_ROWS).min(embedded.len())));
        let cosines = rows.dot(&matrix.slice_axis(Axis(0), Slice::from(top..)).t());
        for (row, cosines) in cosines.rows().into_iter().enumerate() {
            for (column, cosine) in cosines.iter().enumerate().skip(row + 1) {
                if f64::from(*cosine) >= least {
                    nearest[top + row].offer(*cosine, top + column, most);
                    nearest[top + column].offer(*cosine, top + row, most);
                }
            }
        }
    }
    let mut pairs = BTreeSet::new();
    for (at, nearest) in nearest.iter().enumerate() {
        pairs.extend(nearest.0.iter().map(|(_, other)| (at.min(*other), at.max(*other))));
    }
    let pair = |(a, b): (usize, usize)| (embedded[a].0, embedded[b].0, embedded[a].1.cosine(embedded[b].1));
    pairs.into_iter().map(pair).collect()
}

/// Cosines and indices of one rule's nearest neighbours, nearest first.
#[derive(Debug, Clone, Default)]
struct Nearest(Vec<(f32, usize)>);

impl Nearest {
    fn offer(&mut self, cosine: f32, other: usize, most: usize) {
        let place = self.0.partition_point(|(embedded, _)| *embedded >= cosine);
        if place < most {
            self.0.insert(place, (cosine, other));
            self.0.truncate(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedding(angle: f64) -> Option<Embedding> {
        Embedding::of(vec![angle.cos() as f32, angle.sin() as f32])
    }

    #[test]
    fn each_rule_has_its_nearest_and_far_ones_are_left_out() {
        let all: Vec<_> = [0.0, 0.1, 0.3, 3.0].into_iter().map(embedding).collect();
        let pairs = |most| -> Vec<(usize, usize)> {
            neighbours(&all, 0.5, most).into_iter().map(|(a, b, _)| (a, b)).collect()
        };
        assert_eq!(pairs(8), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(pairs(1), [(0, 1), (1, 2)]);
        assert_eq!(neighbours(&[None, embedding(1.0)], 0.5, 8), []);
    }

    #[test]
    fn blocks_leave_out_none() {
        let all: Vec<_> = (0..700).map(|at| embedding(f64::from(at) * 0.009)).collect();
        let mut expected = Vec::new();
        for a in 0..all.len() {
            for b in a + 1..all.len() {
                let cosine = all[a].as_ref().unwrap().cosine(all[b].as_ref().unwrap());
                expected.extend((cosine >= 0.99995).then_some((a, b)));
            }
        }
        let found: Vec<_> = neighbours(&all, 0.99995, 8).into_iter().map(|(a, b, _)| (a, b)).collect();
        assert!(expected.len() > 600);
        assert_eq!(found, expected);
    }
}
