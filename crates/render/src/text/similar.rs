//! Text output of `cm similar`.

use super::list::rows;
use super::recent::shown_id;
use super::style::{DIM, ID, cut, paint};
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
                note.contradicts.as_ref().map(|why| paint(DIM, &cut(&format!("contradicts: {why}"), 80)));
            vec![
                format!("{:.2}", note.score),
                cut(&shown_id(&note.id), 20),
                cut(note.note_type.as_deref().unwrap_or(note.kind.name()), 16),
                [Some(cut(&note.title, 80)), contradicts]
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
