//! `observe`: stores an observation sent by a program.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, whole};
use super::{Effect, Endpoint, Method, OperationResult, OperationSpec};
use cm_app::verbs::observe::{self, ObservationResult};
use cm_app::{CallerIdentity, Context, Result};
use cm_note::note::Priority;
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Store an observation",
    description: "Store something you observed. A duplicate gives credit to the existing memory. A similar observation is stored, and its neighbours are listed.",
    effect: Effect::Adds,
    idempotent: false,
    tool: false,
    endpoint: Some(Endpoint {
        methods: &[Method::Post],
        path: "/observations",
        success_status: 201,
        response_schema: whole::<ObservationResult>,
    }),
    example: r#"{"content": "The gateway drops idle sockets after 60 s.", "category": "gotcha", "priority": "critical"}"#,
    ..OperationSpec::tool("observe", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// 10 to 20,000 characters
    #[schemars(length(min = 10, max = 20_000))]
    content: String,
    /// convention, gotcha, debugging, architecture, workflow, or another category
    category: Option<String>,
    /// How slowly it decays
    priority: Option<Priority>,
    tags: Option<Vec<String>>,
    /// Session in which it was observed
    session: Option<String>,
    /// Accepted from older clients and not used: the token names the person
    #[serde(rename = "user_id")]
    _user_id: Option<String>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let caller = context.request.caller.clone();
    let context =
        context.with_actor(CallerIdentity { session: input.session.or(caller.session), ..caller })?;
    let options = observe::Options {
        content: input.content,
        category: input.category,
        priority: input.priority,
        tags: input.tags.unwrap_or_default(),
    };
    let outcome = observe::observe(&context, &options)?;
    Ok(answer(&context, &outcome, &text::observe::observed(&outcome)))
}
