//! A briefing for reading, by people and agents alike.

use super::style::safe;
use cm_app::context::Briefing;

/// As markdown, which was escaped when the budget was measured.
pub fn briefed(outcome: &Briefing) -> String {
    safe(&outcome.text)
}
