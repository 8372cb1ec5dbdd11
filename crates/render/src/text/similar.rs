//! Text output of `cm similar`.

use super::list::rows;
use super::short_ids::shown_id;
use super::style::{DIM, ID, one_line, paint};
use cm_app::verbs::similar::SimilarNotes;

/// Similarity, id, type and title; for a contradiction, the reason on the next line.
pub fn similar(outcome: &SimilarNotes) -> String {
    if outcome.notes.is_empty() {
        return "nothing similar found\n".to_owned();
    }
    let table: Vec<Vec<String>> = outcome
        .notes
        .iter()
        .map(|note| {
            let contradicts =
                note.contradicts.as_ref().map(|why| paint(DIM, &one_line(&format!("contradicts: {why}"))));
            vec![
                format!("{:.2}", note.score),
                one_line(&shown_id(&note.id)),
                one_line(note.note_type.as_deref().unwrap_or(note.kind.name())),
                [Some(one_line(&note.title)), contradicts]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join("  "),
            ]
        })
        .collect();
    rows(&table, |column, cell| match column {
        0 | 2 => paint(DIM, cell),
        1 => paint(ID, cell),
        _ => cell.to_owned(),
    })
}
