//! Text output of `cm get`.

use super::as_of_line;
use super::short_ids::ShortIds;
use super::style::{DIM, ID, STRONG, WARN, count, one_line, paint, safe};
use crate::layout::{CELL, ELIDED};
use crate::markdown;
use cm_app::verbs::get::{LinkedNoteRow, NoteDetails};
use cm_note::finding::{Finding, FindingCode};

/// How the body of a note is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyStyle {
    /// As written, for other programs.
    Markdown,
    /// Rendered, for a terminal.
    Rendered,
}

/// A short header, the body, then backlinks; of a section, only its lines and the section.
pub fn got(outcome: &NoteDetails, style: BodyStyle) -> String {
    let mut lines = as_of_line(outcome.as_of.as_ref());
    lines.push_str(&format!("{}\n", paint(STRONG, &safe(&outcome.title))));
    let note_type = outcome.note_type.as_deref().unwrap_or(outcome.kind.name());
    lines.push_str(&format!("{}  {}\n", paint(ID, &outcome.id), safe(note_type)));
    if outcome.id != outcome.path {
        lines.push_str(&format!("{ELIDED}{}\n", paint(DIM, &safe(&outcome.path))));
    }
    if let Some(section) = &outcome.section {
        let lines_shown = format!("lines {} to {} of {}", section.from, section.to, section.lines);
        lines.push_str(&format!("{}\n\n", paint(DIM, &lines_shown)));
        lines.push_str(&format!("{}\n", body(outcome, style).trim_end()));
        return lines;
    }
    if let (Some(score), Some(status)) = (outcome.score, outcome.status) {
        lines.push_str(&format!("{}\n", paint(DIM, &format!("{} ({:.2})", status.name(), score.value()))));
    }
    for (key, value) in &outcome.frontmatter {
        if !["id", "type", "title"].contains(&key.as_str()) {
            lines.push_str(&format!("{} {}\n", paint(DIM, &format!("{}:", safe(key))), safe(&plain(value))));
        }
    }
    lines.push_str(&format!("\n{}\n", body(outcome, style).trim_end()));
    lines.push_str(&edges("Links to", &outcome.links));
    lines.push_str(&edges("Linked from", &outcome.backlinks));
    lines + &findings(&outcome.findings)
}

/// The findings in a note, one a line.
pub fn findings(findings: &[Finding]) -> String {
    let line_of = |found: &Finding| {
        let line = found.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        let remedy = match found.code {
            FindingCode::MissingId => "; `cm adopt` adds one",
            _ => "",
        };
        format!("{} {}{line}{remedy}\n", paint(WARN, &format!("{}:", found.code)), safe(&found.message))
    };
    findings.iter().map(line_of).collect()
}

fn body(outcome: &NoteDetails, style: BodyStyle) -> String {
    match style {
        BodyStyle::Markdown => safe(outcome.body.trim()),
        BodyStyle::Rendered => markdown::render(outcome.body.trim()),
    }
}

fn edges(heading: &str, ends: &[LinkedNoteRow]) -> String {
    if ends.is_empty() {
        return String::new();
    }
    let ids = ShortIds::of(ends.iter().map(|end| end.id.as_str()));
    let line = |end: &LinkedNoteRow| {
        let (id, relation) = (paint(ID, &ids.shown(&end.id)), paint(DIM, &safe(&end.relation)));
        format!("  {id}{CELL}{relation}{CELL}{}\n", one_line(&end.title))
    };
    let lines: String = ends.iter().map(line).collect();
    format!("\n{}\n{lines}", paint(STRONG, heading))
}

fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) if items.iter().all(|item| !item.is_object()) => {
            items.iter().map(plain).collect::<Vec<_>>().join(", ")
        }
        serde_json::Value::Array(items) => count(items.len(), "entry"),
        other => other.to_string(),
    }
}
