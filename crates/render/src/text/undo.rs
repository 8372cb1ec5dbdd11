//! Text output of `cm undo`.

use super::style::{ID, paint, safe};
use super::{committed, short};
use cm_app::verbs::undo::UndoResult;

pub fn undone(outcome: &UndoResult) -> String {
    let paths: String = outcome.paths.iter().map(|path| format!("  {}\n", safe(path))).collect();
    let what = format!("reverted {}: {}", paint(ID, short(&outcome.undone)), safe(&outcome.subject));
    format!("{what}  {}\n{paths}", committed(outcome.commit.as_deref()))
}
