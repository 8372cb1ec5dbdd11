//! Text output for a stored observation.

use super::committed;
use super::style::{ID, paint, safe};
use cm_app::verbs::observe::ObservationResult;

pub fn observed(outcome: &ObservationResult) -> String {
    let what = match (outcome.added, outcome.credited) {
        (true, _) => committed(outcome.commit.as_deref()),
        (false, true) => {
            format!("already stored, feedback added; {}", committed(outcome.commit.as_deref()))
        }
        (false, false) => "already stored, feedback was added before".to_owned(),
    };
    let mut text = format!("{}  {}  {what}\n", paint(ID, &outcome.id), outcome.path);
    for near in &outcome.neighbours {
        let how = near
            .contradicts
            .as_deref()
            .map_or("similar to".to_owned(), |why| format!("contradicts ({})", safe(why)));
        text += &format!("  {how} {}: {}\n", paint(ID, &safe(&near.id)), safe(&near.title));
    }
    text
}
