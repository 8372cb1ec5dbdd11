//! `sessions`: receives the messages of a session from another machine, to learn from it later.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, whole};
use super::{Effect, Endpoint, Method, OperationResult, OperationSpec};
use cm_app::receive::{self, MessageRole, UploadResult, UploadedMessage};
use cm_app::{Context, Result};
use cm_note::instant::Instant;
use cm_render::text;
use cm_session::Agent;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Send a session",
    description: "Upload a session to learn from later. Secrets are removed. Messages that were already sent are recognized.",
    effect: Effect::Adds,
    idempotent: true,
    tool: false,
    endpoint: Some(Endpoint {
        methods: &[Method::Post],
        path: "/sessions",
        success_status: 201,
        response_schema: whole::<UploadResult>,
    }),
    example: r#"{"session": "s-1", "agent": "codex", "messages": [{"role": "user", "content": "Fix the flaky test."}]}"#,
    ..OperationSpec::tool("sessions", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The agent's session ID
    #[schemars(regex(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"))]
    session: String,
    /// The agent, such as claude-code; defaults to the caller's agent
    #[schemars(extend("enum" = Agent::ALL.map(Agent::name)))]
    agent: Option<String>,
    /// The working directory
    workspace: Option<String>,
    title: Option<String>,
    /// In order: the whole session again, or only new messages
    #[schemars(length(min = 1, max = 10_000))]
    messages: Vec<Sent>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sent {
    role: MessageRole,
    content: String,
    /// Identifies the message if it is sent again; default: role, time and text
    id: Option<String>,
    /// RFC 3339
    at: Option<Instant>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let to_message =
        |sent: Sent| UploadedMessage { id: sent.id, role: sent.role, at: sent.at, text: sent.content };
    let options = receive::Options {
        session: input.session,
        agent: input.agent,
        workspace: input.workspace,
        title: input.title,
        messages: input.messages.into_iter().map(to_message).collect(),
    };
    let outcome = receive::upload(context, &options)?;
    Ok(answer(context, &outcome, &text::receive::received(&outcome)))
}
