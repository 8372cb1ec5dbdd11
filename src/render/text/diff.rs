//! What changed between two commits.

use serde_json::Value;

use super::short;
use super::style::{BAD, DIM, GOOD, ID, STRONG, WARN, count, cut, paint, safe};
use crate::ops::diff::{Changed, Diffed, Field, Named};

/// As text: a line a note.
pub fn diffed(outcome: &Diffed) -> String {
    let mut lines = format!(
        "{}\n",
        paint(DIM, &format!("{} → {}", outcome.from.as_deref().map_or("nothing", short), short(&outcome.to)))
    );
    let named = |note: &Named| {
        let note_type = note.note_type.as_deref().unwrap_or(note.kind.name());
        format!(
            "{} {}",
            paint(STRONG, &safe(&note.title)),
            paint(DIM, &format!("({note_type}) {}", safe(&note.path)))
        )
    };
    for note in &outcome.added {
        lines.push_str(&format!("{}    {}\n", paint(GOOD, "added"), named(note)));
    }
    for note in &outcome.removed {
        lines.push_str(&format!("{}  {}\n", paint(BAD, "removed"), named(note)));
    }
    for change in &outcome.changed {
        lines.push_str(&format!("{}  {}\n", paint(WARN, "changed"), named(&change.note)));
        parts(change).iter().for_each(|part| lines.push_str(&format!("           {part}\n")));
    }
    for path in &outcome.other {
        lines.push_str(&format!("{}    {}\n", paint(DIM, "other"), safe(path)));
    }
    if lines.lines().count() == 1 {
        lines.push_str("nothing changed\n");
    }
    lines
}

fn parts(change: &Changed) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(from) = &change.moved_from {
        parts.push(format!("moved from {}", safe(from)));
    }
    parts.extend(change.fields.iter().map(field));
    if change.words_added + change.words_removed > 0 {
        parts.push(format!(
            "body: {} came, {} went",
            count(change.words_added, "word"),
            change.words_removed
        ));
    }
    if let Some((before, after)) = change.score {
        parts.push(format!("score: {:.3} → {:.3}", before.value(), after.value()));
    }
    parts
}

fn field(field: &Field) -> String {
    let shown = |value: &Value| match value {
        Value::Null => paint(DIM, "nothing"),
        Value::String(text) => cut(text, 60),
        other => cut(&other.to_string(), 60),
    };
    match (&field.old, &field.new) {
        (Value::Array(old), Value::Array(new)) => {
            let came = new.iter().filter(|item| !old.contains(item)).map(|item| format!("+{}", shown(item)));
            let went = old.iter().filter(|item| !new.contains(item)).map(|item| format!("-{}", shown(item)));
            let items: Vec<String> = came.chain(went).collect();
            let items = if items.is_empty() { "another order".to_owned() } else { items.join(" ") };
            format!("{}: {items}", paint(ID, &safe(&field.key)))
        }
        (old, new) => format!("{}: {} → {}", paint(ID, &safe(&field.key)), shown(old), shown(new)),
    }
}
