//! Text output of `cm recent`, and lists of notes.

use super::list::rows;
use super::style::{DIM, ID, count, cut, paint};
use cm_app::verbs::recent::{NoteSummary, RecentNotes};

pub fn recent(outcome: &RecentNotes) -> String {
    if outcome.notes.is_empty() {
        return "no notes\n".to_owned();
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
    let ids = shown_ids(&notes.iter().map(|note| note.id.as_str()).collect::<Vec<_>>());
    let table: Vec<Vec<String>> = notes
        .iter()
        .zip(ids)
        .map(|(note, id)| {
            vec![
                note.updated.map(|at| at.day()).unwrap_or_default(),
                id,
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

/// Prefixes of the ids of a list, each long enough to be unique within it.
fn shown_ids(ids: &[&str]) -> Vec<String> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let common = |one: &str, other: &str| one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    // In a sorted list the id with the longest common beginning is a neighbour.
    let distinct = |id: &&str| {
        let place = sorted.partition_point(|other| other < id);
        let before = place.checked_sub(1).map_or(0, |before| common(id, sorted[before]));
        let after = sorted.get(place + 1).map_or(0, |after| common(id, after));
        before.max(after) + 1
    };
    let shown = |id: &&str| match uuid::Uuid::try_parse(id) {
        Ok(_) => id.chars().take(distinct(id).max(8)).collect(),
        // One more for the sign that it goes on.
        Err(_) => cut(id, (distinct(id) + 1).max(12)),
    };
    ids.iter().map(shown).collect()
}

/// The first 8 characters of a UUID; other ids and paths verbatim.
pub fn shown_id(id: &str) -> String {
    if uuid::Uuid::try_parse(id).is_ok() { id[..8].to_owned() } else { id.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_a_list_are_as_long_as_they_must_be_to_differ() {
        let ids = [
            "0192aaaa-0000-7000-8000-000000000001",
            "0192aaaa-0000-7000-8000-000000000002",
            "0192aaaa-bbbb-7000-8000-000000000001",
            "1f0c2a00-0000-4000-8000-000000000001",
            "b-mt2ssunl-jq6d8j",
            "b-mt2ssunl-jq6d9k",
            "b-9",
        ];
        assert_eq!(
            shown_ids(&ids),
            [
                "0192aaaa-0000-7000-8000-000000000001",
                "0192aaaa-0000-7000-8000-000000000002",
                "0192aaaa-b",
                "1f0c2a00",
                "b-mt2ssunl-jq6d8j",
                "b-mt2ssunl-jq6d9k",
                "b-9",
            ]
        );
    }

    #[test]
    fn a_long_id_that_differs_early_is_cut() {
        assert_eq!(shown_ids(&["b-mt2ssunl-jq6d8j", "b-9"]), ["b-mt2ssunl-…", "b-9"]);
        assert_eq!(shown_ids(&["notes/a.md", "notes/a.md"]), ["notes/a.md", "notes/a.md"]);
    }
}
