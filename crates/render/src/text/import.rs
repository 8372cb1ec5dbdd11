//! Text output of `cm import`.

use std::collections::BTreeMap;

use super::committed;
use super::style::{BAD, DIM, STRONG, count, paint, safe};
use super::validate::findings;
use cm_app::verbs::import::{
    FolderImport, ImportOutcome, ImportSkipReason, ImportedFile, SkippedFile, reason,
};

/// Maximum number of listed files; further ones are counted.
const MAX_LISTED_FILES: usize = 20;

pub fn import_result(outcome: &ImportOutcome) -> String {
    match outcome {
        ImportOutcome::Folder(notes) => imported(notes),
        ImportOutcome::Bullets(bullets) => super::playbook::import::imported(bullets),
    }
}

fn imported(outcome: &FolderImport) -> String {
    let mut lines = String::new();
    for ImportedFile { path, id } in outcome.imported.iter().take(MAX_LISTED_FILES) {
        let id = id.as_deref().unwrap_or("without an ID");
        lines.push_str(&format!("  {}  {}\n", safe(path), paint(DIM, &safe(id))));
    }
    lines.push_str(&more(outcome.imported.len()));
    let verb = if outcome.dry_run { "would import" } else { "imported" };
    let from = paint(DIM, &format!("from {} ({})", outcome.from.name(), outcome.because));
    let notes = paint(STRONG, &count(outcome.imported.len(), "note"));
    lines.push_str(&format!("{verb} {notes} {from}"));
    if !outcome.dry_run && !outcome.imported.is_empty() {
        lines.push_str(&format!("  {}", committed(outcome.commit.as_deref())));
    }
    lines.push('\n');
    if outcome.usage > 0 {
        lines.push_str(&format!("usage counts of {} imported\n", count(outcome.usage, "note")));
    }
    lines.push_str(&skipped(&outcome.skipped));
    if !outcome.copied.is_empty() {
        lines.push_str(&format!("{} used by notes copied\n", count(outcome.copied.len(), "file")));
    }
    lines.push_str(&attachments(&outcome.attachments));
    lines + &findings(&outcome.findings)
}

/// Files that were skipped, by reason; files that the vault already contains are only counted.
fn skipped(skipped: &[SkippedFile]) -> String {
    let mut reasons: BTreeMap<ImportSkipReason, Vec<String>> = BTreeMap::new();
    for SkippedFile { path, why, line } in skipped {
        let place = line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
        reasons.entry(*why).or_default().push(place);
    }
    let mut lines = String::new();
    for (why, paths) in reasons {
        let words = if why.failed() { paint(BAD, "skipped") } else { paint(DIM, "skipped") };
        lines.push_str(&format!("{words} {} ({})\n", count(paths.len(), "file"), reason(why)));
        if why != ImportSkipReason::ThereAlready {
            lines.push_str(
                &paths
                    .iter()
                    .take(MAX_LISTED_FILES)
                    .map(|path| format!("  {}\n", safe(path)))
                    .collect::<String>(),
            );
            lines.push_str(&more(paths.len()));
        }
    }
    lines
}

fn attachments(paths: &[String]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let list: String =
        paths.iter().take(MAX_LISTED_FILES).map(|path| format!("  {}\n", safe(path))).collect();
    format!("not copied: {} that no note uses\n{list}{}", count(paths.len(), "file"), more(paths.len()))
}

fn more(all: usize) -> String {
    if all > MAX_LISTED_FILES {
        paint(DIM, &format!("  and {} more\n", all - MAX_LISTED_FILES))
    } else {
        String::new()
    }
}
