//! Quality metrics of rankings.
//!
//! Recall@k: share of the relevant documents among the first k. nDCG@10: gain 2^degree − 1,
//! discount log2(rank + 1), normalized by the best possible order. MRR: reciprocal rank of the
//! first relevant document within the ranking.

use std::collections::{BTreeMap, HashSet};
use std::iter::Sum;
use std::ops::{Add, Div};

/// Metrics of one question, or their mean.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RankingMetrics {
    /// Recall among the first five hits.
    pub recall_5: f64,
    /// Recall among the first ten hits.
    pub recall_10: f64,
    /// nDCG of the first ten hits.
    pub ndcg_10: f64,
    /// Reciprocal rank of the first relevant hit.
    pub mrr: f64,
}

/// Computes the metrics of a ranking, best first. Only the first occurrence of a document counts.
pub fn figures<'a>(
    ranking: impl IntoIterator<Item = &'a str>,
    relevant: &BTreeMap<String, u32>,
) -> RankingMetrics {
    let mut seen = HashSet::new();
    let degrees: Vec<u32> = ranking
        .into_iter()
        .filter(|id| seen.insert(*id))
        .map(|id| relevant.get(id).copied().unwrap_or(0))
        .collect();
    let found = |most: usize| degrees.iter().take(most).filter(|degree| **degree > 0).count() as f64;
    let mut best: Vec<u32> = relevant.values().copied().collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    let share = |of: f64, all: f64| if all > 0.0 { of / all } else { 0.0 };
    RankingMetrics {
        recall_5: share(found(5), relevant.len() as f64),
        recall_10: share(found(10), relevant.len() as f64),
        ndcg_10: share(gain(&degrees), gain(&best)),
        mrr: degrees.iter().position(|degree| *degree > 0).map_or(0.0, |at| 1.0 / (at + 1) as f64),
    }
}

fn gain(degrees: &[u32]) -> f64 {
    let ranked = degrees.iter().take(10).enumerate();
    ranked.map(|(at, degree)| (f64::from(*degree).exp2() - 1.0) / ((at + 2) as f64).log2()).sum()
}

/// Returns the mean of some metrics; zeros if there are none.
pub fn mean(figures: impl IntoIterator<Item = RankingMetrics>) -> RankingMetrics {
    let mut count = 0;
    let sum: RankingMetrics = figures.into_iter().inspect(|_| count += 1).sum();
    sum / f64::from(count.max(1))
}

impl Add for RankingMetrics {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            recall_5: self.recall_5 + other.recall_5,
            recall_10: self.recall_10 + other.recall_10,
            ndcg_10: self.ndcg_10 + other.ndcg_10,
            mrr: self.mrr + other.mrr,
        }
    }
}

impl Sum for RankingMetrics {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::add)
    }
}

impl Div<f64> for RankingMetrics {
    type Output = Self;

    fn div(self, by: f64) -> Self {
        Self {
            recall_5: self.recall_5 / by,
            recall_10: self.recall_10 / by,
            ndcg_10: self.ndcg_10 / by,
            mrr: self.mrr / by,
        }
    }
}

/// Counts of a binary classification.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// True positives.
    pub right: usize,
    /// False positives.
    pub wrong: usize,
    /// False negatives.
    pub missed: usize,
}

impl Tally {
    /// Counts rows of (actual, predicted).
    pub fn of(rows: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut tally = Self::default();
        for row in rows {
            match row {
                (true, true) => tally.right += 1,
                (false, true) => tally.wrong += 1,
                (true, false) => tally.missed += 1,
                (false, false) => {}
            }
        }
        tally
    }

    /// Share of the predicted positives that are correct; 0 if there are none.
    pub fn precision(self) -> f64 {
        self.share(self.right + self.wrong, 1)
    }

    /// Share of the actual positives that were predicted; 0 if there are none.
    pub fn recall(self) -> f64 {
        self.share(self.right + self.missed, 1)
    }

    /// Harmonic mean of precision and recall.
    pub fn f1(self) -> f64 {
        self.share(2 * self.right + self.wrong + self.missed, 2)
    }

    fn share(self, of: usize, times: usize) -> f64 {
        if of == 0 { 0.0 } else { (times * self.right) as f64 / of as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn degrees(labels: &[(&str, u32)]) -> BTreeMap<String, u32> {
        labels.iter().map(|(id, degree)| ((*id).to_owned(), *degree)).collect()
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    #[test]
    fn a_ranking_is_measured_as_by_hand() {
        // Answers at ranks 2 (degree 1) and 6 (degree 2); a third one is not found.
        let found = figures(["x", "a", "y", "z", "u", "b"], &degrees(&[("a", 1), ("b", 2), ("c", 1)]));
        near(found.recall_5, 1.0 / 3.0);
        near(found.recall_10, 2.0 / 3.0);
        near(found.mrr, 0.5);
        let dcg = 1.0 / 3f64.log2() + 3.0 / 7f64.log2();
        near(found.ndcg_10, dcg / (3.0 + 1.0 / 3f64.log2() + 0.5));
    }

    #[test]
    fn the_best_order_is_one_and_no_answer_is_zero() {
        let labels = degrees(&[("a", 1), ("b", 2)]);
        assert_eq!(
            figures(["b", "a"], &labels),
            RankingMetrics { recall_5: 1.0, recall_10: 1.0, ndcg_10: 1.0, mrr: 1.0 }
        );
        assert_eq!(figures(["x"], &labels), RankingMetrics::default());
        assert_eq!(figures([], &labels), RankingMetrics::default());
    }

    #[test]
    fn what_is_listed_twice_counts_once_and_the_eleventh_only_for_the_rank() {
        let labels = degrees(&[("a", 1)]);
        near(figures(["x", "x", "a"], &labels).mrr, 0.5);
        let ids: Vec<String> = (0..10).map(|at| at.to_string()).chain(["a".to_owned()]).collect();
        let late = figures(ids.iter().map(String::as_str), &labels);
        assert_eq!((late.recall_10, late.ndcg_10), (0.0, 0.0));
        near(late.mrr, 1.0 / 11.0);
    }

    #[test]
    fn a_mean_is_over_the_questions() {
        let one = RankingMetrics { recall_5: 1.0, recall_10: 1.0, ndcg_10: 0.5, mrr: 0.25 };
        assert_eq!(mean([one, RankingMetrics::default()]), one / 2.0);
        assert_eq!(mean([]), RankingMetrics::default());
    }

    #[test]
    fn a_tally_gives_precision_recall_and_f1() {
        let rows = [(true, true), (true, true), (false, true), (true, false), (true, false), (false, false)];
        let tally = Tally::of(rows);
        assert_eq!(tally, Tally { right: 2, wrong: 1, missed: 2 });
        near(tally.precision(), 2.0 / 3.0);
        near(tally.recall(), 0.5);
        near(tally.f1(), 4.0 / 7.0);
        assert_eq!(Tally::default().f1(), 0.0);
    }
}
