//! Text output of `cm delete`.

use super::style::{DIM, STRONG, count, paint};
use super::{committed, short};
use cm_app::verbs::delete::Deleted;

pub fn deleted(outcome: &Deleted) -> String {
    let paths: String = outcome.paths.iter().map(|path| format!("  {path}\n")).collect();
    let lines = format!(
        "removed {}  {}\n{paths}",
        count(outcome.paths.len(), "file"),
        committed(outcome.commit.as_deref())
    );
    let back = outcome.commit.as_deref().map(|commit| {
        let command = format!("cm undo {}", short(commit));
        format!("{} {}\n", paint(DIM, "to bring it back:"), paint(STRONG, &command))
    });
    lines + &back.unwrap_or_default()
}
