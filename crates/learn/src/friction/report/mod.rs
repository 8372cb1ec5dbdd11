//! Renders an analysis as report files; the caller writes them.

mod detail;
mod review;

use serde::Serialize;

use super::analysis::FrictionAnalysis;
use super::record::stamp;
use super::signal::{SignalDetails, SignalKind, SignalSource};
use cm_text::shorten::short_line;

/// A report file that was rendered but not written yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportFile {
    /// File name, without a folder.
    pub name: &'static str,
    pub text: String,
}

/// A line of `friction_raw.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct RawSignal<'a> {
    ts: String,
    source: SignalSource,
    signal: SignalKind,
    details: &'a str,
    #[serde(flatten)]
    more: &'a SignalDetails,
    session: &'a str,
}

/// Renders all report files of an analysis. Equal analyses give equal files.
pub fn files(analysis: &FrictionAnalysis) -> Vec<ReportFile> {
    vec![
        ReportFile { name: "friction_analysis.json", text: json(&analysis.sessions) },
        ReportFile { name: "friction_summary.json", text: json(&analysis.summary) },
        ReportFile { name: "friction_raw.jsonl", text: raw(analysis) },
        ReportFile { name: "antigen_candidates.json", text: json(&analysis.candidates) },
        ReportFile { name: "antigen_clusters.json", text: json(&analysis.clusters) },
        ReportFile { name: "antigen_review.md", text: review::review(analysis) },
        ReportFile { name: "report.md", text: detail::report(analysis) },
    ]
}

fn json(value: &impl Serialize) -> String {
    // Our own types have names for keys and finite numbers, which is all that could fail.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

fn raw(analysis: &FrictionAnalysis) -> String {
    let mut text = String::new();
    for (session, signals) in analysis.sessions.iter().zip(&analysis.signals) {
        for signal in signals {
            let line = RawSignal {
                ts: stamp(signal.at),
                source: signal.source,
                signal: signal.kind,
                details: &signal.details,
                more: &signal.more,
                session: &session.session_id,
            };
            text.push_str(&serde_json::to_string(&line).unwrap_or_default());
            text.push('\n');
        }
    }
    text
}

/// Formats a text from a log as one line of at most `most` characters, in which HTML comments and
/// code spans have no effect, because logs are untrusted.
fn inert_line(text: &str, most: usize) -> String {
    short_line(text, most).replace("<!--", "< !--").replace('`', "'")
}

#[cfg(test)]
mod tests;
