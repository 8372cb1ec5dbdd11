//! Text output of `cm episode`.

use super::committed;
use cm_app::episode::Logged;

pub fn logged(outcome: &Logged) -> String {
    format!("{}  {}  {}\n", outcome.path, outcome.entry, committed(outcome.commit.as_deref()))
}
