//! The four JSON files of the earlier Python tool, schema 3.0.0.
//!
//! Keys are exactly those of that schema. The notes themselves have the same form in both tools and
//! are copied.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::pretty;
use crate::import::state::{AccessStats, AccessStatsByNote};
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind, RelationEntry};
use cm_note::score::DecayScore;

/// Name of the settings file.
pub const CONFIG: &str = "_config.json";

/// Models that the earlier tool uses if its settings name none.
const OLLAMA_MODEL: &str = "nomic-embed-text";
const OPENAI_MODEL: &str = "text-embedding-3-small";

/// Data in the JSON files that is not stored in the notes.
#[derive(Debug, Clone)]
pub struct DerivedData {
    /// Time of the export.
    pub at: Instant,
    /// How often each note was read.
    pub usage: AccessStatsByNote,
    /// Decay scores of memories, by path.
    pub scores: BTreeMap<String, DecayScore>,
    /// Embedding model of the vectors; `None` without vectors.
    pub model: Option<String>,
    /// Vector of each memory, by id.
    pub vectors: BTreeMap<String, Vec<f32>>,
    /// Embedding provider in the vault's settings.
    pub provider: String,
    /// Embedding model in the vault's settings; empty for the provider's default.
    pub provider_model: String,
}

/// File name and content of each of the four files.
pub fn files(notes: &[Note], derived: &DerivedData) -> Vec<(&'static str, String)> {
    let vectors = json!({
        "model": derived.model,
        "updated": offset(derived.at),
        "count": derived.vectors.len(),
        "entries": derived.vectors,
    });
    vec![
        ("_index.json", pretty(&index(notes, derived))),
        ("_state.json", pretty(&state(notes, derived))),
        ("_embeddings.json", pretty(&vectors)),
        (CONFIG, pretty(&config(&derived.provider, &derived.provider_model))),
    ]
}

/// The time with its offset as digits: older Pythons cannot parse `Z`.
fn offset(at: Instant) -> String {
    at.to_string().replace('Z', "+00:00")
}

/// `_index.json`: memories and edges by id. Notes without an id are left out.
fn index(notes: &[Note], derived: &DerivedData) -> Value {
    let with_id = |kind: NoteKind| {
        let of_kind = notes.iter().filter(move |note| note.kind == kind);
        of_kind.filter_map(|note| note.id.as_ref().map(|id| (id.as_str(), note)))
    };
    let entries: BTreeMap<&str, Value> =
        with_id(NoteKind::Memory).map(|(id, note)| (id, entry(note, derived))).collect();
    let edges: BTreeMap<&str, Value> =
        with_id(NoteKind::Edge).filter_map(|(id, note)| Some((id, edge(note)?))).collect();
    json!({ "version": 2, "updated": offset(derived.at), "count": entries.len(), "edges": edges, "entries": entries })
}

fn entry(note: &Note, derived: &DerivedData) -> Value {
    json!({
        "title": note.title,
        "type": note.note_type,
        "tags": note.tags,
        "importance": note.importance.unwrap_or(0.5),
        "confidence": note.confidence.unwrap_or(0.8),
        "created": note.created.map(offset),
        "updated": note.updated.map(offset),
        "path": note.path,
        "decay_score": derived.scores.get(note.path.as_str()),
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
        "type": note.note_type,
        "from_id": ends.from,
        "to_id": ends.to,
        "strength": ends.strength,
        "path": note.path,
    }))
}

/// `_state.json`: every memory with its score, and everything that was read. A memory that was
/// never read has no time.
fn state(notes: &[Note], derived: &DerivedData) -> Value {
    let mut entries: BTreeMap<&str, Value> =
        derived.usage.iter().map(|(key, access)| (key.as_str(), accessed(access))).collect();
    for note in notes.iter().filter(|note| note.kind == NoteKind::Memory) {
        if let Some(score) = derived.scores.get(note.path.as_str()) {
            let entry = entries.entry(note.key()).or_insert_with(|| accessed(&AccessStats::default()));
            entry["decay_score"] = json!(score);
        }
    }
    json!({ "version": 1, "updated": offset(derived.at), "entries": entries })
}

fn accessed(access: &AccessStats) -> Value {
    let mut entry = Map::from_iter([("access_count".to_owned(), json!(access.count))]);
    if let Some(last) = access.last {
        entry.insert("last_accessed".to_owned(), json!(offset(last)));
    }
    Value::Object(entry)
}

/// `_config.json`: the earlier tool knows two providers; the key is never written.
fn config(provider: &str, model: &str) -> Value {
    let of = |name: &str, default: &str| {
        if provider == name && !model.is_empty() { model.to_owned() } else { default.to_owned() }
    };
    json!({
        "embedding_provider": if provider == "openai" { "openai" } else { "ollama" },
        "openai_api_key": null,
        "ollama_model": of("ollama", OLLAMA_MODEL),
        "openai_model": of("openai", OPENAI_MODEL),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::state;

    fn derived() -> DerivedData {
        DerivedData {
            at: Instant::parse("2026-11-21T12:00:00Z").unwrap(),
            usage: AccessStatsByNote::new(),
            scores: BTreeMap::new(),
            model: None,
            vectors: BTreeMap::new(),
            provider: "builtin".to_owned(),
            provider_model: String::new(),
        }
    }

    fn parsed(derived: &DerivedData, name: &str) -> Value {
        let files = files(&[], derived);
        let (_, text) = files.iter().find(|(file, _)| *file == name).unwrap();
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn counts_that_are_written_are_read_back() {
        let usage = AccessStatsByNote::from([
            (
                "a".to_owned(),
                AccessStats { count: 3, last: Some(Instant::parse("2026-01-02T03:04:05Z").unwrap()) },
            ),
            ("graph/b.md".to_owned(), AccessStats { count: 1, last: None }),
        ]);
        let written = parsed(&DerivedData { usage: usage.clone(), ..derived() }, "_state.json");
        assert_eq!(state::read(&written.to_string()), Ok(usage));
    }

    #[test]
    fn the_settings_have_four_keys_and_no_secret() {
        let of = |provider: &str, model: &str| {
            let (provider, provider_model) = (provider.to_owned(), model.to_owned());
            parsed(&DerivedData { provider, provider_model, ..derived() }, CONFIG)
        };
        assert_eq!(
            of("builtin", "minilm"),
            json!({
                "embedding_provider": "ollama",
                "openai_api_key": null,
                "ollama_model": "nomic-embed-text",
                "openai_model": "text-embedding-3-small",
            })
        );
        let openai = of("openai", "text-embedding-3-large");
        assert_eq!(openai["embedding_provider"], "openai");
        assert_eq!(openai["openai_model"], "text-embedding-3-large");
        assert_eq!(of("ollama", "bge-m3")["ollama_model"], "bge-m3");
    }
}
