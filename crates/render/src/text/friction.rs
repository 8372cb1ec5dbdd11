//! Text output of `cm friction`.

use super::list::rows;
use super::style::{BAD, DIM, STRONG, WARN, count, one_line, paint, safe};
use cm_app::verbs::friction::{FrictionReport, FrictionRules};

/// Statistics of the sessions, signals, the worst sessions, and the paths of the reports.
pub fn found(found: &FrictionReport) -> String {
    let overall = &found.overall;
    let went: Vec<String> =
        found.qualities.iter().map(|went| format!("{} {}", went.sessions, went.quality.name())).collect();
    let head = format!(
        "{}, {} interactive: {}",
        count(overall.total_sessions, "session"),
        overall.interactive_sessions,
        went.join(", ")
    );
    let mut lines = format!("{}\n", paint(STRONG, &head));
    let signals: Vec<String> =
        found.signals.iter().map(|counted| format!("{} {}", counted.signal, counted.count)).collect();
    lines += &format!("signs: {}\n", if signals.is_empty() { "none".to_owned() } else { signals.join(", ") });
    let reasons = safe(&found.verdict.reasons.join("; "));
    lines += &match found.rules {
        FrictionRules::Classic => {
            format!("verdict: {} ({reasons})\n", paint(WARN, found.verdict.status.name()))
        }
        FrictionRules::Observed => format!("{reasons}\n"),
    };
    for action in &found.verdict.recommended_actions {
        lines += &format!("  {}\n", safe(action));
    }
    let table: Vec<Vec<String>> = found
        .worst
        .iter()
        .map(|worst| {
            vec![
                format!("{:.1}", worst.peak),
                worst.quality.name().to_owned(),
                count(worst.turns, "turn"),
                one_line(&worst.session_id),
            ]
        })
        .collect();
    lines += &rows(&table, |column, cell| match column {
        1 if cell.trim() == "BAD" => paint(BAD, cell),
        2 => paint(DIM, cell),
        _ => cell.to_owned(),
    });
    if found.candidates > 0 {
        let clusters = count(found.clusters, "cluster");
        lines += &format!("{} in {clusters}: antigen_review.md\n", count(found.candidates, "candidate"));
    }
    if found.unread > 0 {
        lines += &format!("{} could not be read\n", count(found.unread as usize, "line"));
    }
    lines + &paint(DIM, &format!("{} in {}", count(found.files.len(), "file"), safe(&found.folder))) + "\n"
}
