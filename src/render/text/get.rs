//! A note for reading.

use super::style::{DIM, ID, STRONG, WARN, paint, safe};
use crate::ops::get::Got;

/// As text: a head of a few lines, the body as written, then what points at it.
pub fn got(outcome: &Got) -> String {
    let mut lines = format!("{}\n", paint(STRONG, &safe(&outcome.title)));
    let note_type = outcome.note_type.as_deref().unwrap_or(outcome.kind.name());
    lines.push_str(&format!("{}  {}  {}\n", paint(ID, &outcome.id), safe(note_type), outcome.path));
    if let (Some(score), Some(status)) = (outcome.score, outcome.status) {
        lines.push_str(&format!("{}\n", paint(DIM, &format!("{} ({:.2})", status.name(), score.value()))));
    }
    for (key, value) in &outcome.frontmatter {
        if !["id", "type", "title"].contains(&key.as_str()) {
            lines.push_str(&format!("{} {}\n", paint(DIM, &format!("{}:", safe(key))), safe(&plain(value))));
        }
    }
    lines.push_str(&format!("\n{}\n", safe(outcome.body.trim())));
    if !outcome.backlinks.is_empty() {
        lines.push_str(&format!("\n{}\n", paint(STRONG, "Linked from")));
    }
    for link in &outcome.backlinks {
        lines.push_str(&format!(
            "  {}  {}  {}\n",
            paint(ID, &link.id),
            paint(DIM, &link.relation),
            safe(&link.title)
        ));
    }
    for found in &outcome.findings {
        let line = found.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        lines.push_str(&format!(
            "{} {}{line}\n",
            paint(WARN, &format!("{}:", found.code)),
            safe(&found.message)
        ));
    }
    lines
}

fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) if items.iter().all(|item| !item.is_object()) => {
            items.iter().map(plain).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
