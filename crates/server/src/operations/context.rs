//! `memory_context`: the command `cm context`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, whole};
use super::{Effect, Endpoint, Method, OperationResult, OperationSpec};
use cm_app::verbs::context::{self, Briefing};
use cm_app::{Context, Result};
use cm_note::note::Priority;
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    aliases: &["cm_context"],
    title: "Context for a task",
    description: "Rules, pitfalls, memories and warnings for a task. Call before you start one.",
    effect: Effect::Reads,
    idempotent: true,
    text_only: true,
    endpoint: Some(Endpoint {
        methods: &[Method::Get, Method::Post],
        path: "/context",
        success_status: 200,
        response_schema: whole::<Briefing>,
    }),
    example: r#"{"task": "fix the flaky retry test", "max_tokens": 1000}"#,
    ..OperationSpec::tool("memory_context", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Default: what applies to any task here
    task: Option<String>,
    /// Only rules of this project
    workspace: Option<String>,
    category: Option<String>,
    priority: Option<Priority>,
    limit: Option<usize>,
    max_tokens: Option<usize>,
    as_of: Option<String>,
    /// Session ID
    #[serde(rename = "session")]
    _session: Option<String>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let options = context::Options {
        task: input.task,
        workspace: input.workspace,
        limit_rules: input.limit,
        max_tokens: input.max_tokens,
        category: input.category,
        priority: input.priority,
    };
    let outcome = context.at_time(input.as_of.as_deref(), |context| context::context(context, &options))?;
    Ok(answer(context, &outcome, &text::context::briefed(&outcome)))
}
