//! `memory_reflect`: the command `cm reflect --emit`, then `cm curate` for the answer. The calling
//! agent acts as the model: it receives a work package for a session, and its answer is checked
//! against the session's log.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::input::schema;
use super::output::answer;
use super::progress::report_logs_read;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::sessions::{SessionAccess, SessionSelection};
use cm_app::verbs::reflect;
use cm_app::verbs::reflect::work_package::{self};
use cm_app::{Context, Result};
use cm_render::text;

/// Name of the answer in error messages.
const ANSWER: &str = "answer";

pub const OPERATION: OperationSpec = OperationSpec {
    aliases: &["cm_reflect"],
    title: "Learn from a session",
    description: "Returns a past session to learn from. Call again with your answer.",
    effect: Effect::Changes,
    idempotent: true,
    example: r#"{"days": 30}"#,
    ..OperationSpec::tool("memory_reflect", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// As specified in the work package
    answer: Option<Map<String, Value>>,
    /// Days back, 0 for all
    days: Option<f64>,
    agent: Option<String>,
    workspace: Option<String>,
    session: Option<String>,
    /// Also read ones
    again: Option<bool>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let access = SessionAccess::open(context, &mut report_logs_read(context))?;
    if let Some(answer_fields) = input.answer {
        let answer_text = Value::Object(answer_fields).to_string();
        let outcome = work_package::apply_answer(context, &access, &answer_text, ANSWER, false)?;
        return Ok(answer(context, &outcome, &text::curate::curated(&outcome)));
    }
    let which = SessionSelection { agents: input.agent, workspace: input.workspace, days: input.days };
    let again = input.again.unwrap_or_default();
    let options = reflect::Options { selection: which, again, ..reflect::Options::default() };
    let handed = work_package::build_packages(context, &access, &options, input.session.as_deref())?;
    Ok(answer(context, &handed, &text::reflect::work_packages(&handed)))
}
