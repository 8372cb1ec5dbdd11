//! `export`: MEMORY.md, as printed by `cm export --format memory.md`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, whole};
use super::{Effect, Endpoint, Method, OperationResult, OperationSpec};
use serde::Serialize;

use cm_app::verbs::export::{self, ExportFormat};
use cm_app::{Context, Result};

pub const OPERATION: OperationSpec = OperationSpec {
    title: "MEMORY.md",
    description: "Established and proven rules and memories in use, as one Markdown text.",
    effect: Effect::Reads,
    idempotent: true,
    tool: false,
    endpoint: Some(Endpoint {
        methods: &[Method::Get],
        path: "/export",
        success_status: 200,
        response_schema: whole::<ExportDocument>,
    }),
    example: r#"{}"#,
    ..OperationSpec::tool("export", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Least score of a memory that is listed; by default that of memories in use
    score_threshold: Option<f64>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let Input { score_threshold } = OPERATION.parse(given, context.request.caller.interface)?;
    let options =
        export::Options { format: ExportFormat::MemoryMd, out: None, force: false, score_threshold };
    let outcome = export::export(context, &options)?;
    let document = ExportDocument {
        format: outcome.format,
        notes: outcome.notes,
        document: outcome.document.unwrap_or_default(),
    };
    Ok(answer(context, &document, &document.document))
}

/// The exported document with metadata; the command prints only the document.
#[derive(Serialize, JsonSchema)]
struct ExportDocument {
    format: ExportFormat,
    /// Number of entries
    notes: usize,
    document: String,
}
