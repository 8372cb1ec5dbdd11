//! Text output of `cm decay`.

use super::list::rows;
use super::short_ids::shown_id;
use super::style::{DIM, ID, STRONG, one_line, paint};
use super::top::rest;
use cm_app::verbs::decay::DecayReport;

/// Counts by status, then the memories by score.
pub fn decayed(outcome: &DecayReport) -> String {
    let counts: Vec<String> =
        outcome.counts.iter().map(|(status, n)| format!("{} {n}", status.name())).collect();
    let mut lines = format!("{}  {}\n", paint(STRONG, &outcome.at.day()), counts.join(", "));
    let table: Vec<Vec<String>> = outcome
        .notes
        .iter()
        .map(|note| {
            vec![
                format!("{:7.3}", note.score.value()),
                note.status.name().to_owned(),
                shown_id(&note.id),
                one_line(note.note_type.as_deref().unwrap_or("-")),
                one_line(&note.title),
            ]
        })
        .collect();
    lines.push_str(&rows(&table, |column, cell| match column {
        1 | 3 => paint(DIM, cell),
        2 => paint(ID, cell),
        _ => cell.to_owned(),
    }));
    if outcome.total > outcome.notes.len() {
        lines.push_str(&rest(outcome.total, "note", "--limit"));
    }
    lines
}
