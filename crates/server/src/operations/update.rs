//! `memory_update`: the command `cm update`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::input::pairs;
use super::input::schema;
use super::output::{answer, whole};
use super::{Effect, Endpoint, Method, OperationResult, OperationSpec};
use cm_app::verbs::update::{self, UpdateResult};
use cm_app::{Context, Error, Result};
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Change a note",
    description: "Change keys, tags or the body.",
    effect: Effect::Changes,
    idempotent: false,
    endpoint: Some(Endpoint {
        methods: &[Method::Post],
        path: "/update",
        success_status: 200,
        response_schema: whole::<UpdateResult>,
    }),
    example: r#"{"id": "1f0c2a", "set": {"importance": 0.9}, "add_tags": ["net"]}"#,
    ..OperationSpec::tool("memory_update", schema::<Input>, run)
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
    /// `revision` that you read; another one is a conflict
    expected_revision: Option<String>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    if input.body.is_some() && input.append.is_some() {
        return Err(Error::usage("`body` and `append` cannot be combined").hint("remove one of them"));
    }
    let options = update::Options {
        set: pairs(input.set),
        remove: input.remove.unwrap_or_default(),
        add_tags: input.add_tags.unwrap_or_default(),
        remove_tags: input.remove_tags.unwrap_or_default(),
        body: input.body,
        append: input.append,
        expected_revision: input.expected_revision,
    };
    let outcome = update::update(context, &input.id, &options)?;
    Ok(answer(context, &outcome, &text::update::changed(&outcome)))
}
