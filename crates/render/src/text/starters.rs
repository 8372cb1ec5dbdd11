//! Text output of `cm starters`.

use super::list::rows;
use super::style::{DIM, GOOD, ID, STRONG, WARN, count, one_line, paint, safe};
use cm_app::verbs::starters::{StarterList, StarterResult};
use cm_note::bullet::BulletState;

/// One line for each set.
pub fn list(outcome: &StarterList) -> String {
    let row = |set: &cm_app::verbs::starters::StarterSet| {
        let present =
            if set.present > 0 { format!(", {} already exist", set.present) } else { String::new() };
        vec![set.name.clone(), format!("{}{present}", count(set.rules, "rule")), set.about.clone()]
    };
    let table: Vec<Vec<String>> = outcome.starters.iter().map(row).collect();
    rows(&table, |column, cell| match column {
        0 => paint(STRONG, cell),
        1 => paint(DIM, cell),
        _ => cell.to_owned(),
    })
}

/// One line for each rule, then a summary.
pub fn added(outcome: &StarterResult) -> String {
    let mut lines = String::new();
    for one in &outcome.added {
        let draft = if one.state == BulletState::Draft { paint(WARN, "draft ") } else { String::new() };
        let id = paint(ID, &safe(&one.id));
        lines.push_str(&format!("{} {id} {draft}{}\n", paint(GOOD, "+"), one_line(&one.content)));
        if let Some(note) = &one.note {
            lines.push_str(&format!("    {}\n", paint(DIM, &safe(note))));
        }
    }
    for one in &outcome.left_out {
        let id = one.id.as_ref().map(|id| format!(" ({})", safe(id))).unwrap_or_default();
        let why = paint(DIM, &format!("{}{id}", safe(&one.reason)));
        lines.push_str(&format!("- {}\n    {why}\n", one_line(&one.content)));
    }
    let counts = format!("{} added, {} skipped", count(outcome.added.len(), "rule"), outcome.left_out.len());
    let end = match (outcome.dry_run, outcome.added.is_empty()) {
        (true, _) => "nothing was written (--dry-run)".to_owned(),
        (false, true) => "nothing to commit".to_owned(),
        (false, false) => super::committed(outcome.commit.as_deref()),
    };
    format!("{lines}{counts}  {end}\n")
}
