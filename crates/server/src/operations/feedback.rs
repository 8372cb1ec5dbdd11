//! `memory_feedback`: the command `cm mark`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, whole};
use super::{Effect, Endpoint, Method, OperationResult, OperationSpec};
use cm_app::verbs::mark::{self, MarkResult};
use cm_app::{CallerIdentity, Context, Result};
use cm_note::note::FeedbackSignal;
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    aliases: &["cm_mark", "cm_feedback"],
    title: "Give feedback",
    description: "Record whether a rule or memory helped, harmed or made no difference.",
    effect: Effect::Adds,
    idempotent: false,
    endpoint: Some(Endpoint {
        methods: &[Method::Post],
        path: "/feedback",
        success_status: 200,
        response_schema: whole::<MarkResult>,
    }),
    field_aliases: &[("memoryId", "id"), ("note", "reason"), ("bullet_id", "id"), ("bulletId", "id")],
    example: r#"{"id": "b-mt2ssunl", "signal": "harmful", "reason": "wasted_time"}"#,
    ..OperationSpec::tool("memory_feedback", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    id: String,
    signal: FeedbackSignal,
    /// If harmful: caused_bug, wasted_time, contradicted_requirements, wrong_context, outdated,
    /// other; or free text
    reason: Option<String>,
    /// 0–1; below 1 if inferred
    weight: Option<f64>,
    /// Your session ID
    session: Option<String>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(with_signal(given), context.request.caller.interface)?;
    let caller = context.request.caller.clone();
    let caller = CallerIdentity {
        session: input.session.or(caller.session),
        reason: input.reason.or(caller.reason),
        ..caller
    };
    let options = mark::Options {
        signal: input.signal,
        because: caller.reason.clone(),
        weight: input.weight,
        invert: false,
    };
    let context = context.with_actor(caller)?;
    let outcome = mark::mark(&context, &input.id, &options)?;
    Ok(answer(&context, &outcome, &text::mark::marked(&outcome)))
}

/// Translates arguments of earlier tools: `helpful` or `harmful` as a flag instead of `signal`.
fn with_signal(mut given: Value) -> Value {
    let Some(fields) = given.as_object_mut() else { return given };
    for name in ["helpful", "harmful"] {
        if !fields.contains_key("signal") && fields.get(name) == Some(&Value::Bool(true)) {
            fields.insert("signal".to_owned(), Value::from(name));
        }
        if fields.get(name).is_some_and(Value::is_boolean) {
            fields.remove(name);
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use cm_note::user_text::Interface;
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_of_earlier_tools_are_taken() {
        for given in [
            json!({ "bulletId": "b-1", "helpful": true, "sessionId": "s" }),
            json!({ "bullet_id": "b-1", "signal": "helpful", "session_id": "s" }),
            json!({ "id": "b-1", "helpful": true, "harmful": false, "session": "s" }),
        ] {
            let input: Input = OPERATION.parse(with_signal(given), Interface::Mcp).unwrap();
            assert_eq!(
                (input.id.as_str(), input.signal, input.session.as_deref()),
                ("b-1", FeedbackSignal::Helpful, Some("s"))
            );
        }
        assert!(OPERATION.parse::<Input>(with_signal(json!({ "id": "b-1" })), Interface::Mcp).is_err());
    }
}
