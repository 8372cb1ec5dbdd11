//! What became of an observation.

use super::committed;
use super::style::{ID, paint};
use crate::ops::observe::Observed;

/// As text.
pub fn observed(outcome: &Observed) -> String {
    let what = match (outcome.added, outcome.credited) {
        (true, _) => committed(outcome.commit.as_deref()),
        (false, true) => {
            format!("says so already, and was credited; {}", committed(outcome.commit.as_deref()))
        }
        (false, false) => "says so already, and was credited in this session before".to_owned(),
    };
    format!("{}  {}  {what}\n", paint(ID, &outcome.id), outcome.path)
}
