//! Text output of `cm review`.

use super::short_ids::{ShortIds, shown_id};
use super::style::{DIM, GOOD, ID, STRONG, count, one_line, paint, safe};
use cm_app::verbs::inbox::{Inbox, InboxEntry, InboxKind, InboxNote, InboxSection, Settlement};
use cm_app::verbs::review::{AppliedDecision, ReviewResult};

/// Each section with its entries, and the commands that resolve them.
pub fn inbox(outcome: &Inbox) -> String {
    if outcome.total == 0 {
        return format!("{}\n", paint(GOOD, "nothing to review"));
    }
    let sections = outcome.sections.iter().filter(|section| section.total > 0);
    sections.map(section).collect::<Vec<_>>().join("\n")
}

fn section(section: &InboxSection) -> String {
    let mut lines =
        format!("{} {}\n", paint(STRONG, heading(section.kind)), paint(DIM, &section.total.to_string()));
    let ids = ShortIds::of(section.items.iter().flat_map(|entry| &entry.notes).map(|note| note.id.as_str()));
    for entry in &section.items {
        lines.push_str(&item(entry, &ids));
        for command in &entry.commands {
            let short = |line: String, note: &InboxNote| line.replace(&note.id, &ids.shown(&note.id));
            let command = entry.notes.iter().fold(command.clone(), short);
            lines.push_str(&format!("     {}\n", paint(DIM, &safe(&command))));
        }
    }
    if section.total > section.items.len() {
        let more = section.total - section.items.len();
        let how = format!("--kind {} --limit {}", section.kind.name(), section.total);
        let more = paint(DIM, &format!("… and {more} more: cm review {how}"));
        lines.push_str(&format!("     {more}\n"));
    }
    lines
}

/// Heading of a section.
pub fn heading(kind: InboxKind) -> &'static str {
    match kind {
        InboxKind::Drafts => "Drafts",
        InboxKind::Conflicts => "Open conflicts",
        InboxKind::Quarantined => "Quarantined",
        InboxKind::Merges => "Merge candidates",
        InboxKind::Due => "Due for review",
        InboxKind::Inversions => "Retired by feedback, without a warning",
        InboxKind::NotFollowed => "Not followed",
        InboxKind::Leftovers => "Left over from a merge",
    }
}

/// An entry without its commands: the notes, then the reason.
pub fn item(item: &InboxEntry, ids: &ShortIds) -> String {
    let mut lines = String::new();
    for (at, note) in item.notes.iter().enumerate() {
        let number = if at == 0 { format!("{:3}.", item.number) } else { "    ".to_owned() };
        let id = paint(ID, &ids.shown(&note.id));
        lines.push_str(&format!("{number} {id}  {}\n", one_line(&note.title)));
    }
    let day = item.since.map(|at| at.day().to_string()).filter(|day| !item.why.contains(day.as_str()));
    let since = day.map(|day| format!(", {day}")).unwrap_or_default();
    lines.push_str(&format!("     {}{since}\n", safe(&item.why)));
    lines
}

/// One line for each decision.
pub fn settled(outcome: &ReviewResult) -> String {
    if outcome.decisions.is_empty() {
        return "no decisions\n".to_owned();
    }
    outcome.decisions.iter().map(decision).collect()
}

fn decision(decision: &AppliedDecision) -> String {
    let participle = match decision.decision {
        Settlement::Accept => "accepted",
        Settlement::Reject => "rejected",
        Settlement::Confirm => "confirmed",
        Settlement::Merge => "merged",
        Settlement::Supersede => "replaced",
        Settlement::Invert => "inverted",
        Settlement::Pin => "pinned",
        Settlement::Take => "took the other version in",
        Settlement::Keep => "kept",
    };
    let ids: Vec<String> = decision.ids.iter().map(|id| paint(ID, &shown_id(&safe(id)))).collect();
    let into = decision.into.as_ref().map(|id| format!(" into {}", paint(ID, &safe(id)))).unwrap_or_default();
    let commit = super::committed(decision.commit.as_deref());
    format!("{participle} {}: {}{into}  {commit}\n", count(ids.len(), "note"), ids.join(" "))
}
