//! Notes in a list.

use super::list::rows;
use super::style::{DIM, ID, count, cut, paint};
use crate::ops::recent::{Listed, Recent};

/// As text.
pub fn recent(outcome: &Recent) -> String {
    if outcome.notes.is_empty() {
        return "no notes\n".to_owned();
    }
    let mut lines = listed(&outcome.notes);
    if outcome.total > outcome.notes.len() {
        let more = outcome.next.map(|next| format!("; go on with --offset {next}")).unwrap_or_default();
        lines.push_str(&format!("{}\n", paint(DIM, &format!("… of {}{more}", count(outcome.total, "note")))));
    }
    lines
}

/// Rows of day, id, type and title.
pub fn listed(notes: &[Listed]) -> String {
    let table: Vec<Vec<String>> = notes
        .iter()
        .map(|note| {
            vec![
                note.updated.map(|at| at.day()).unwrap_or_default(),
                cut(&shown_id(&note.id), 12),
                cut(note.note_type.as_deref().unwrap_or(note.kind.name()), 16),
                cut(&note.title, 80),
            ]
        })
        .collect();
    rows(&table, |column, cell| match column {
        0 | 2 => paint(DIM, cell),
        1 => paint(ID, cell),
        _ => cell.to_owned(),
    })
}

/// The beginning of an id that is enough to name the note; a path whole.
pub fn shown_id(id: &str) -> String {
    if uuid::Uuid::try_parse(id).is_ok() { id[..8].to_owned() } else { id.to_owned() }
}
