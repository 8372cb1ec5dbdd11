//! Text output of `cm diff`.

use std::collections::HashSet;

use serde_json::Value;

use super::short;
use super::style::{BAD, DIM, GOOD, ID, STRONG, WARN, count, one_line, paint, safe};
use cm_app::verbs::diff::{
    ChangedNote, EdgeChange, FeedbackChange, FeedbackCounts, FieldChange, NoteIdentity, VaultDiff,
};
use cm_note::note::NoteKind;
use cm_note::note::types::LINKS_TO;

/// Width of the column with verbs.
const VERB_COLUMNS: usize = 11;

/// A summary, then one line for each note and edge.
pub fn diffed(outcome: &VaultDiff) -> String {
    // The note of an edge is told as the edge.
    let files: HashSet<&str> = outcome.edges.iter().filter_map(|edge| edge.file.as_deref()).collect();
    let is_listed = |note: &&NoteIdentity| note.kind != NoteKind::Edge || !files.contains(note.path.as_str());
    let added: Vec<&NoteIdentity> = outcome.added.iter().filter(is_listed).collect();
    let removed: Vec<&NoteIdentity> = outcome.removed.iter().filter(is_listed).collect();
    let mut lines = vec![
        paint(DIM, &format!("{} → {}", outcome.from.as_deref().map_or("nothing", short), short(&outcome.to))),
        summary(outcome, [added.len(), removed.len()]),
    ];
    let line =
        |style, verb: &str, what: &str| format!("{}{what}", paint(style, &format!("{verb:VERB_COLUMNS$}")));
    lines.extend(added.into_iter().map(|note| line(GOOD, "added", &name_and_title(note))));
    lines.extend(removed.into_iter().map(|note| line(BAD, "removed", &name_and_title(note))));
    for change in &outcome.changed {
        lines.push(line(WARN, "changed", &name_and_title(&change.note)));
        lines.extend(parts(change).iter().map(|part| format!("{:VERB_COLUMNS$}  {part}", "")));
    }
    for edge in &outcome.edges {
        let (style, verb) = match (edge.relation == LINKS_TO, edge.old, edge.new) {
            (false, None, _) => (GOOD, "related"),
            (false, _, None) => (BAD, "unrelated"),
            (true, None, _) => (GOOD, "linked"),
            (true, _, None) => (BAD, "unlinked"),
            _ => (WARN, "strength"),
        };
        lines.push(line(style, verb, &joined(edge)));
    }
    lines.extend(outcome.other.iter().map(|path| line(DIM, "other", &safe(path))));
    lines.join("\n") + "\n"
}

