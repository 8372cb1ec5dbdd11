//! `memory_relate`: the command `cm relate`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, outline};
use super::{Answer, Effect, Operation};
use cm_app::relate::{self, Related};
use cm_app::{Memory, Result};
use cm_render::text;

pub const OPERATION: Operation = Operation {
    name: "memory_relate",
    aliases: &[],
    title: "Relate two notes",
    description: "Write a typed edge from one note to another.",
    effect: Effect::Adds,
    idempotent: true,
    tool: true,
    prose: false,
    endpoint: None,
    also: &[],
    example: r#"{"from": "1f0c2a", "to": "77ab01", "type": "SOLVES", "why": "less load"}"#,
    input: schema::<Input>,
    output: outline::<Related>,
    run,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    from: String,
    to: String,
    /// SOLVES, CAUSES, BUILDS_ON, REQUIRES, SUPERSEDES, CONTRADICTS …; default RELATED_TO
    #[serde(rename = "type")]
    relation: Option<String>,
    /// 0–1
    strength: Option<f64>,
    why: Option<String>,
}

fn run(memory: &Memory, given: Value) -> Result<Answer> {
    let input: Input = OPERATION.parse(given)?;
    let options = relate::Options {
        from: input.from,
        to: input.to,
        relation: input.relation,
        strength: input.strength,
        why: input.why,
    };
    let outcome = relate::relate(memory, &options)?;
    Ok(answer(memory, &outcome, &text::relate::related(&outcome)))
}
