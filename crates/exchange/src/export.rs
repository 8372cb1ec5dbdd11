//! Exports a vault for other tools: the formats, and one JSON document with all notes.
//!
//! The output is deterministic.

pub mod claude_memory;
pub mod manifest;
pub mod memory_tool;
pub mod okf;

use serde_json::{Map, Value, json};

use cm_note::frontmatter::parse::{self, FrontmatterFields};
use cm_note::frontmatter::split::Split;
use cm_note::note::Note;
use cm_text::named_enum;

named_enum! {
    pub enum ExportFormat {
        /// The folder layout of the earlier Python tool.
        ClaudeMemory = "claude-memory",
        /// One JSON document with all notes.
        Json = "json",
        /// Only the notes, each at its path.
        Markdown = "markdown",
        /// One Markdown file with established rules and active memories.
        MemoryMd = "memory.md",
        /// A folder as Anthropic's memory tool writes it: one text file for each memory.
        MemoryTool = "memory-tool",
        /// A bundle in the Open Knowledge Format.
        Okf = "okf",
        /// The reading views of the page as files.
        Site = "site",
    }
}

/// One JSON document with every note: frontmatter as values, body verbatim.
pub fn document(notes: &[(Note, String)]) -> String {
    let notes: Vec<Value> = notes.iter().map(|(note, text)| whole(note, text)).collect();
    pretty(&json!({ "version": 1, "count": notes.len(), "notes": notes }))
}

fn whole(note: &Note, text: &str) -> Value {
    let split = Split::of(text);
    let parsed = parse::parse(&split);
    let mut shown = json!({
        "id": note.id,
        "path": note.path,
        "kind": note.kind,
        "type": note.note_type,
        "title": note.title,
        "frontmatter": frontmatter(&parsed.fields),
        "body": split.body(),
    });
    // What cannot be read as values is not lost.
    if let Some(yaml) = split.yaml().filter(|_| !parsed.faults.is_empty()) {
        shown["frontmatter_text"] = json!(yaml);
    }
    shown
}

fn frontmatter(fields: &FrontmatterFields) -> Value {
    let pairs = fields.iter().map(|field| {
        let value = match (&field.written, &field.value) {
            // A date or a version number is text that YAML takes for something else.
            (Some(written), yaml_serde::Value::Number(number)) if number.to_string() != *written => {
                json!(written)
            }
            (_, value) => plain(value),
        };
        (field.key.clone(), value)
    });
    Value::Object(pairs.collect())
}

/// Converts a YAML value to JSON.
fn plain(value: &yaml_serde::Value) -> Value {
    match value {
        yaml_serde::Value::Null => Value::Null,
        yaml_serde::Value::Bool(truth) => json!(truth),
        yaml_serde::Value::Number(number) => {
            serde_json::to_value(number).unwrap_or_else(|_| json!(number.to_string()))
        }
        yaml_serde::Value::String(text) => json!(text),
        yaml_serde::Value::Sequence(items) => Value::Array(items.iter().map(plain).collect()),
        yaml_serde::Value::Mapping(pairs) => {
            let key =
                |key: &yaml_serde::Value| parse::scalar_text(key).unwrap_or_else(|| plain(key).to_string());
            Value::Object(pairs.iter().map(|(name, value)| (key(name), plain(value))).collect::<Map<_, _>>())
        }
        yaml_serde::Value::Tagged(tagged) => plain(&tagged.value),
    }
}

pub(crate) fn pretty(value: &Value) -> String {
    // A JSON value always has a text.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frontmatter_becomes_values_and_keeps_what_numbers_would_lose() {
        let text = "---\nversion: 2024.10\nn: 7\nyes: true\nlist: [a, {b: 1}]\nday: 2026-01-02\n---\nbody\n";
        let fields = parse::parse(&Split::of(text)).fields;
        assert_eq!(
            frontmatter(&fields),
            json!({ "version": "2024.10", "n": 7, "yes": true, "list": ["a", {"b": 1}], "day": "2026-01-02" })
        );
    }
}
