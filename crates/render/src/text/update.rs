//! Text output of `cm update`.

use super::committed;
use super::style::{ID, paint};
use cm_app::verbs::update::UpdateResult;

pub fn changed(outcome: &UpdateResult) -> String {
    let what =
        if outcome.changed { committed(outcome.commit.as_deref()) } else { "nothing to change".to_owned() };
    // A note without an ID is known by its path.
    let path = if outcome.id == outcome.path { String::new() } else { format!("  {}", outcome.path) };
    format!("{}{path}  {what}\n", paint(ID, &outcome.id))
}
