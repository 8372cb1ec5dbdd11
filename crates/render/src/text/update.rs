//! Text output of `cm update`.

use super::committed;
use super::style::note;
use cm_app::verbs::update::UpdateResult;

pub fn changed(outcome: &UpdateResult) -> String {
    let what =
        if outcome.changed { committed(outcome.commit.as_deref()) } else { "nothing to change".to_owned() };
    format!("{}{what}\n", note(&outcome.id, &outcome.path))
}
