//! Text output of commands that generate a file.

use super::committed;
use super::style::{DIM, paint};
use cm_app::verbs::generate::Generated;

pub fn generated(outcome: &Generated) -> String {
    let what = match (&outcome.commit, outcome.changed) {
        (Some(commit), _) => committed(Some(commit)),
        // Either nothing is committed automatically, or changes by hand gave way to the committed version.
        (None, true) => "written".to_owned(),
        (None, false) => "unchanged".to_owned(),
    };
    let noun = if outcome.entries == 1 { "entry" } else { "entries" };
    let figures =
        format!("{} {noun}, {} omitted, about {} tokens", outcome.entries, outcome.omitted, outcome.tokens);
    format!("{}  {}  {what}\n", outcome.path, paint(DIM, &figures))
}
