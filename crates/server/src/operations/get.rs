//! `memory_get`: the command `cm get`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::answer;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::verbs::get::{self};
use cm_app::{Context, Result};
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Read a note",
    description: "A note, or a section of it, and the notes that link to it.",
    effect: Effect::Reads,
    idempotent: true,
    example: r#"{"id": "1f0c2a"}"#,
    ..OperationSpec::tool("memory_get", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// ID (or unique prefix), title or path
    id: String,
    /// Heading, or lines as in 12-40, to read only these
    section: Option<String>,
    as_of: Option<String>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let outcome = context
        .at_time(input.as_of.as_deref(), |context| get::get(context, &input.id, input.section.as_deref()))?;
    Ok(answer(context, &outcome, &text::get::got(&outcome, text::get::BodyStyle::Markdown)))
}
