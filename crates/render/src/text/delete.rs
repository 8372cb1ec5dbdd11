//! Text output of `cm delete`.

use super::committed;
use super::style::count;
use cm_app::verbs::delete::Deleted;

pub fn deleted(outcome: &Deleted) -> String {
    let paths: String = outcome.paths.iter().map(|path| format!("  {path}\n")).collect();
    format!(
        "removed {}  {}\n{paths}",
        count(outcome.paths.len(), "file"),
        committed(outcome.commit.as_deref())
    )
}
