//! `memory_related`: the command `cm related`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::answer;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::verbs::related::{self};
use cm_app::{Context, Result};
use cm_note::graph::EdgeDirection;
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Connected notes",
    description: "Notes connected to a note by edges and links.",
    effect: Effect::Reads,
    idempotent: true,
    example: r#"{"id": "1f0c2a", "hops": 2, "types": ["SOLVES"]}"#,
    ..OperationSpec::tool("memory_related", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    id: String,
    /// 1 to 5, default 1
    hops: Option<usize>,
    types: Option<Vec<String>>,
    direction: Option<EdgeDirection>,
    #[schemars(range(min = 1))]
    limit: Option<usize>,
    offset: Option<usize>,
    as_of: Option<String>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let options = related::Options {
        hops: input.hops.map_or(1, |hops| u8::try_from(hops).unwrap_or(u8::MAX)),
        relations: input.types.unwrap_or_default(),
        direction: input.direction,
        limit: input.limit.unwrap_or(related::DEFAULT_LIMIT),
        offset: input.offset.unwrap_or_default(),
    };
    let outcome =
        context.at_time(input.as_of.as_deref(), |context| related::related(context, &input.id, &options))?;
    Ok(answer(context, &outcome, &text::related::related(&outcome)))
}
