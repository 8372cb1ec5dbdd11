//! Text output of `cm episode`.

use super::committed;
use cm_app::verbs::episode::AppendedEpisode;

pub fn logged(outcome: &AppendedEpisode) -> String {
    format!("{}  {}  {}\n", outcome.path, outcome.entry, committed(outcome.commit.as_deref()))
}
