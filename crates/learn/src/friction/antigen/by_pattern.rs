//! Clusters of the classic rules: candidates with the same anchor signal and the same tools.

use schemars::JsonSchema;
use serde::Serialize;

use super::{AntigenCandidate, add_new, median, most_frequent};
use crate::friction::signal::SignalKind;

/// User messages of at most this many characters are not quoted in a cluster.
const MAX_UNQUOTED_CHARS: usize = 10;

/// Candidates with the same anchor signal and the same tool sequence.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PatternCluster {
    /// Signal that the candidates have in common.
    pub anchor_signal: SignalKind,
    /// Names of the called tools, comma-separated; `(none)` if no tool was called.
    pub tool_pattern: String,
    /// Number of candidates.
    pub count: usize,
    /// Number of candidates times the weight of the signal.
    pub score: f64,
    /// Number of distinct sessions.
    pub sessions: usize,
    /// Median peak friction of the candidates' sessions.
    pub median_peak: f64,
    /// Highest peak friction of the candidates' sessions.
    pub max_peak: f64,
    /// User messages; at most 5.
    pub contexts: Vec<String>,
    /// Error lines; at most 5.
    pub errors: Vec<String>,
    /// Most frequent file names; at most 5.
    pub top_files: Vec<String>,
    /// Most frequent keywords; at most 10.
    pub top_keywords: Vec<String>,
}

/// Groups the candidates into clusters, sorted by descending score; ties are in order of
/// appearance.
pub fn clusters(candidates: &[AntigenCandidate]) -> Vec<PatternCluster> {
    let mut groups: Vec<((SignalKind, String), Vec<&AntigenCandidate>)> = Vec::new();
    for candidate in candidates {
        let key = (candidate.anchor_signal, tool_pattern(candidate));
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, members)) => members.push(candidate),
            None => groups.push((key, vec![candidate])),
        }
    }
    let mut clusters: Vec<PatternCluster> =
        groups.into_iter().map(|((anchor, tools), members)| cluster(anchor, tools, &members)).collect();
    clusters.sort_by(|a, b| b.score.total_cmp(&a.score));
    clusters
}

fn tool_pattern(candidate: &AntigenCandidate) -> String {
    let names: Vec<&str> =
        candidate.tool_sequence.iter().map(|tool| tool.split(':').next().unwrap_or_default()).collect();
    if names.is_empty() { "(none)".to_owned() } else { names.join(",") }
}

fn cluster(anchor_signal: SignalKind, tool_pattern: String, members: &[&AntigenCandidate]) -> PatternCluster {
    let mut sessions: Vec<&str> = members.iter().map(|member| member.session_id.as_str()).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let peaks: Vec<f64> = members.iter().map(|member| member.peak_friction).collect();
    let (mut contexts, mut errors) = (Vec::new(), Vec::new());
    for member in members {
        let telling = member.user_context.iter().find(|text| text.chars().count() > MAX_UNQUOTED_CHARS);
        if let Some(text) = telling {
            add_new(&mut contexts, text, 5);
        }
        for error in &member.errors {
            add_new(&mut errors, error, 5);
        }
    }
    PatternCluster {
        anchor_signal,
        tool_pattern,
        count: members.len(),
        score: members.len() as f64 * weight(anchor_signal),
        sessions: sessions.len(),
        median_peak: median(&peaks),
        max_peak: peaks.iter().copied().fold(0.0, f64::max),
        contexts,
        errors,
        top_files: most_frequent(members.iter().flat_map(|member| &member.files), 5),
        top_keywords: most_frequent(members.iter().flat_map(|member| &member.keywords), 10),
    }
}

fn weight(anchor: SignalKind) -> f64 {
    match anchor {
        SignalKind::UserIntervention | SignalKind::SessionAbandoned => 10.0,
        SignalKind::FalseSuccess | SignalKind::NoResolution => 8.0,
        SignalKind::ToolLoop | SignalKind::RapidExit => 6.0,
        SignalKind::InterruptCascade => 5.0,
        _ => 1.0,
    }
}
