//! `memory_outcome`: the command `cm outcome`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::answer;
use super::progress::report_logs_read;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::verbs::outcome::{self, SessionStatus};
use cm_app::{CallerIdentity, Context, Result};
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    aliases: &["cm_outcome"],
    title: "Record a session's outcome",
    description: "Record how a session ended. Listed rules get feedback.",
    effect: Effect::Adds,
    idempotent: true,
    field_aliases: &[
        ("sessionId", "session"),
        ("session_id", "session"),
        ("rulesUsed", "rules"),
        ("rules_used", "rules"),
        ("notes", "reason"),
        ("rule_ids", "rules"),
        ("status", "outcome"),
    ],
    example: r#"{"session": "0199aaaa", "outcome": "success", "rules": ["b-mt2ssunl"]}"#,
    ..OperationSpec::tool("memory_outcome", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    session: String,
    outcome: SessionOutcomeInput,
    rules: Option<Vec<String>>,
    reason: Option<String>,
}

// Nobody says that they do not know how it ended.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SessionOutcomeInput {
    Success,
    Failure,
    Partial,
    Mixed,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let caller = context.request.caller.clone();
    let context = context.with_actor(CallerIdentity { reason: input.reason.or(caller.reason), ..caller })?;
    let status = match input.outcome {
        SessionOutcomeInput::Success => SessionStatus::Success,
        SessionOutcomeInput::Failure => SessionStatus::Failure,
        SessionOutcomeInput::Partial => SessionStatus::Partial,
        SessionOutcomeInput::Mixed => SessionStatus::Mixed,
    };
    let options = outcome::Options { session: input.session, status, rules: input.rules.unwrap_or_default() };
    let recorded = outcome::outcome(&context, &options, &mut report_logs_read(&context))?;
    Ok(answer(&context, &recorded, &text::outcome::recorded(&recorded)))
}

#[cfg(test)]
mod tests {
    use cm_note::user_text::Interface;
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_of_earlier_tools_are_taken() {
        let given = json!({ "sessionId": "s", "outcome": "success", "rulesUsed": ["b-1"], "notes": "why" });
        let input: Input = OPERATION.parse(given, Interface::Mcp).unwrap();
        assert_eq!(input.session, "s");
        assert_eq!((input.rules, input.reason.as_deref()), (Some(vec!["b-1".to_owned()]), Some("why")));
    }
}
