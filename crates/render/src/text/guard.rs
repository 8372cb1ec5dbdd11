//! What becomes of a command.

use super::style::{BAD, GOOD, WARN, paint, safe};
use cm_app::guard::{Guarded, Judgement};

/// As text: the word, then why.
pub fn guarded(outcome: &Guarded) -> String {
    let word = match outcome.decision {
        Judgement::Allow => return format!("{}\n", paint(GOOD, "allow")),
        Judgement::Warn => paint(WARN, "warn"),
        Judgement::Block => paint(BAD, "block"),
    };
    format!("{word}: {}\n", safe(&outcome.reason))
}
