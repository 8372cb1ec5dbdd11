//! Text output of `cm playbook import`.

use std::collections::BTreeMap;

use crate::text::committed;
use crate::text::style::{BAD, DIM, ID, STRONG, count, one_line, paint, safe};
use crate::text::validate::findings;
use cm_app::verbs::playbook::import::{
    BulletImport, BulletSkipReason, ImportedBullet, SkippedBullet, StoppedEntry, place_of, reason,
};
use cm_note::bullet::BulletState;

/// Maximum number of listed rules; further ones are counted.
const MAX_LISTED_RULES: usize = 20;

pub fn imported(outcome: &BulletImport) -> String {
    let mut lines: String = outcome.imported.iter().take(MAX_LISTED_RULES).map(brought).collect();
    lines.push_str(&more(outcome.imported.len()));
    let verb = if outcome.dry_run { "would import" } else { "imported" };
    let number = paint(STRONG, &count(outcome.imported.len(), "rule"));
    lines.push_str(&format!("{verb} {number}"));
    if !outcome.dry_run && !outcome.imported.is_empty() {
        lines.push_str(&format!("  {}", committed(outcome.commit.as_deref())));
    }
    lines.push('\n');
    let drafts = outcome.imported.iter().filter(|one| one.state == Some(BulletState::Draft)).count();
    if drafts > 0 && !outcome.dry_run {
        let text = format!("{drafts} to accept or reject before agents get them: `cm review`");
        lines.push_str(&format!("{}\n", paint(DIM, &text)));
    }
    lines.push_str(&skipped(&outcome.skipped));
    lines.push_str(&stopped(&outcome.stopped));
    for left in &outcome.left_out {
        lines.push_str(&format!("{}\n", paint(DIM, &format!("not a rule: {} ({})", left.what, left.count))));
    }
    lines + &findings(&outcome.findings)
}

fn brought(brought: &ImportedBullet) -> String {
    let category = brought.category.as_deref().unwrap_or("blocked");
    let id = paint(ID, &safe(&brought.id));
    format!("  {id}  {}  {}\n", paint(DIM, category), one_line(&brought.content))
}

/// Rules that were skipped, by reason; rules that the vault already contains are only counted.
fn skipped(skipped: &[SkippedBullet]) -> String {
    let mut reasons: BTreeMap<BulletSkipReason, Vec<&SkippedBullet>> = BTreeMap::new();
    skipped.iter().for_each(|skipped| reasons.entry(skipped.why).or_default().push(skipped));
    let mut lines = String::new();
    for (why, all) in reasons {
        let words = if why.failed() { paint(BAD, "skipped") } else { paint(DIM, "skipped") };
        lines.push_str(&format!("{words} {} ({})\n", count(all.len(), "rule"), reason(why)));
        if why.failed() {
            let listed = all.iter().take(MAX_LISTED_RULES);
            lines.extend(
                listed.map(|one| format!("  {}  {}\n", paint(ID, &safe(&one.id)), one_line(&one.content))),
            );
            lines.push_str(&more(all.len()));
        }
    }
    lines
}

fn stopped(stopped: &[StoppedEntry]) -> String {
    if stopped.is_empty() {
        return String::new();
    }
    let mut lines = format!("{} possible secrets\n", paint(BAD, "skipped:"));
    lines.extend(stopped.iter().take(MAX_LISTED_RULES).map(|one| format!("  {}\n", safe(&place_of(one)))));
    lines.push_str(&more(stopped.len()));
    lines + "hint: remove the secret from the file, or use a placeholder such as <token>, then import again\n"
}

fn more(all: usize) -> String {
    if all > MAX_LISTED_RULES {
        format!("{}\n", paint(DIM, &format!("  and {} more", all - MAX_LISTED_RULES)))
    } else {
        String::new()
    }
}
