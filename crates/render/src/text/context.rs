//! Text output of `cm context`.

use super::style::safe;
use cm_app::verbs::context::Briefing;

/// The briefing as Markdown, which is already escaped.
pub fn briefed(outcome: &Briefing) -> String {
    safe(&outcome.text)
}
