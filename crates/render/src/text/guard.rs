//! Text output of `cm guard`.

use super::style::{BAD, GOOD, WARN, paint, safe};
use cm_app::verbs::guard::{GuardVerdict, Guarded};

/// The decision, then the reason and the safe form of the command.
pub fn guarded(outcome: &Guarded) -> String {
    let word = match outcome.decision {
        GuardVerdict::Allow => return format!("{}\n", paint(GOOD, "allow")),
        GuardVerdict::Warn => paint(WARN, "warn"),
        GuardVerdict::Block => paint(BAD, "block"),
    };
    let instead = outcome.instead.as_deref().filter(|form| !outcome.reason.contains(*form));
    let instead = instead.map(|form| format!(" instead: {}\n", safe(form))).unwrap_or_default();
    format!("{word}: {}\n{instead}", safe(&outcome.reason))
}
