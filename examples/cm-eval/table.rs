//! Formats measurements as Markdown tables, next to earlier results.

use std::time::Duration;

use crate::machine::quantile_ms;
use crate::metrics::{RankingMetrics, mean};
use crate::retrieval::{Run, by_group};
use crate::set::LabelledSet;

/// BM25 (k1 1.2, b 0.75, English stemming, title and text) by another implementation on the same
/// sets: recall@5, recall@10, nDCG@10 and MRR.
const BM25: [(&str, [f64; 4]); 9] = [
    ("locomo-session", [0.890, 0.933, 0.829, 0.812]),
    ("locomo-turn", [0.524, 0.594, 0.467, 0.454]),
    ("longmemeval-evidence", [0.810, 0.862, 0.775, 0.790]),
    ("beam-100k", [0.328, 0.413, 0.304, 0.338]),
    ("scifact", [0.743, 0.817, 0.695, 0.667]),
    ("nl2bash-tldr", [0.419, 0.498, 0.375, 0.401]),
    ("cosqa", [0.736, 0.826, 0.652, 0.601]),
    ("entire-sessions", [0.571, 0.662, 0.482, 0.442]),
    ("entire-learnings", [0.242, 0.342, 0.439, 0.828]),
];

/// A set with its results in each mode.
pub struct Measured {
    pub set: LabelledSet,
    /// One run per mode.
    pub runs: Vec<Run>,
}

fn published(set: &str) -> Option<RankingMetrics> {
    let (_, [recall_5, recall_10, ndcg_10, mrr]) = BM25.iter().find(|(name, _)| *name == set)?;
    Some(RankingMetrics { recall_5: *recall_5, recall_10: *recall_10, ndcg_10: *ndcg_10, mrr: *mrr })
}

/// Formats R@5 / R@10 / nDCG@10 / MRR.
pub fn cell(figures: Option<RankingMetrics>) -> String {
    figures.map_or_else(
        || "–".to_owned(),
        |it| format!("{:.3} / {:.3} / {:.3} / {:.3}", it.recall_5, it.recall_10, it.ndcg_10, it.mrr),
    )
}

/// Formats a table row.
pub fn row(cells: impl IntoIterator<Item = String>) -> String {
    format!("| {} |\n", cells.into_iter().collect::<Vec<_>>().join(" | "))
}

/// Formats the header of a table; columns from `right_from` on are right-aligned.
pub fn head(names: &[&str], right_from: usize) -> String {
    let rule = (0..names.len()).map(|at| if at < right_from { "---" } else { "---:" });
    format!("{}|{}|\n", row(names.iter().map(|name| (*name).to_owned())), rule.collect::<Vec<_>>().join("|"))
}

/// Formats the quality table: one row per set, one column per mode.
pub fn quality(measured: &[Measured]) -> String {
    let modes = modes(measured);
    let names: Vec<&str> = ["set", "questions", "BM25"].into_iter().chain(modes.iter().copied()).collect();
    let mut text = format!("R@5 / R@10 / nDCG@10 / MRR\n\n{}", head(&names, 1));
    let mut sums: Vec<Vec<RankingMetrics>> = vec![Vec::new(); modes.len() + 1];
    for Measured { set, runs } in measured {
        let published_metrics = published(&set.name);
        let figures: Vec<RankingMetrics> = runs.iter().map(overall).collect();
        // The mean is of the sets that have all columns.
        if let Some(metrics) = published_metrics {
            sums.iter_mut().zip([metrics].iter().chain(&figures)).for_each(|(sum, one)| sum.push(*one));
        }
        let scope = if by_group(&set.name) { " (own group)" } else { "" };
        let cells =
            [format!("{}{scope}", set.name), set.questions.len().to_string(), cell(published_metrics)];
        text += &row(cells.into_iter().chain(figures.into_iter().map(|one| cell(Some(one)))));
    }
    if sums[0].len() > 1 {
        let cells = [format!("mean of {} sets", sums[0].len()), String::new()];
        text += &row(cells.into_iter().chain(sums.into_iter().map(|sum| cell(Some(mean(sum))))));
    }
    text
}

/// Formats the cost table: one row per set, one column per mode.
pub fn cost(measured: &[Measured]) -> String {
    let modes = modes(measured);
    let names: Vec<&str> = ["set", "notes"].into_iter().chain(modes).collect();
    let mut text = format!("CPU ms of a question, median / 95th percentile; peak MB\n\n{}", head(&names, 1));
    for Measured { set, runs } in measured {
        let cells = runs.iter().map(|run| {
            let times: Vec<Duration> = run.answers.iter().map(|answer| answer.cpu).collect();
            let peak = run.peak_mb.map_or_else(|| "–".to_owned(), |mb| format!("{mb:.0}"));
            format!("{:.2} / {:.2}; {peak}", quantile_ms(&times, 0.5), quantile_ms(&times, 0.95))
        });
        text += &row([set.name.clone(), set.documents.len().to_string()].into_iter().chain(cells));
    }
    text
}

/// Formats the quality of one set by question category.
pub fn categories(Measured { set, runs }: &Measured) -> String {
    let mut categories: Vec<&str> = set.questions.iter().map(|question| question.category.as_str()).collect();
    categories.sort_unstable();
    categories.dedup();
    let modes = runs.iter().map(|run| run.mode.name);
    let names: Vec<&str> = ["category", "questions"].into_iter().chain(modes).collect();
    let mut text = format!("{}\n\n{}", set.name, head(&names, 1));
    for category in categories {
        let of = |run: &Run| -> Vec<RankingMetrics> {
            let rows = set.questions.iter().zip(&run.answers);
            rows.filter(|(question, _)| question.category == category)
                .map(|(_, answer)| answer.figures)
                .collect()
        };
        let count = set.questions.iter().filter(|question| question.category == category).count();
        let cells = runs.iter().map(|run| cell(Some(mean(of(run)))));
        text += &row([category.to_owned(), count.to_string()].into_iter().chain(cells));
    }
    text
}

fn overall(run: &Run) -> RankingMetrics {
    mean(run.answers.iter().map(|answer| answer.figures))
}

fn modes(measured: &[Measured]) -> Vec<&'static str> {
    measured.first().map(|one| one.runs.iter().map(|run| run.mode.name).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_rule_under_its_head_and_cells_of_four_figures() {
        assert_eq!(head(&["set", "n"], 1), "| set | n |\n|---|---:|\n");
        let figures = RankingMetrics { recall_5: 0.5, recall_10: 1.0, ndcg_10: 0.25, mrr: 0.1239 };
        assert_eq!(row([cell(Some(figures)), cell(None)]), "| 0.500 / 1.000 / 0.250 / 0.124 | – |\n");
    }
}
