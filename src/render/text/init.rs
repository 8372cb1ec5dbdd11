//! What `init` made.

use super::committed;
use super::style::{STRONG, paint};
use crate::ops::init::Initialised;

/// As text.
pub fn initialised(outcome: &Initialised) -> String {
    let mut lines = format!("{} is a vault\n", paint(STRONG, &outcome.vault));
    if outcome.created.is_empty() {
        lines.push_str("nothing was missing\n");
        return lines;
    }
    lines.push_str(&format!(
        "wrote {}  {}\n",
        outcome.created.join(", "),
        committed(outcome.commit.as_deref())
    ));
    lines
}