/// One-sentence summary of the changes.
fn summary(outcome: &VaultDiff, [added, removed]: [usize; 2]) -> String {
    let edges = |fits: fn(&&EdgeChange) -> bool| outcome.edges.iter().filter(fits).count();
    let came = edges(|edge| edge.old.is_none());
    let went = edges(|edge| edge.new.is_none());
    let parts = [
        clause("note", [added, removed, outcome.changed.len()]),
        clause("edge", [came, went, outcome.edges.len() - came - went]),
        (!outcome.other.is_empty()).then(|| format!("{} changed", count(outcome.other.len(), "other file"))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "nothing changed".to_owned() } else { parts.join("; ") }
}

/// `2 notes came, 1 went`; `None` if all numbers are 0.
fn clause(noun: &str, numbers: [usize; 3]) -> Option<String> {
    let verbs = ["added", "removed", "changed"];
    let counts = numbers.into_iter().zip(verbs).filter(|(number, _)| *number > 0).enumerate();
    let parts: Vec<String> = counts
        .map(|(at, (number, verb))| match at {
            0 => format!("{} {verb}", count(number, noun)),
            _ => format!("{number} {verb}"),
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn name_and_title(note: &NoteIdentity) -> String {
    let note_type = note.note_type.as_deref().unwrap_or(note.kind.name());
    let place = paint(DIM, &format!("({note_type}) {}", safe(&note.path)));
    format!("{} {place}", paint(STRONG, &one_line(&note.title)))
}

fn joined(edge: &EdgeChange) -> String {
    let verb = if edge.relation == LINKS_TO { "to" } else { &safe(&edge.relation) };
    let (from, to) = (one_line(&edge.from.title), one_line(&edge.to.title));
    let ends = format!("{} {} {}", paint(STRONG, &from), paint(ID, verb), paint(STRONG, &to));
    match (edge.old, edge.new) {
        (Some(old), Some(new)) => format!("{ends}: {old} → {new}"),
        (None, Some(strength)) | (Some(strength), None) if edge.relation != LINKS_TO && strength < 1.0 => {
            format!("{ends}, strength {strength}")
        }
        _ => ends,
    }
}

fn parts(change: &ChangedNote) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(from) = &change.moved_from {
        parts.push(format!("moved from {}", safe(from)));
    }
    if let Some(title) = &change.retitled_from {
        parts.push(format!("previously: {}", one_line(title)));
    }
    // The title and the feedback have sentences of their own.
    let is_listed_field = |field: &&FieldChange| match field.key.as_str() {
        "title" => change.retitled_from.is_none(),
        "feedback" => change.feedback.is_none(),
        _ => true,
    };
    parts.extend(change.fields.iter().filter(is_listed_field).map(field));
    parts.extend(change.feedback.as_ref().map(feedback));
    if change.words_added + change.words_removed > 0 {
        parts.push(format!(
            "body: {} added, {} removed",
            count(change.words_added, "word"),
            change.words_removed
        ));
    }
    if let Some((before, after)) = change.score {
        parts.push(format!("score: {before:.3} → {after:.3}"));
    }
    parts
}

fn feedback(change: &FeedbackChange) -> String {
    let words = |words: &FeedbackCounts| {
        let parts = [
            (words.helpful, "helpful"),
            (words.harmful, "harmful"),
            (words.irrelevant, "irrelevant"),
            (words.ignored, "ignored"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(n, _)| *n > 0).map(|(n, signal)| format!("{n} {signal}")).collect();
        parts.join(", ")
    };
    let sides = [(words(&change.came), "added"), (words(&change.went), "removed")];
    let sides: Vec<String> = sides
        .into_iter()
        .filter(|(words, _)| !words.is_empty())
        .map(|(words, verb)| format!("{words} {verb}"))
        .collect();
    format!("{}: {}", paint(ID, "feedback"), sides.join("; "))
}

fn field(field: &FieldChange) -> String {
    let shown = |value: &Value| match value {
        Value::Null => paint(DIM, "nothing"),
        Value::String(text) => one_line(text),
        other => one_line(&other.to_string()),
    };
    let key = paint(ID, &safe(&field.key));
    let list = |value: &Value| match value {
        Value::Array(items) => Some(items.clone()),
        Value::Null => Some(Vec::new()),
        _ => None,
    };
    match (list(&field.old), list(&field.new)) {
        (Some(old), Some(new)) => {
            let came: Vec<&Value> = new.iter().filter(|item| !old.contains(item)).collect();
            let went: Vec<&Value> = old.iter().filter(|item| !new.contains(item)).collect();
            if came.iter().chain(&went).any(|item| item.is_object()) {
                return format!("{key}: {} added, {} removed", came.len(), went.len());
            }
            let signed = |sign: char, items: &[&Value]| -> Vec<String> {
                items.iter().map(|item| format!("{sign}{}", shown(item))).collect()
            };
            let items = [signed('+', &came), signed('-', &went)].concat();
            let items = if items.is_empty() { "order changed".to_owned() } else { items.join(" ") };
            format!("{key}: {items}")
        }
        _ => format!("{key}: {} → {}", shown(&field.old), shown(&field.new)),
    }
}
