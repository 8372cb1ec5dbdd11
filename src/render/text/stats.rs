//! Counts.

use super::style::{DIM, STRONG, count, paint};
use crate::ops::stats::Stats;

/// As text: a line a question.
pub fn stats(outcome: &Stats) -> String {
    let mut lines = format!("{}\n", paint(STRONG, &count(outcome.notes, "note")));
    let mut row = |name: &str, parts: Vec<String>| {
        if !parts.is_empty() {
            lines.push_str(&format!("{}  {}\n", paint(DIM, &format!("{name:>8}")), parts.join(", ")));
        }
    };
    row("kinds", outcome.kinds.iter().map(|(kind, n)| format!("{} {n}", kind.name())).collect());
    row("types", outcome.types.iter().map(|(name, n)| format!("{name} {n}")).collect());
    row("status", outcome.status.iter().map(|(status, n)| format!("{} {n}", status.name())).collect());
    row("edges", outcome.edges.iter().map(|(name, n)| format!("{name} {n}")).collect());
    row("orphans", vec![outcome.orphans.to_string()]);
    let tags: Vec<String> = outcome.top_tags.iter().map(|tag| format!("{} {}", tag.tag, tag.notes)).collect();
    row("tags", [vec![outcome.tags.to_string()], tags].concat());
    row(
        "findings",
        outcome.findings.iter().map(|(severity, n)| format!("{severity:?} {n}").to_lowercase()).collect(),
    );
    lines
}
