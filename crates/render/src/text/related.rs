//! Text output of `cm related`.

use super::recent::shown_id;
use super::style::{DIM, ID, STRONG, count, paint, safe};
use cm_app::verbs::related::RelatedNotes;
use cm_note::graph::EdgeDirection;

/// One line for each note, indented by distance, with an arrow for the direction of the edge.
pub fn related(outcome: &RelatedNotes) -> String {
    let mut lines = format!("{}\n", paint(STRONG, &safe(&outcome.title)));
    if outcome.notes.is_empty() {
        lines.push_str("no edges\n");
    }
    for note in &outcome.notes {
        let arrow = match note.direction {
            EdgeDirection::Outgoing => format!("─{}→", note.relation),
            EdgeDirection::Incoming => format!("←{}─", note.relation),
        };
        let via = if note.via.is_empty() {
            String::new()
        } else {
            format!(" via {}", safe(&note.via.join(" › ")))
        };
        lines.push_str(&format!(
            "{}{} {}  {}{}\n",
            "  ".repeat(usize::from(note.hops)),
            paint(DIM, &safe(&arrow)),
            paint(ID, &shown_id(&note.id)),
            safe(&note.title),
            paint(DIM, &via)
        ));
    }
    if let Some(next) = outcome.next {
        let more = format!(
            "{} of {}; continue with --offset {next}",
            outcome.notes.len(),
            count(outcome.total, "note")
        );
        lines.push_str(&format!("{}\n", paint(DIM, &more)));
    }
    lines
}
