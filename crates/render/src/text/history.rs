//! Text output of `cm history`.

use super::log::line;
use super::style::{BAD, DIM, GOOD, paint, safe};
use cm_app::verbs::history::NoteHistory;

/// Each commit with its changes: removed text in `[- -]`, added text in `{+ +}`.
pub fn history(outcome: &NoteHistory) -> String {
    if outcome.versions.is_empty() {
        return format!("{} is not committed yet\n", outcome.path);
    }
    let mut lines = String::new();
    for version in &outcome.versions {
        lines.push_str(&format!("{}\n", line(&version.commit)));
        if let Some(from) = &version.moved_from {
            lines.push_str(&format!(
                "{}\n",
                paint(DIM, &format!("    moved from {} to {}", safe(from), safe(&version.path)))
            ));
        }
        let mut change = String::new();
        for piece in &version.diff {
            match piece.kind {
                "added" => change.push_str(&marked(&piece.text, "{+", "+}", GOOD)),
                "removed" => change.push_str(&marked(&piece.text, "[-", "-]", BAD)),
                "gap" => change.push_str("\n…\n"),
                _ => change.push_str(&safe(&piece.text)),
            }
        }
        for row in change.lines().filter(|row| !row.trim().is_empty()) {
            lines.push_str(&format!("    {row}\n"));
        }
        lines.push('\n');
    }
    lines
}

fn marked(text: &str, open: &str, close: &str, style: anstyle::Style) -> String {
    let lines: Vec<String> = safe(text)
        .split('\n')
        .map(|line| {
            if line.trim().is_empty() {
                line.to_owned()
            } else {
                paint(style, &format!("{open}{line}{close}"))
            }
        })
        .collect();
    lines.join("\n")
}
