//! `memory_recent`: the command `cm recent`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::answer;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::verbs::recent::{self};
use cm_app::{Context, Error, Result};
use cm_note::instant::Instant;
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Recent notes",
    description: "The most recently changed notes.",
    effect: Effect::Reads,
    idempotent: true,
    example: r#"{"since": "7d", "type": "decision", "limit": 5}"#,
    ..OperationSpec::tool("memory_recent", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// A date, or an age such as 7d
    since: Option<String>,
    #[serde(rename = "type")]
    note_type: Option<String>,
    #[schemars(range(min = 1))]
    limit: Option<usize>,
    offset: Option<usize>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let when = |typed: &String| Instant::parse_typed(typed, context.now());
    let since = input.since.as_ref().map(when).transpose();
    let since = since.map_err(|error| Error::usage(format!("since: {error}")))?;
    let options = recent::Options {
        limit: input.limit.unwrap_or(recent::DEFAULT_LIMIT),
        offset: input.offset.unwrap_or_default(),
        since,
        note_type: input.note_type,
        ..recent::Options::default()
    };
    let outcome = recent::recent(context, &options)?;
    Ok(answer(context, &outcome, &text::recent::recent(&outcome)))
}
