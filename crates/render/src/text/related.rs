//! Text output of `cm related`.

use super::short_ids::ShortIds;
use super::style::{DIM, ID, STRONG, count, one_line, paint, safe};
use crate::layout::CELL;
use cm_app::verbs::related::RelatedNotes;
use cm_note::graph::EdgeDirection;

/// One line for each note, indented by distance, with an arrow for the direction of the edge.
pub fn related(outcome: &RelatedNotes) -> String {
    let mut lines = format!("{}\n", paint(STRONG, &safe(&outcome.title)));
    if outcome.notes.is_empty() {
        lines.push_str("no edges\n");
    }
    let ids = ShortIds::of(outcome.notes.iter().map(|note| note.id.as_str()));
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
            "{}{}{CELL}{}{CELL}{}{}\n",
            "  ".repeat(usize::from(note.hops)),
            paint(DIM, &safe(&arrow)),
            paint(ID, &ids.shown(&note.id)),
            one_line(&note.title),
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
