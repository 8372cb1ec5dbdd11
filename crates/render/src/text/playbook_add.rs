//! Text output for a proposed or removed rule.

use super::committed;
use super::style::{DIM, ID, WARN, paint, safe};
use cm_app::verbs::playbook_add::{DeprecatedBullet, ProposalResult};

pub fn proposed(outcome: &ProposalResult) -> String {
    let what = match (outcome.added, outcome.credited) {
        (true, _) => format!("added ({})", outcome.state.name()),
        (false, true) => "already exists; feedback added".to_owned(),
        (false, false) => "already exists".to_owned(),
    };
    let end =
        if outcome.added || outcome.credited { committed(outcome.commit.as_deref()) } else { String::new() };
    let mut text =
        format!("{}  {}  {what}  {end}", paint(ID, &outcome.id), safe(&outcome.path)).trim_end().to_owned()
            + "\n";
    if let Some(note) = &outcome.note {
        text += &format!("  {}\n", paint(DIM, &safe(note)));
    }
    for conflict in &outcome.conflicts {
        let with = paint(ID, &safe(&conflict.with));
        text += &format!("  {} {with}: {}\n", paint(WARN, "contradicts"), safe(&conflict.with_content));
    }
    text
}

pub fn removed(outcome: &DeprecatedBullet) -> String {
    let what = match outcome.changed {
        true => format!("deprecated  {}", committed(outcome.commit.as_deref())),
        false => "already deprecated".to_owned(),
    };
    format!("{}  {}  {what}\n", paint(ID, &outcome.id), safe(&outcome.path))
}
