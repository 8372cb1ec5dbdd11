//! `memory_append`: the command `cm update` restricted to `--append` and `--add-tag`. It is not
//! destructive, so clients that refuse destructive tools can still add to a note.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, outline};
use super::{Answer, Effect, Operation};
use cm_app::update::{self, Changed};
use cm_app::{Memory, Result};
use cm_render::text;

pub const OPERATION: Operation = Operation {
    name: "memory_append",
    aliases: &[],
    title: "Add to a note",
    description: "Add text or tags to a note.",
    effect: Effect::Adds,
    idempotent: false,
    tool: true,
    prose: false,
    endpoint: None,
    also: &[("content", "append")],
    example: r#"{"id": "1f0c2a", "append": "Seen again.", "add_tags": ["net"]}"#,
    input: schema::<Input>,
    output: outline::<Changed>,
    run,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    id: String,
    append: Option<String>,
    add_tags: Option<Vec<String>>,
}

fn run(memory: &Memory, given: Value) -> Result<Answer> {
    let input: Input = OPERATION.parse(given)?;
    let add_tags = input.add_tags.unwrap_or_default();
    let options = update::Options { add_tags, append: input.append, ..update::Options::default() };
    let outcome = update::update(memory, &input.id, &options)?;
    Ok(answer(memory, &outcome, &text::update::changed(&outcome)))
}
