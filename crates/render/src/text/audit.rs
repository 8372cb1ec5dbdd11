//! Text output of `cm audit`.

use super::style::{BAD, DIM, GOOD, ID, WARN, count, one_line, paint, safe};
use super::validate::findings;
use cm_app::verbs::audit::{AuditOutcome, AuditReport, RuleAudit};

/// Violations with their locations, rules that could not be checked, then the counts.
pub fn audited(outcome: &AuditReport) -> String {
    let mut lines: String =
        outcome.bullets.iter().filter(|audit| audit.outcome != AuditOutcome::Kept).map(bullet).collect();
    lines.push_str(&findings(&outcome.findings));
    if outcome.bullets.is_empty() {
        return "no rule in use has a `verify` block\n".to_owned();
    }
    let verdict = match outcome.violated {
        0 => paint(GOOD, "no violations"),
        violated => paint(BAD, &format!("{violated} violated")),
    };
    lines.push_str(&format!("{}: {verdict}, {} kept", count(outcome.bullets.len(), "rule"), outcome.kept));
    if outcome.unchecked > 0 {
        lines.push_str(&format!(", {} unchecked", outcome.unchecked));
    }
    if outcome.files > 0 {
        let skipped = match outcome.skipped {
            0 => String::new(),
            skipped => format!(", {skipped} skipped as too large or not text"),
        };
        lines.push_str(&paint(DIM, &format!("; {} searched{skipped}", count(outcome.files, "file"))));
    }
    lines.push('\n');
    lines
}

fn bullet(audit: &RuleAudit) -> String {
    let word = match audit.outcome {
        AuditOutcome::Violated => paint(BAD, "violated"),
        _ => paint(WARN, "unchecked"),
    };
    let mut lines = format!("{word} {} {}\n", paint(ID, &safe(&audit.id)), one_line(&audit.content));
    if let Some(reason) = &audit.reason {
        lines.push_str(&format!("    {}\n", safe(reason)));
    }
    for place in &audit.places {
        let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
        let text =
            place.text.as_ref().map(|text| format!("  {}", paint(DIM, &one_line(text)))).unwrap_or_default();
        let what = match &place.session {
            Some(session) => format!("session {}", safe(session)),
            None => safe(&place.path),
        };
        lines.push_str(&format!("    {what}{line}{text}\n"));
    }
    if audit.outcome == AuditOutcome::Violated && audit.places.is_empty() {
        let pattern = audit.verify.as_ref().map_or("", |verify| verify.pattern.as_str());
        lines.push_str(&format!("    no match for `{}`, which must exist\n", one_line(pattern)));
    }
    if audit.count > audit.places.len() && !audit.places.is_empty() {
        lines.push_str(&format!("    {}\n", paint(DIM, &format!("… of {} matches", audit.count))));
    }
    lines
}
