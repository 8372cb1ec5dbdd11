//! An entry of the day's log.

use super::committed;
use cm_app::episode::Logged;

/// As text.
pub fn logged(outcome: &Logged) -> String {
    format!("{}  {}  {}\n", outcome.path, outcome.entry, committed(outcome.commit.as_deref()))
}
