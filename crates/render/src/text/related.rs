//! Text output of `cm related`.

use super::as_of_line;
use super::short_ids::ShortIds;
use super::style::{DIM, ID, STRONG, count, empty_page, one_line, paint, safe};
use crate::layout::CELL;
use cm_app::verbs::related::{LinkedNote, RelatedNotes};
use cm_note::graph::EdgeDirection;

/// One line for each note, indented by distance, with an arrow for the direction of the edge.
pub fn related(outcome: &RelatedNotes) -> String {
    let mut lines = heading(outcome);
    if outcome.notes.is_empty() {
        lines.push_str(&empty_page(outcome.total, "note", "no edges"));
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

/// The commit that was read, if not the current state, and the title of the start note.
fn heading(outcome: &RelatedNotes) -> String {
    format!("{}{}\n", as_of_line(outcome.as_of.as_ref()), paint(STRONG, &safe(&outcome.title)))
}

/// A tree: below each note the notes that are reached through it.
pub fn tree(outcome: &RelatedNotes) -> String {
    let ids = ShortIds::of(outcome.notes.iter().map(|note| note.id.as_str()));
    let mut lines = heading(outcome);
    if outcome.notes.is_empty() {
        lines.push_str(&empty_page(outcome.total, "note", "no edges"));
    }
    push_branches(&mut lines, outcome, &ids, &[], "");
    if outcome.next.is_some() {
        let more = format!("{} of {}", outcome.notes.len(), count(outcome.total, "note"));
        lines.push_str(&format!("{}\n", paint(DIM, &more)));
    }
    lines
}

/// Adds the notes whose path from the start note is `via`, each with its own branches.
fn push_branches(lines: &mut String, outcome: &RelatedNotes, ids: &ShortIds, via: &[String], before: &str) {
    let children: Vec<&LinkedNote> = outcome.notes.iter().filter(|note| note.via == via).collect();
    for (at, note) in children.iter().enumerate() {
        let is_last = at + 1 == children.len();
        let (branch, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let arrow = match note.direction {
            EdgeDirection::Outgoing => format!("{} →", note.relation),
            EdgeDirection::Incoming => format!("← {}", note.relation),
        };
        lines.push_str(&format!(
            "{before}{branch}{} {}  {}\n",
            paint(DIM, &safe(&arrow)),
            paint(ID, &ids.shown(&note.id)),
            one_line(&note.title),
        ));
        let path: Vec<String> = via.iter().cloned().chain([note.title.clone()]).collect();
        if outcome.notes.iter().any(|other| other.via == path) {
            push_branches(lines, outcome, ids, &path, &format!("{before}{below}"));
        }
    }
}
