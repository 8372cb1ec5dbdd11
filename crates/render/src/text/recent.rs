//! Text output of `cm recent`, and lists of notes.

use super::list::rows;
use super::short_ids::ShortIds;
use super::style::{DIM, ID, count, empty_page, one_line, paint};
use cm_app::verbs::recent::{NoteSummary, RecentNotes};

pub fn recent(outcome: &RecentNotes) -> String {
    if outcome.notes.is_empty() {
        return empty_page(outcome.total, "note", "no notes");
    }
    let mut lines = listed(&outcome.notes);
    if outcome.total > outcome.notes.len() {
        let more = outcome.next.map(|next| format!("; continue with --offset {next}")).unwrap_or_default();
        lines.push_str(&format!("{}\n", paint(DIM, &format!("… of {}{more}", count(outcome.total, "note")))));
    }
    lines
}

/// A table with date, id, type and title.
pub fn listed(notes: &[NoteSummary]) -> String {
    let ids = ShortIds::of(notes.iter().map(|note| note.id.as_str()));
    let table: Vec<Vec<String>> = notes
        .iter()
        .map(|note| {
            vec![
                note.updated.map(|at| at.day()).unwrap_or_default(),
                ids.shown(&note.id),
                one_line(note.note_type.as_deref().unwrap_or(note.kind.name())),
                one_line(&note.title),
            ]
        })
        .collect();
    rows(&table, |column, cell| match column {
        0 | 2 => paint(DIM, cell),
        1 => paint(ID, cell),
        _ => cell.to_owned(),
    })
}
