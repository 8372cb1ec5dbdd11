//! Text output of `cm guard`.

use super::style::{BAD, GOOD, WARN, paint, safe};
use cm_app::verbs::guard::{GuardVerdict, Guarded};

/// The decision, then the reason.
pub fn guarded(outcome: &Guarded) -> String {
    let word = match outcome.decision {
        GuardVerdict::Allow => return format!("{}\n", paint(GOOD, "allow")),
        GuardVerdict::Warn => paint(WARN, "warn"),
        GuardVerdict::Block => paint(BAD, "block"),
    };
    format!("{word}: {}\n", safe(&outcome.reason))
}
