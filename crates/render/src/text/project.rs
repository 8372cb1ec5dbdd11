//! Text output of `cm project`.

use super::style::{BAD, DIM, GOOD, STRONG, count, one_line, paint, safe};
use cm_app::verbs::project::ProjectionResult;

/// Maximum number of listed lines; further ones are counted.
const MAX_LISTED_LINES: usize = 30;

pub fn projected(outcome: &ProjectionResult) -> String {
    let mut lines = String::new();
    for (sign, style, changed) in [("+", GOOD, &outcome.added), ("-", BAD, &outcome.removed)] {
        let shown = changed
            .iter()
            .take(MAX_LISTED_LINES)
            .map(|line| format!("{} {}\n", paint(style, sign), one_line(line)));
        lines.extend(shown);
        if changed.len() > MAX_LISTED_LINES {
            let more = format!("{sign} and {} more", changed.len() - MAX_LISTED_LINES);
            lines.push_str(&format!("{}\n", paint(DIM, &more)));
        }
    }
    let what = format!("{} and {}", count(outcome.rules, "rule"), count(outcome.pitfalls, "pitfall"));
    let verb = match (outcome.changed, outcome.dry_run, outcome.created) {
        (false, ..) => "unchanged:",
        (true, true, true) => "would create",
        (true, true, false) => "would write",
        (true, false, true) => "made",
        (true, false, false) => "wrote",
    };
    let left = match outcome.omitted {
        0 => String::new(),
        n => paint(DIM, &format!(", {n} left out by --per-category")),
    };
    lines + &format!("{verb} {} with {what}{left}\n", paint(STRONG, &safe(&outcome.path)))
}
