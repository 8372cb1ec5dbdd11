//! Text output of `cm sync`.

use super::commit::left_out;
use super::short;
use super::style::{DIM, ID, WARN, count, paint, safe};
use cm_app::verbs::sync::{MergeOrigin, SyncResult, SyncedFile};

/// Maximum number of files that are listed.
const MAX_LISTED_FILES: usize = 20;

pub fn synced(result: &SyncResult) -> String {
    let place = format!("{}/{}", safe(&result.remote), safe(&result.branch));
    let would = if result.dry_run { "would " } else { "" };
    let mut lines = String::new();
    if result.edits > 0 {
        let commit = result.committed.as_deref().map(|id| format!("  {}", paint(ID, short(id))));
        let done = if result.dry_run { "commit" } else { "committed" };
        lines += &format!(
            "{would}{done} manual edits in {}{}\n",
            count(result.edits, "file"),
            commit.unwrap_or_default()
        );
    }
    if result.received > 0 {
        let done = if result.dry_run { "receive" } else { "received" };
        let both = match result.changed_on_both_sides() {
            0 => String::new(),
            n => format!(", {} changed on both sides", count(n, "file")),
        };
        lines += &format!(
            "{would}{done} {} from {place}: {}{both}\n",
            count(result.received, "commit"),
            count(result.files.len(), "file")
        );
        // What both sides changed is what a person wants to look at.
        let mut files: Vec<&SyncedFile> = result.files.iter().collect();
        files.sort_by_key(|file| (file.how == MergeOrigin::Taken, !file.open));
        for file in files.iter().take(MAX_LISTED_FILES) {
            lines += &line(file);
        }
        if files.len() > MAX_LISTED_FILES {
            lines +=
                &format!("{}\n", paint(DIM, &format!("  … and {} more", files.len() - MAX_LISTED_FILES)));
        }
    }
    for lost in &result.lost_settings {
        lines += &format!("cm.toml: {}; the larger value was kept\n", safe(lost));
    }
    for path in &result.regenerated {
        lines += &format!("regenerated {}\n", safe(path));
    }
    if result.sent > 0 {
        let done = if result.dry_run { "send" } else { "sent" };
        let new = match (result.created, result.dry_run) {
            (false, _) => "",
            (true, false) => ", which was created: notes of other branches do not come here",
            (true, true) => ", which would be created: notes of other branches do not come here",
        };
        lines += &format!("{would}{done} {} to {place}{new}\n", count(result.sent, "commit"));
    }
    if lines.is_empty() {
        lines = format!("up to date with {place}\n");
    }
    if result.files.iter().any(|file| file.open) && !result.dry_run {
        lines += "hint: `cm review` shows what the merge could not decide\n";
    }
    lines + &left_out(&result.stopped, &result.conflicts)
}

fn line(file: &SyncedFile) -> String {
    let how = match file.how {
        MergeOrigin::Taken => "",
        MergeOrigin::Merged => "  merged",
        MergeOrigin::Kept => "  kept, although one side deleted it",
        MergeOrigin::Copied => "  both sides changed it, so that both versions are kept",
        MergeOrigin::Renamed => "  a new name or ID, because another note has it",
    };
    let open = if file.open { paint(WARN, "  needs a decision") } else { String::new() };
    let from = file.from.as_deref().map(|from| format!("{} to ", safe(from))).unwrap_or_default();
    format!("  {} {from}{}{}{open}\n", paint(DIM, file.change.name()), safe(&file.path), paint(DIM, how))
}
