//! `memory_update`: the command `cm update`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::input::pairs;
use super::input::schema;
use super::output::{answer, outline};
use super::{Answer, Effect, Operation};
use cm_app::update::{self, Changed};
use cm_app::{Error, Memory, Result};
use cm_render::text;

pub const OPERATION: Operation = Operation {
    name: "memory_update",
    aliases: &[],
    title: "Change a note",
    description: "Change keys, tags or body.",
    effect: Effect::Changes,
    idempotent: false,
    tool: true,
    prose: false,
    endpoint: None,
    also: &[("content", "body")],
    example: r#"{"id": "1f0c2a", "set": {"importance": 0.9}, "add_tags": ["net"]}"#,
    input: schema::<Input>,
    output: outline::<Changed>,
    run,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    id: String,
    set: Option<Map<String, Value>>,
    remove: Option<Vec<String>>,
    add_tags: Option<Vec<String>>,
    remove_tags: Option<Vec<String>>,
    body: Option<String>,
    append: Option<String>,
}

fn run(memory: &Memory, given: Value) -> Result<Answer> {
    let input: Input = OPERATION.parse(given)?;
    if input.body.is_some() && input.append.is_some() {
        return Err(Error::usage("`body` and `append` exclude each other").hint("leave one of them out"));
    }
    let options = update::Options {
        set: pairs(input.set),
        remove: input.remove.unwrap_or_default(),
        add_tags: input.add_tags.unwrap_or_default(),
        remove_tags: input.remove_tags.unwrap_or_default(),
        body: input.body,
        append: input.append,
    };
    let outcome = update::update(memory, &input.id, &options)?;
    Ok(answer(memory, &outcome, &text::update::changed(&outcome)))
}
