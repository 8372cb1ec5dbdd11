//! `memory_get`: the command `cm get`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, outline};
use super::{Answer, Effect, Operation};
use cm_app::get::{self, Got};
use cm_app::{Memory, Result};
use cm_render::text;

pub const OPERATION: Operation = Operation {
    name: "memory_get",
    aliases: &[],
    title: "Read a note",
    description: "A note whole, with what links to it.",
    effect: Effect::Reads,
    idempotent: true,
    tool: true,
    prose: false,
    endpoint: None,
    also: &[],
    example: r#"{"id": "1f0c2a"}"#,
    input: schema::<Input>,
    output: outline::<Got>,
    run,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// ID (or unique prefix), title or path
    id: String,
}

fn run(memory: &Memory, given: Value) -> Result<Answer> {
    let input: Input = OPERATION.parse(given)?;
    let outcome = get::get(memory, &input.id)?;
    Ok(answer(memory, &outcome, &text::get::got(&outcome)))
}
