//! Text output of `cm export`.

use super::style::{DIM, STRONG, WARN, count, paint, safe};
use cm_app::verbs::export::ExportResult;

pub fn exported(outcome: &ExportResult) -> String {
    let place = outcome.out.as_deref().unwrap_or("standard output");
    let notes = paint(STRONG, &count(outcome.notes, "note"));
    let mut lines = format!("exported {notes} to {}\n", safe(place));
    let unchanged = match outcome.unchanged {
        0 => String::new(),
        n => paint(DIM, &format!(", {} unchanged", count(n, "file"))),
    };
    lines.push_str(&format!("wrote {}{unchanged}\n", count(outcome.written.len(), "file")));
    for path in &outcome.left {
        let why = "it was not created by an export and may contain keys";
        lines.push_str(&format!("{} {}: {why}\n", paint(WARN, "unchanged"), safe(path)));
    }
    lines
}
