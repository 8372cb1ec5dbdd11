//! `memory_validate_rule`: the command `cm validate-rule --no-model`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, outline};
use super::progress::logs_read;
use super::{Answer, Effect, Operation};
use cm_app::validate_rule::{self, Judged};
use cm_app::{Memory, Result};
use cm_render::text;

pub const OPERATION: Operation = Operation {
    name: "memory_validate_rule",
    aliases: &[],
    title: "Judge a rule",
    description: "What would become of a rule, by the playbook and by past sessions. Writes nothing.",
    effect: Effect::Reads,
    idempotent: true,
    tool: true,
    prose: false,
    endpoint: None,
    also: &[],
    example: r#"{"rule": "Run the whole suite before you push.", "category": "git"}"#,
    input: schema::<Input>,
    output: outline::<Judged>,
    run,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    rule: String,
    category: Option<String>,
}

fn run(memory: &Memory, given: Value) -> Result<Answer> {
    let input: Input = OPERATION.parse(given)?;
    let category = input.category.as_deref().unwrap_or("general");
    // Who asks is a model itself, and callers over a wire spend nobody's budget.
    let outcome = validate_rule::validate_rule(memory, &input.rule, category, None, &mut logs_read(memory))?;
    Ok(answer(memory, &outcome, &text::validate_rule::judged(&outcome)))
}
