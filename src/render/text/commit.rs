//! Hand edits that were committed.

use super::committed;
use super::style::{DIM, count, paint, safe};
use crate::ops::commit::Committed;

/// As text.
pub fn committed_files(outcome: &Committed) -> String {
    if outcome.files.is_empty() {
        return "nothing to commit\n".to_owned();
    }
    let mut lines =
        format!("{}  {}\n", count(outcome.files.len(), "file"), committed(outcome.commit.as_deref()));
    for file in outcome.files.iter().take(20) {
        lines.push_str(&format!("  {} {}\n", paint(DIM, &file.change), safe(&file.path)));
    }
    if outcome.files.len() > 20 {
        lines.push_str(&format!("{}\n", paint(DIM, &format!("  … and {} more", outcome.files.len() - 20))));
    }
    lines
}
