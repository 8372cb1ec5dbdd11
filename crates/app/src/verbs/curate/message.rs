//! The commit message of a curation.

use super::CurationOptions;
use cm_note::message::{CommitMessage, MAX_LISTED_IDS};
use cm_playbook::curation::delta::DeltaKind;
use cm_playbook::curation::report::CurationReport;
use cm_playbook::curation::{CurationResult, Playbook};

/// Returns the message of the commit, with at most [`MAX_LISTED_IDS`] ids of changed and new notes.
pub(super) fn message(options: &CurationOptions, before: &Playbook, after: &CurationResult) -> CommitMessage {
    let report = &after.report;
    let subject = options.subject.clone().unwrap_or_else(|| subject(report));
    let (old, new) = (&before.bullets, &after.playbook.bullets);
    let changed = old.iter().zip(new).filter(|(old, new)| old != new).map(|(_, new)| &new.id);
    let blocked = after.playbook.blocked[before.blocked.len()..].iter().map(|blocked| &blocked.id);
    let made = new[old.len()..].iter().map(|bullet| &bullet.id);
    let ids = changed.chain(made).chain(blocked).take(MAX_LISTED_IDS);
    let mut message =
        ids.fold(CommitMessage::new(options.op, subject), |message, id| message.id(id.as_str()));
    message.body = commit_body(report);
    message
}

/// Returns the commit body: one line for each promotion, activation, inversion, replacement and
/// conflict.
fn commit_body(report: &CurationReport) -> String {
    let mut lines = Vec::new();
    for step in report.promotions.iter().chain(&report.demotions) {
        lines.push(format!("{}: {} → {}, {}", step.id, step.from.name(), step.to.name(), step.reason));
    }
    for one in &report.activations {
        lines.push(format!("{}: draft → active, {}", one.id, one.reason));
    }
    for inversion in &report.inversions {
        lines.push(format!("{}: inverted to {}", inversion.from, inversion.to));
    }
    for one in &report.replaced {
        lines.push(format!("{}: replaced by {}, {}", one.from, one.to, one.reason));
    }
    for conflict in &report.conflicts {
        lines.push(format!("{}: contradicts {}, {}", conflict.id, conflict.with, conflict.reason));
    }
    lines.join("\n")
}

/// Generates the commit subject from the report.
fn subject(report: &CurationReport) -> String {
    if let ([one], true) = (report.applied.as_slice(), report.skipped.iter().all(|passed| !passed.credited)) {
        let verb = match one.op {
            DeltaKind::Helpful | DeltaKind::Harmful | DeltaKind::Irrelevant => {
                return format!("Mark \"{}\" {}", one.content, one.op.name());
            }
            DeltaKind::Add => "Add the rule",
            DeltaKind::Replace => "Reword",
            DeltaKind::Deprecate => "Deprecate",
            DeltaKind::Merge => "Merge to",
            DeltaKind::Pin => "Pin",
            DeltaKind::Unpin => "Unpin",
        };
        return format!("{verb} \"{}\"", one.content);
    }
    if let ([], [one]) = (report.applied.as_slice(), report.skipped.as_slice())
        && let Some(bullet) = one.id.as_deref().filter(|_| one.credited)
    {
        return format!("Give feedback to {bullet}, which was proposed again");
    }
    let count = |kind| report.applied.iter().filter(|applied| applied.op == kind).count();
    let judged = count(DeltaKind::Helpful) + count(DeltaKind::Harmful) + count(DeltaKind::Irrelevant);
    let credited = report.skipped.iter().filter(|passed| passed.credited).count();
    let parts = [
        (count(DeltaKind::Add), "added"),
        (count(DeltaKind::Replace), "reworded"),
        (count(DeltaKind::Merge), "merged"),
        (count(DeltaKind::Deprecate), "deprecated"),
        (judged, "judged"),
        (credited, "credited"),
        (count(DeltaKind::Pin) + count(DeltaKind::Unpin), "pinned or unpinned"),
        (report.activations.len(), "activated"),
        (report.promotions.len(), "promoted"),
        (report.demotions.len(), "demoted"),
    ];
    let counts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    format!("Curate the playbook: {}", counts.join(", "))
}
