//! Text output of `cm rename`.

use super::committed;
use super::style::{count, note, safe_lines};
use cm_app::verbs::rename::RenameResult;

pub fn renamed(outcome: &RenameResult) -> String {
    let what = match (outcome.changed, outcome.dry_run) {
        (false, _) => "nothing to change".to_owned(),
        (true, true) => "nothing written (dry run)".to_owned(),
        (true, false) => committed(outcome.commit.as_deref()),
    };
    let mut text = format!("{}{what}\n", note(&outcome.id, &outcome.path));
    if !outcome.linked.is_empty() {
        let changed = if outcome.dry_run { "links would change" } else { "links changed" };
        text += &format!("{changed} in {}\n", count(outcome.linked.len(), "file"));
    }
    if let Some(diff) = &outcome.diff {
        text += &format!("\n{}", safe_lines(diff));
    }
    text
}
