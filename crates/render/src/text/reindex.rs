//! Text output of `cm reindex`.

use super::style::{DIM, WARN, count, paint};
use cm_app::verbs::reindex::ReindexResult;

/// Counts of changed notes; with `check`, the stale files.
pub fn reindexed(outcome: &ReindexResult, check: bool) -> String {
    let changes =
        format!("{} added, {} updated, {} removed", outcome.added, outcome.updated, outcome.removed);
    if check {
        let mut lines = match (&outcome.rebuilt, outcome.stale.len()) {
            (Some(why), _) => format!("{} {why}\n", paint(WARN, "stale:")),
            (None, 0) => format!("the index of {} is up to date\n", count(outcome.notes, "note")),
            (None, n) => format!("{} {}: {changes}\n", paint(WARN, "stale:"), count(n, "file")),
        };
        lines.extend(outcome.stale.iter().map(|path| format!("  {path}\n")));
        return lines;
    }
    let mut lines = format!(
        "{}: {changes}  {}\n",
        count(outcome.notes, "note"),
        paint(DIM, &format!("{} ms", outcome.ms))
    );
    if let Some(why) = &outcome.rebuilt {
        lines.push_str(&format!("rebuilt the index: {why}\n"));
    }
    if outcome.unread > 0 {
        lines.push_str(&format!(
            "{} not yet embedded by the larger model; `cm embed` does it now\n",
            count(outcome.unread, "passage")
        ));
    }
    if outcome.findings > 0 {
        lines.push_str(&format!(
            "{}; `cm validate` lists them and checks links\n",
            count(outcome.findings, "finding")
        ));
    }
    lines
}
