//! `antigen_review.md`: the clusters of candidates, for review by a person.

use std::fmt::Write;

use super::inert_line;
use crate::friction::analysis::{CandidateClusters, FrictionAnalysis};
use crate::friction::antigen::by_words::WordCluster as ByWords;
use crate::friction::record::stamp;
use crate::friction::score::SessionQuality;

/// Maximum number of clusters that the review lists.
const MAX_LISTED_CLUSTERS: usize = 25;

/// The values that the review shows for a cluster of either rule set.
struct ReviewSection<'a> {
    heading: String,
    row: String,
    counts: String,
    notes: Vec<String>,
    contexts: &'a [String],
    errors: &'a [String],
    files: &'a [String],
    keywords: &'a [String],
}

pub fn review(analysis: &FrictionAnalysis) -> String {
    let (head, entries) = match &analysis.clusters {
        CandidateClusters::Classic(clusters) => {
            let head = concat!(
                "| # | Signal | Tool Pattern | Count | Sessions | Score | Median Peak |\n",
                "|---|--------|-------------|-------|----------|-------|-------------|"
            );
            let entries = clusters.iter().take(MAX_LISTED_CLUSTERS).map(|cluster| ReviewSection {
                heading: format!("{} | {}", cluster.anchor_signal, cluster.tool_pattern),
                row: format!(
                    "{} | {} | {} | {} | {} | {}",
                    cluster.anchor_signal,
                    cluster.tool_pattern,
                    cluster.count,
                    cluster.sessions,
                    cluster.score,
                    cluster.median_peak
                ),
                counts: counts(
                    cluster.count,
                    cluster.sessions,
                    cluster.score,
                    cluster.median_peak,
                    cluster.max_peak,
                ),
                notes: Vec::new(),
                contexts: &cluster.contexts,
                errors: &cluster.errors,
                files: &cluster.top_files,
                keywords: &cluster.top_keywords,
            });
            (head, entries.collect::<Vec<_>>())
        }
        CandidateClusters::Observed(clusters) => {
            let head = concat!(
                "| # | Signal | Artifact/Severity | Sessions | Projects | Score | Median Peak |\n",
                "|---|--------|-------------------|----------|----------|-------|-------------|"
            );
            (head, clusters.iter().take(MAX_LISTED_CLUSTERS).map(observed).collect())
        }
    };
    let mut text = opening(analysis);
    let _ = writeln!(text, "## Cluster Summary\n\n{head}");
    for (at, entry) in entries.iter().enumerate() {
        let _ = writeln!(text, "| {} | {} |", at + 1, entry.row);
    }
    text.push_str("\n---\n\n");
    for (at, entry) in entries.iter().enumerate() {
        write_entry(&mut text, at + 1, entry);
    }
    text
}

fn opening(analysis: &FrictionAnalysis) -> String {
    let bad = analysis.sessions.iter().filter(|session| session.quality == SessionQuality::Bad).count();
    let (candidates, clusters) = (analysis.candidates.len(), analysis.clusters.len());
    let counts = match &analysis.clusters {
        CandidateClusters::Classic(_) => {
            format!("BAD sessions: {bad} | Raw candidates: {candidates} | Clusters: {clusters}")
        }
        CandidateClusters::Observed(_) => {
            let sessions = analysis.sessions.len();
            format!("Sessions scanned: {sessions} | Reaction candidates: {candidates} | Clusters: {clusters}")
        }
    };
    format!("# Friction Antigen Clusters\n\nGenerated: {}\n{counts}\n\n", stamp(Some(analysis.now)))
}

fn counts(count: usize, sessions: usize, score: f64, median: f64, max: f64) -> String {
    format!(
        "**Occurrences:** {count} across {sessions} sessions | **Score:** {score} | **Median peak:** {median} | **Max peak:** {max}"
    )
}

fn observed(cluster: &ByWords) -> ReviewSection<'_> {
    let projects = inert_line(&cluster.projects.join(", "), 60).replace('|', "/");
    let mut notes = vec![format!("**Projects:** {projects}")];
    if cluster.self_suspect {
        notes.push(
            "Users may have corrected themselves; check this before turning it into a rule.".to_owned(),
        );
    }
    if let Some(before) = &cluster.preceding {
        notes.push(format!("**Preceded by:** {} ({})", inert_line(&before.action, 100), before.result));
    }
    ReviewSection {
        heading: format!("{} | {}", cluster.anchor_signal, cluster.tool_pattern),
        row: format!(
            "{} | {} | {} | {projects} | {} | {}",
            cluster.anchor_signal, cluster.tool_pattern, cluster.sessions, cluster.score, cluster.median_peak
        ),
        counts: counts(cluster.count, cluster.sessions, cluster.score, cluster.median_peak, cluster.max_peak),
        notes,
        contexts: &cluster.contexts,
        errors: &cluster.errors,
        files: &[],
        keywords: &cluster.top_keywords,
    }
}

fn write_entry(text: &mut String, number: usize, entry: &ReviewSection<'_>) {
    let _ = writeln!(text, "## Cluster {number}: {}\n\n{}\n", entry.heading, entry.counts);
    for note in &entry.notes {
        let _ = writeln!(text, "{note}\n");
    }
    if !entry.contexts.is_empty() {
        text.push_str("### User Context (what the user said)\n\n");
        for context in entry.contexts.iter().take(3) {
            let _ = writeln!(text, "> {}\n", inert_line(context, 300));
        }
    }
    if !entry.errors.is_empty() {
        text.push_str("### Errors\n\n```\n");
        for error in entry.errors.iter().take(3) {
            let _ = writeln!(text, "{}", inert_line(error, 200));
        }
        text.push_str("```\n\n");
    }
    if !entry.files.is_empty() {
        text.push_str("### Files involved\n\n");
        for file in entry.files {
            let _ = writeln!(text, "- `{}`", inert_line(file, 200));
        }
        text.push('\n');
    }
    if !entry.keywords.is_empty() {
        let _ = writeln!(text, "**Keywords:** {}\n", entry.keywords.join(", "));
    }
    text.push_str("---\n\n");
}
