//! Exports a vault for other tools: the four JSON files of the earlier Python tool, and one JSON
//! document with all notes.
//!
//! The output is deterministic. Settings whose names suggest credentials are left out.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::import::state::AccessStatsByNote;
use cm_note::frontmatter::parse::{self, FrontmatterFields};
use cm_note::frontmatter::split::Split;
use cm_note::note::{Note, NoteKind, RelationEntry};
use cm_note::score::DecayScore;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExportFormat {
    /// The folder layout of the earlier Python tool.
    ClaudeMemory,
    /// One JSON document with all notes.
    Json,
    /// Only the notes, each at its path.
    Markdown,
    /// One Markdown file with established rules and active memories.
    #[serde(rename = "memory.md")]
    MemoryMd,
}

impl ExportFormat {
    pub const ALL: [Self; 4] = [Self::ClaudeMemory, Self::Json, Self::Markdown, Self::MemoryMd];

    /// Name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeMemory => "claude-memory",
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::MemoryMd => "memory.md",
        }
    }

    /// Parses a name as printed by `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Value of `generator` in exported JSON files; only files with it are overwritten.
const MARK: &str = "cm export";

/// Name of the settings file of the earlier Python tool, as written by the JSON export.
pub const CONFIG: &str = "_config.json";

/// Data in the JSON files that is not stored in the notes.
#[derive(Debug, Clone, Default)]
pub struct DerivedData {
    /// How often each note was read.
    pub usage: AccessStatsByNote,
    /// Decay scores of memories, by path.
    pub scores: BTreeMap<String, DecayScore>,
    /// Embedding model of the vectors; `None` without vectors.
    pub model: Option<String>,
    /// Vector of each memory, by id.
    pub vectors: BTreeMap<String, Vec<f32>>,
}

/// The four JSON files of the earlier tool: file name and content.
pub fn claude_memory(
    notes: &[Note],
    derived: &DerivedData,
    settings: &BTreeMap<String, Value>,
) -> Vec<(&'static str, String)> {
    let entries = used(&derived.usage);
    let vectors = json!({
        "version": 1,
        "generator": MARK,
        "model": derived.model,
        "dimension": derived.vectors.values().next().map_or(0, Vec::len),
        "count": derived.vectors.len(),
        "entries": derived.vectors,
    });
    vec![
        ("_index.json", pretty(&index(notes, &derived.scores))),
        ("_state.json", pretty(&json!({ "version": 1, "generator": MARK, "entries": entries }))),
        ("_embeddings.json", pretty(&vectors)),
        (CONFIG, pretty(&json!({ "version": 1, "generator": MARK, "settings": public(settings) }))),
    ]
}

/// Whether the file was written by an earlier export.
pub fn is_ours(bytes: &[u8]) -> bool {
    let value: Option<Value> = serde_json::from_slice(bytes).ok();
    value.is_some_and(|value| value.get("generator").and_then(Value::as_str) == Some(MARK))
}

/// `_index.json`: memories and edges by id. Notes without an id are left out.
fn index(notes: &[Note], scores: &BTreeMap<String, DecayScore>) -> Value {
    let with_id = |kind: NoteKind| {
        let of_kind = notes.iter().filter(move |note| note.kind == kind);
        of_kind.filter_map(|note| note.id.as_ref().map(|id| (id.as_str(), note)))
    };
    let entries: BTreeMap<&str, Value> = with_id(NoteKind::Memory)
        .map(|(id, note)| (id, entry(note, scores.get(note.path.as_str()))))
        .collect();
    let edges: BTreeMap<&str, Value> =
        with_id(NoteKind::Edge).filter_map(|(id, note)| Some((id, edge(note)?))).collect();
    json!({ "version": 2, "generator": MARK, "count": entries.len(), "entries": entries, "edges": edges })
}

fn entry(note: &Note, score: Option<&DecayScore>) -> Value {
    json!({
        "path": note.path,
        "type": note.note_type,
        "title": note.title,
        "tags": note.tags,
        "importance": note.importance,
        "confidence": note.confidence,
        "created": note.created,
        "updated": note.updated,
        "decay_score": score,
        "summary": note.summary,
        "relations": note.relations.iter().map(relation).collect::<Vec<_>>(),
    })
}

fn relation(relation: &RelationEntry) -> Value {
    let direction = if relation.outgoing { "outgoing" } else { "incoming" };
    let mut shown = json!({
        "target": relation.target,
        "type": relation.relation,
        "direction": direction,
        "strength": relation.strength,
    });
    if let Some(context) = &relation.context {
        shown["context"] = json!(context);
    }
    if let Some(edge) = &relation.edge_id {
        shown["edge_id"] = json!(edge);
    }
    shown
}

fn edge(note: &Note) -> Option<Value> {
    let ends = note.edge.as_ref()?;
    Some(json!({
        "path": note.path,
        "type": note.note_type,
        "from_id": ends.from,
        "to_id": ends.to,
        "strength": ends.strength,
        "created": note.created,
        "updated": note.updated,
    }))
}

fn used(usage: &AccessStatsByNote) -> BTreeMap<&str, Value> {
    usage
        .iter()
        .map(|(id, access)| {
            (id.as_str(), json!({ "access_count": access.count, "last_accessed": access.last }))
        })
        .collect()
}

/// Substrings of setting names that mark a setting as private.
const PRIVATE: [&str; 5] = ["api_key", "secret", "password", "token_", "credential"];

/// The settings without private ones.
fn public(settings: &BTreeMap<String, Value>) -> BTreeMap<&String, &Value> {
    settings.iter().filter(|(name, _)| PRIVATE.iter().all(|part| !name.contains(part))).collect()
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

fn pretty(value: &Value) -> String {
    // A JSON value always has a text.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::state::{self, AccessStats};
    use cm_note::instant::Instant;

    #[test]
    fn counts_that_are_written_are_read_back() {
        let usage = AccessStatsByNote::from([
            (
                "a".to_owned(),
                AccessStats { count: 3, last: Some(Instant::parse("2026-01-02T03:04:05Z").unwrap()) },
            ),
            ("graph/b.md".to_owned(), AccessStats { count: 1, last: None }),
        ]);
        let derived = DerivedData { usage: usage.clone(), ..DerivedData::default() };
        let files = claude_memory(&[], &derived, &BTreeMap::new());
        let (_, text) = files.iter().find(|(name, _)| *name == "_state.json").unwrap();
        assert_eq!(state::read(text), Ok(usage));
        assert!(files.iter().all(|(_, text)| is_ours(text.as_bytes())));
        assert!(!is_ours(b"{\"version\": 2}") && !is_ours(b"no json"));
    }

    #[test]
    fn no_key_leaves_the_vault() {
        let settings = BTreeMap::from([
            ("llm.api_key_cmd".to_owned(), json!("pass show llm")),
            ("core.max_tokens".to_owned(), json!(3000)),
        ]);
        let files = claude_memory(&[], &DerivedData::default(), &settings);
        let (_, text) = files.iter().find(|(name, _)| *name == CONFIG).unwrap();
        assert!(text.contains("max_tokens") && !text.contains("pass show"));
    }

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
