//! Text output of `cm guard`.

use super::style::{BAD, GOOD, WARN, paint, safe};
use cm_app::guard::{Guarded, Judgement};

/// The decision, then the reason.
pub fn guarded(outcome: &Guarded) -> String {
    let word = match outcome.decision {
        Judgement::Allow => return format!("{}\n", paint(GOOD, "allow")),
        Judgement::Warn => paint(WARN, "warn"),
        Judgement::Block => paint(BAD, "block"),
    };
    format!("{word}: {}\n", safe(&outcome.reason))
}
