//! Text output of `cm doctor`.

use super::style::{BAD, DIM, GOOD, WARN, pad, paint, safe};
use cm_app::verbs::doctor::{CheckStatus, HealthReport};

/// One line for each check.
pub fn examined(outcome: &HealthReport) -> String {
    let mut lines = String::new();
    for fixed in &outcome.fixed {
        lines.push_str(&format!("{} {fixed}\n", paint(GOOD, "fixed:")));
    }
    for check in &outcome.checks {
        let mark = match check.health {
            CheckStatus::Ok => paint(GOOD, "ok  "),
            CheckStatus::Warn => paint(WARN, "warn"),
            CheckStatus::Fail => paint(BAD, "fail"),
        };
        lines.push_str(&format!("{mark}  {}  {}\n", pad(check.name, 12), safe(&check.message)));
        if let Some(hint) = &check.hint {
            lines.push_str(&format!(
                "{}{} {}\n",
                " ".repeat(20),
                paint(DIM, "hint:"),
                safe(hint.for_terminal())
            ));
        }
    }
    lines
}
