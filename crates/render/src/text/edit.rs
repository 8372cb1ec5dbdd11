//! Text output of `cm edit`.

use super::style::{BAD, note, paint};
use super::{committed, validate};
use cm_app::verbs::edit::EditResult;
use cm_note::finding::Severity;

pub fn edited(outcome: &EditResult) -> String {
    let errors = outcome.findings.iter().any(|found| found.severity == Severity::Error);
    let what = match (outcome.changed, errors) {
        (false, _) => "nothing changed".to_owned(),
        (true, true) => paint(BAD, "saved but not committed: it has errors"),
        (true, false) => committed(outcome.commit.as_deref()),
    };
    format!("{}{what}\n{}", note(&outcome.id, &outcome.path), validate::findings(&outcome.findings))
}
