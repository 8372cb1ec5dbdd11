//! `memory_core`: the command `cm core --print`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::answer;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::verbs::generate::{self};
use cm_app::{Context, Result};

pub const OPERATION: OperationSpec = OperationSpec {
    title: "CORE.md",
    description: "The best memories as one text, for every session. Writes nothing.",
    effect: Effect::Reads,
    idempotent: true,
    example: r#"{}"#,
    ..OperationSpec::tool("memory_core", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    as_of: Option<String>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let outcome = context.at_time(input.as_of.as_deref(), |context| generate::core(context, true))?;
    Ok(answer(context, &outcome, outcome.text.as_deref().unwrap_or_default()))
}
