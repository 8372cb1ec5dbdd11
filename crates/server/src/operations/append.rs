//! `memory_append`: the command `cm update` restricted to `--append` and `--add-tag`. It is not
//! destructive, so clients that refuse destructive tools can still add to a note.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::answer;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::verbs::update::{self};
use cm_app::{Context, Result};
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Add to a note",
    description: "Add text or tags to a note.",
    effect: Effect::Adds,
    idempotent: false,
    field_aliases: &[("content", "append")],
    example: r#"{"id": "1f0c2a", "append": "Seen again.", "add_tags": ["net"]}"#,
    ..OperationSpec::tool("memory_append", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    id: String,
    append: Option<String>,
    add_tags: Option<Vec<String>>,
    expected_revision: Option<String>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let add_tags = input.add_tags.unwrap_or_default();
    let options = update::Options {
        add_tags,
        append: input.append,
        expected_revision: input.expected_revision,
        ..update::Options::default()
    };
    let outcome = update::update(context, &input.id, &options)?;
    Ok(answer(context, &outcome, &text::update::changed(&outcome)))
}
