//! Text output of `cm usage`.

use super::list::rows;
use super::short_ids::shown_id;
use super::style::{DIM, ID, STRONG, WARN, count, one_line, paint};
use super::top::judged;
use cm_app::verbs::usage::{NoteUsage, UsageReport};

/// The totals, then the notes by use.
pub fn usage(outcome: &UsageReport) -> String {
    if outcome.total == 0 {
        return "no note was read or shown yet\n".to_owned();
    }
    let mut head = format!(
        "{}: read {}, shown {}",
        count(outcome.total, "note"),
        times(outcome.accesses),
        times(outcome.retrievals)
    );
    if outcome.unjudged > 0 {
        head.push_str(&format!("; {} shown without feedback", count(outcome.unjudged, "rule")));
    }
    let mut lines = format!("{}\n", paint(STRONG, &head));
    let table: Vec<Vec<String>> = outcome.notes.iter().map(cells).collect();
    lines.push_str(&rows(&table, |column, cell| match column {
        2 if cell.trim() == UNJUDGED => paint(WARN, cell),
        2 | 3 | 5 => paint(DIM, cell),
        4 => paint(ID, cell),
        _ => cell.to_owned(),
    }));
    if outcome.total > outcome.notes.len() {
        lines.push_str(&format!("{}\n", paint(DIM, &format!("… of {}", count(outcome.total, "note")))));
    }
    lines
}

const UNJUDGED: &str = "unjudged";

fn cells(note: &NoteUsage) -> Vec<String> {
    let feedback = match (note.helpful, note.harmful) {
        _ if note.unjudged() => UNJUDGED.to_owned(),
        (Some(helpful), Some(harmful)) => judged(helpful, harmful),
        _ => String::new(),
    };
    let last = note.last_access.max(note.last_retrieval);
    vec![
        format!("read {}", note.accesses),
        format!("shown {}", note.retrievals),
        feedback,
        last.map(|at| at.day()).unwrap_or_default(),
        shown_id(&note.id),
        one_line(note.note_type.as_deref().unwrap_or(note.kind.name())),
        one_line(&note.title),
    ]
}

fn times(n: u64) -> String {
    match n {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}
