//! Text output of `cm adopt`.

use super::committed;
use super::style::{BAD, DIM, ID, STRONG, count, paint, safe};
use super::validate::findings;
use cm_app::verbs::adopt::{Adoption, reason};

pub fn adopted(outcome: &Adoption) -> String {
    let mut lines: String = outcome
        .adopted
        .iter()
        .map(|note| match outcome.dry_run {
            // The IDs of the run will be others.
            true => format!("  {}\n", safe(&note.path)),
            false => format!("  {}  {}\n", paint(ID, &safe(&note.id)), safe(&note.path)),
        })
        .collect();
    let verb = if outcome.dry_run { "would adopt" } else { "adopted" };
    lines.push_str(&format!("{verb} {}", paint(STRONG, &count(outcome.adopted.len(), "note"))));
    if !outcome.dry_run && !outcome.adopted.is_empty() {
        lines.push_str(&format!("  {}", committed(outcome.commit.as_deref())));
    }
    lines.push('\n');
    for left in &outcome.skipped {
        let style = if left.why.failed() { BAD } else { DIM };
        lines.push_str(&format!("{} {}: {}\n", paint(style, "left"), safe(&left.path), reason(left.why)));
    }
    lines + &findings(&outcome.findings)
}
