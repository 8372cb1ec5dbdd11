//! `export`: MEMORY.md, as printed by `cm export --format memory.md`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, outline, whole};
use super::{Answer, Effect, Endpoint, Method, Operation};
use serde::Serialize;

use cm_app::export::{self, Format};
use cm_app::{Memory, Result};

pub const OPERATION: Operation = Operation {
    name: "export",
    aliases: &[],
    title: "MEMORY.md",
    description: "Established and proven rules, and memories in use, as one markdown text.",
    effect: Effect::Reads,
    idempotent: true,
    tool: false,
    prose: false,
    endpoint: Some(Endpoint { method: Method::Get, path: "/export", done: 200, gives: whole::<Document> }),
    also: &[],
    example: r#"{}"#,
    input: schema::<Input>,
    output: outline::<Document>,
    run,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {}

fn run(memory: &Memory, given: Value) -> Result<Answer> {
    let Input {} = OPERATION.parse(given)?;
    let options = export::Options { format: Format::MemoryMd, out: None, force: false };
    let outcome = export::export(memory, &options)?;
    let document = Document {
        format: outcome.format,
        notes: outcome.notes,
        document: outcome.document.unwrap_or_default(),
    };
    Ok(answer(memory, &document, &document.document))
}

/// The exported document with metadata; the command prints only the document.
#[derive(Serialize, JsonSchema)]
struct Document {
    format: Format,
    /// Number of entries
    notes: usize,
    document: String,
}
