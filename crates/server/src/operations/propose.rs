//! `memory_propose`: the command `cm propose`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::answer;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::verbs::propose::{self, Proposal, ProposalKind, Verdict};
use cm_app::{Context, Error, Result};
use cm_note::bullet::Scope;
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    title: "Record what the person said",
    description: "Record what the person typed in this session and meant to last, as text that stands on its own: `kind`, `text`, `quote` and `session` are required. To judge the neighbours of an earlier proposal, pass its `id` and `verdicts` instead.",
    effect: Effect::Adds,
    idempotent: false,
    example: r#"{"kind": "rule", "text": "Use pnpm, never npm.", "quote": "pnpm, never npm", "session": "4f0c2a11"}"#,
    ..OperationSpec::tool("memory_propose", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    kind: Option<ProposalKind>,
    text: Option<String>,
    /// The person's words, verbatim
    quote: Option<String>,
    session: Option<String>,
    scope: Option<Scope>,
    citations: Option<Vec<String>>,
    /// What the quote answers, e.g. the refused command
    answers: Option<String>,
    id: Option<String>,
    verdicts: Option<Vec<Verdict>>,
}

fn missing(field: &str) -> Error {
    Error::usage(format!("`{field}` is missing")).hint(format!("for example {}", OPERATION.example))
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let outcome = match (input.id, input.verdicts) {
        (Some(id), Some(verdicts)) => {
            let session = input.session.as_deref().or(context.request.caller.session.as_deref());
            propose::settle(context, session, &id, &verdicts)?
        }
        (None, None) => {
            let needed = |field: Option<String>, name: &str| field.ok_or_else(|| missing(name));
            let proposal = Proposal {
                kind: input.kind.ok_or_else(|| missing("kind"))?,
                text: needed(input.text, "text")?,
                quote: needed(input.quote, "quote")?,
                session: input.session.or_else(|| context.request.caller.session.clone()).unwrap_or_default(),
                scope: input.scope,
                citations: input.citations.unwrap_or_default(),
                answers: input.answers,
            };
            propose::propose(context, &proposal)?
        }
        _ => return Err(Error::usage("`id` and `verdicts` belong together")),
    };
    Ok(answer(context, &outcome, &text::propose::proposed(&outcome)))
}
