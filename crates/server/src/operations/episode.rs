//! `memory_episode`: the command `cm episode`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::answer;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::verbs::episode::{self};
use cm_app::{Context, Result};
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Log an event",
    description: "Append an entry to today's log.",
    effect: Effect::Adds,
    idempotent: false,
    example: r#"{"title": "Release 1.4", "summary": "Out at noon.", "tags": ["release"]}"#,
    ..OperationSpec::tool("memory_episode", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    title: String,
    summary: Option<String>,
    #[serde(rename = "type")]
    note_type: Option<String>,
    tags: Option<Vec<String>>,
    /// ID of the note concerned
    memory: Option<String>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let options = episode::Options {
        title: input.title,
        summary: input.summary,
        note_type: input.note_type,
        tags: input.tags.unwrap_or_default(),
        memory: input.memory,
    };
    let outcome = episode::episode(context, &options)?;
    Ok(answer(context, &outcome, &text::episode::logged(&outcome)))
}
