//! `memory_relate`: the command `cm relate`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::answer;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::verbs::relate::{self};
use cm_app::{Context, Result};
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Relate two notes",
    description: "Create a typed edge from one note to another.",
    effect: Effect::Adds,
    idempotent: true,
    example: r#"{"from": "1f0c2a", "to": "77ab01", "type": "SOLVES", "why": "less load"}"#,
    ..OperationSpec::tool("memory_relate", schema::<Input>, run)
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

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let options = relate::Options {
        from: input.from,
        to: input.to,
        relation: input.relation,
        strength: input.strength,
        why: input.why,
    };
    let outcome = relate::relate(context, &options)?;
    Ok(answer(context, &outcome, &text::relate::related(&outcome)))
}
