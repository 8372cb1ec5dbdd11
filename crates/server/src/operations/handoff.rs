//! `memory_handoff`: the command `cm handoff`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::answer;
use super::progress::report_logs_read;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::sessions::SessionAccess;
use cm_app::verbs::handoff::{self, Handoff};
use cm_app::{Context, Result};
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Hand over",
    description: "Hand unfinished work to the next session in this folder. What you leave out comes from your log.",
    effect: Effect::Changes,
    idempotent: true,
    example: r#"{"goal": "Move the cache to Redis", "next": "Write the eviction test"}"#,
    ..OperationSpec::tool("memory_handoff", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    goal: Option<String>,
    state: Option<String>,
    open: Option<Vec<String>>,
    files: Option<Vec<String>>,
    failed: Option<Vec<String>>,
    next: Option<String>,
    /// Default: yours
    session: Option<String>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let stated = Handoff {
        goal: input.goal,
        state: input.state,
        open: input.open.unwrap_or_default(),
        files: input.files.unwrap_or_default(),
        failed: input.failed.unwrap_or_default(),
        next: input.next,
    };
    let access = SessionAccess::open(context, &mut report_logs_read(context))?;
    let outcome = handoff::write(context, &access, stated, input.session.as_deref())?;
    Ok(answer(context, &outcome, &text::handoff::waiting(&outcome)))
}
