//! `memory_validate_rule`: the command `cm validate-rule --no-model`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::answer;
use super::progress::report_logs_read;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::verbs::validate_rule::{self};
use cm_app::{Context, Result};
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Check a rule",
    description: "Check a rule against the playbook and past sessions. Writes nothing.",
    effect: Effect::Reads,
    idempotent: true,
    example: r#"{"rule": "Run the whole suite before you push.", "category": "git"}"#,
    ..OperationSpec::tool("memory_validate_rule", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    rule: String,
    category: Option<String>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let category = input.category.as_deref().unwrap_or("general");
    // Who asks is a model itself, and callers over a wire spend nobody's budget.
    let outcome =
        validate_rule::validate_rule(context, &input.rule, category, None, &mut report_logs_read(context))?;
    Ok(answer(context, &outcome, &text::validate_rule::judged(&outcome)))
}
