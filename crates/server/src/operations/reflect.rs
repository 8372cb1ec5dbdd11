//! `memory_reflect`: the command `cm reflect --emit`, then `cm curate` for the answer. The calling
//! agent acts as the model: it receives a work package for a session, and its answer is checked
//! against the session's log.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::input::schema;
use super::output::{answer, outline};
use super::progress::logs_read;
use super::{Answer, Effect, Operation};
use cm_app::curate::Outcome;
use cm_app::reflect::handed::{self, Handed};
use cm_app::sessions::{Shelf, Which};
use cm_app::{Memory, Result, reflect};
use cm_render::text;

/// Name of the answer in error messages.
const ANSWER: &str = "answer";

pub const OPERATION: Operation = Operation {
    name: "memory_reflect",
    aliases: &["cm_reflect"],
    title: "Learn from a session",
    description: "Hands you a past session to learn from. Call again with your answer.",
    effect: Effect::Changes,
    idempotent: true,
    tool: true,
    prose: false,
    endpoint: None,
    also: &[],
    example: r#"{"days": 30}"#,
    input: schema::<Input>,
    output,
    run,
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
}

/// The combined schema of a work package and of the outcome of an answer.
fn output() -> Value {
    let mut both = outline::<Handed>();
    if let (Some(keys), Value::Object(more)) =
        (both["properties"].as_object_mut(), outline::<Outcome>()["properties"].take())
    {
        keys.extend(more);
    }
    both
}

fn run(memory: &Memory, given: Value) -> Result<Answer> {
    let input: Input = OPERATION.parse(given)?;
    let shelf = Shelf::open(memory, &mut logs_read(memory))?;
    if let Some(given) = input.answer {
        let given = Value::Object(given).to_string();
        let outcome = handed::take(memory, &shelf, &given, ANSWER, false)?;
        return Ok(answer(memory, &outcome, &text::curate::curated(&outcome)));
    }
    let which = Which { agents: input.agent, workspace: input.workspace, days: input.days };
    let options = reflect::Options { which, ..reflect::Options::default() };
    let handed = handed::hand(memory, &shelf, &options)?;
    Ok(answer(memory, &handed, &text::reflect::handed(&handed)))
}
