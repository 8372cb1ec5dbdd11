//! Text output of `cm relate`.

use super::committed;
use super::style::{ID, paint};
use cm_app::verbs::relate::EdgeEditResult;

pub fn related(outcome: &EdgeEditResult) -> String {
    let what =
        if outcome.changed { committed(outcome.commit.as_deref()) } else { "it already exists".to_owned() };
    let path = outcome.path.as_deref().unwrap_or_default();
    format!("{}  {path}  {what}\n", paint(ID, &outcome.ids.join(" ")))
}
