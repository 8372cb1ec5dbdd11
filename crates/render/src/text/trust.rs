//! Text output of `cm trust`.

use super::style::{DIM, GOOD, WARN, count, paint, safe};
use cm_app::verbs::legacy_private::{LegacyImport, LegacyPrivateEntry};
use cm_app::verbs::trust::TrustResult;

/// Whether the vault is trusted, and what that allows.
pub fn trusted(outcome: &TrustResult) -> String {
    let state = match (outcome.trusted, outcome.changed) {
        (true, true) => paint(GOOD, "now trusted"),
        (true, false) => paint(GOOD, "trusted"),
        (false, true) => paint(WARN, "no longer trusted"),
        (false, false) => paint(WARN, "not trusted"),
    };
    let remote = match (&outcome.remote, &outcome.former_remote) {
        (now, Some(was)) => {
            format!("remote {}, but trusted with {}", safe(now.as_deref().unwrap_or("none")), safe(was))
        }
        (Some(now), None) => format!("remote {}", safe(now)),
        (None, None) => "no remote".to_owned(),
    };
    let rules = count(outcome.rules, "rule");
    let core = if outcome.core { ", CORE.md" } else { "" };
    format!("{}: {state}\n{}\n", safe(&outcome.vault), paint(DIM, &format!("{remote}; {rules}{core}")))
}

/// A private file or setting of an earlier version, in a few words.
pub fn former(former: &LegacyPrivateEntry) -> String {
    match former {
        LegacyPrivateEntry::Setting { key, value } => format!("the setting {key} = {}", safe(value)),
        LegacyPrivateEntry::File { path } => safe(path),
        LegacyPrivateEntry::Ignored { path, why } => format!("{} ({})", safe(path), safe(why)),
    }
}

/// Private files that were moved, and those that were not.
pub fn taken_over(outcome: &LegacyImport) -> String {
    if outcome.taken.is_empty() && outcome.left.is_empty() {
        return "the folder contains no private files of an earlier version\n".to_owned();
    }
    let line = |word: &str, item: &LegacyPrivateEntry| format!("{word} {}\n", former(item));
    let taken = outcome.taken.iter().map(|item| line("imported:", item));
    taken.chain(outcome.left.iter().map(|item| line("left:", item))).collect()
}
