//! Text output of commands that generate a file.

use super::committed;
use super::style::{DIM, count, paint};
use cm_app::verbs::generate::Generated;

pub fn generated(outcome: &Generated) -> String {
    let what = match (&outcome.commit, outcome.changed) {
        (Some(commit), _) => committed(Some(commit)),
        // Either nothing is committed automatically, or changes by hand gave way to the committed version.
        (None, true) => "written".to_owned(),
        (None, false) => "unchanged".to_owned(),
    };
    let entries = count(outcome.entries, "entry");
    let figures = format!("{entries}, {} omitted, about {} tokens", outcome.omitted, outcome.tokens);
    format!("{}  {}  {what}\n", outcome.path, paint(DIM, &figures))
}
