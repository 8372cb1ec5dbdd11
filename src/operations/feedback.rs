//! `memory_feedback`: the command `cm mark`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, outline, whole};
use super::{Answer, Effect, Endpoint, Method, Operation};
use crate::domain::note::Signal;
use crate::ops::mark::{self, Marked};
use crate::ops::{By, Memory, Result};
use crate::render::text;

/// The operation.
pub const OPERATION: Operation = Operation {
    name: "memory_feedback",
    aliases: &["cm_mark", "cm_feedback"],
    title: "Say what helped",
    description: "Say that a rule or memory helped, did harm, or did not matter; it moves the score.",
    effect: Effect::Changes,
    idempotent: false,
    tool: true,
    endpoint: Some(Endpoint { method: Method::Post, path: "/feedback", done: 200, gives: whole::<Marked> }),
    also: &[("memoryId", "id"), ("note", "reason"), ("bullet_id", "id"), ("bulletId", "id")],
    example: r#"{"id": "b-mt2ssunl", "signal": "harmful", "reason": "wasted_time"}"#,
    input: schema::<Input>,
    output: outline::<Marked>,
    run,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    id: String,
    signal: Signal,
    /// Of harm: caused_bug, wasted_time, contradicted_requirements, wrong_context, outdated, other; or words
    reason: Option<String>,
    /// 0–1, less than 1 for a guess
    weight: Option<f64>,
    /// Yours; it says each thing once
    session: Option<String>,
}

fn run(memory: &Memory, given: Value) -> Result<Answer> {
    let input: Input = OPERATION.parse(given)?;
    let by = memory.call.by.clone();
    let by = By { session: input.session.or(by.session), reason: input.reason.or(by.reason), ..by };
    let options = mark::Options {
        signal: input.signal,
        because: by.reason.clone(),
        weight: input.weight,
        invert: false,
    };
    let memory = memory.as_by(by)?;
    let outcome = mark::mark(&memory, &input.id, &options)?;
    Ok(answer(&memory, &outcome, &text::mark::marked(&outcome)))
}
