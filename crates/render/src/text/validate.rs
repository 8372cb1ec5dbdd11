//! Text output of `cm validate`.

use super::style::{BAD, DIM, GOOD, WARN, count, paint, safe};
use cm_app::verbs::validate::ValidationResult;
use cm_note::finding::{Finding, Severity};

/// The findings, then a summary. With `all`, findings of severity info are included.
pub fn validated(outcome: &ValidationResult, all: bool) -> String {
    let mut lines = findings(&outcome.findings);
    if outcome.errors + outcome.warnings == 0 {
        lines.push_str(&format!("{}: {}", count(outcome.notes, "note"), paint(GOOD, "no problems")));
    } else {
        lines.push_str(&format!(
            "{}: {}, {}",
            count(outcome.notes, "note"),
            count(outcome.errors, "error"),
            count(outcome.warnings, "warning")
        ));
    }
    if outcome.infos > 0 {
        let how = if all { "" } else { " (--all)" };
        lines.push_str(&paint(DIM, &format!(", {} info{how}", outcome.infos)));
    }
    lines.push('\n');
    lines
}

/// `path:line:column severity code message`, with hints on the next line.
pub fn findings(findings: &[Finding]) -> String {
    let mut lines = String::new();
    for found in findings {
        let severity = match found.severity {
            Severity::Error => paint(BAD, "error"),
            Severity::Warning => paint(WARN, "warning"),
            Severity::Info => paint(DIM, "info"),
        };
        let line = found.line.map(|line| format!(":{line}")).unwrap_or_default();
        let column = found.column.map(|column| format!(":{column}")).unwrap_or_default();
        lines.push_str(&format!("{}{line}{column} {severity} ", safe(&found.path)));
        lines.push_str(&format!("{} {}\n", paint(DIM, &found.code.to_string()), safe(&found.message)));
        if let Some(hint) = &found.hint {
            lines.push_str(&format!("    {} {}\n", paint(GOOD, "hint:"), safe(hint.for_terminal())));
        }
    }
    lines
}
