//! Text output of `cm commit`.

use std::collections::BTreeSet;

use super::style::{BAD, DIM, count, paint, safe};
use super::{committed, validate};
use cm_app::context::secrets::BlockedSecret;
use cm_app::verbs::commit::{CommittedEdits, CommittedFile};
use cm_note::finding::Finding;

pub fn committed_files(outcome: &CommittedEdits) -> String {
    if outcome.files.is_empty() {
        let is_clean = outcome.stopped.is_empty() && outcome.conflicts.is_empty();
        let nothing = if is_clean { "nothing to commit\n" } else { "nothing committed\n" };
        return nothing.to_owned() + &left_out(&outcome.stopped, &outcome.conflicts);
    }
    let mut lines =
        format!("{}  {}\n", count(outcome.files.len(), "file"), committed(outcome.commit.as_deref()));
    for file in outcome.files.iter().take(20) {
        lines.push_str(&edited_file(file));
    }
    if outcome.files.len() > 20 {
        lines.push_str(&format!("{}\n", paint(DIM, &format!("  … and {} more", outcome.files.len() - 20))));
    }
    lines + &validate::findings(&outcome.findings) + &left_out(&outcome.stopped, &outcome.conflicts)
}

/// One line for a file with manual edits.
pub(super) fn edited_file(file: &CommittedFile) -> String {
    let from = file.from.as_deref().map(|from| format!("{} to ", safe(from))).unwrap_or_default();
    format!("  {} {from}{}\n", paint(DIM, &file.change), safe(&file.path))
}

/// The files that were not committed, and what to do about them.
pub(super) fn left_out(secrets: &[BlockedSecret], conflicts: &[Finding]) -> String {
    let mut lines = String::new();
    if !conflicts.is_empty() {
        let why = paint(BAD, "not committed because of merge conflicts:");
        lines = format!("{why} {}\n", count(conflicts.len(), "file")) + &validate::findings(conflicts);
    }
    lines + &stopped(secrets)
}

/// Lines that look like secrets, and what to do about them.
fn stopped(stopped: &[BlockedSecret]) -> String {
    const MAX_LISTED_LINES: usize = 50;
    if stopped.is_empty() {
        return String::new();
    }
    let files: BTreeSet<&str> = stopped.iter().map(|found| found.path.as_str()).collect();
    let live = "not committed because of possible secrets:";
    let mut lines = format!("{} {}\n", paint(BAD, live), count(files.len(), "file"));
    for BlockedSecret { path, line, rule, fingerprint } in stopped.iter().take(MAX_LISTED_LINES) {
        let place = line
            .map_or_else(|| format!("{} (its name)", safe(path)), |line| format!("{}:{line}", safe(path)));
        lines
            .push_str(&format!("  {place}  {rule}  {}\n", paint(DIM, &format!("fingerprint {fingerprint}"))));
    }
    if stopped.len() > MAX_LISTED_LINES {
        lines.push_str(&paint(DIM, &format!("  … and {} more\n", stopped.len() - MAX_LISTED_LINES)));
    }
    lines
        + "hint: remove the secret; if it is not one, add cm:allow-secret to the line or its fingerprint to `redaction.allow`\n"
}
