//! `memory_add`: the command `cm add`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::input::pairs;
use super::input::schema;
use super::output::answer;
use super::{Effect, OperationResult, OperationSpec};
use cm_app::verbs::add::{self};
use cm_app::{Context, Result};
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    aliases: &["memory_store"],
    title: "Remember",
    description: "Store one lesson per note. Search first; `similar` lists near duplicates.",
    effect: Effect::Adds,
    idempotent: false,
    field_aliases: &[("content", "body")],
    example: r#"{"type": "fix", "title": "Retry with jitter", "body": "Over 30 s.", "tags": ["net"]}"#,
    ..OperationSpec::tool("memory_add", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// solution, fix, decision, configuration, problem, workflow, code_pattern, error, general,
    /// procedure, insight, fact, preference, observation, or a type of this vault
    #[serde(rename = "type")]
    note_type: String,
    title: String,
    body: Option<String>,
    tags: Option<Vec<String>>,
    /// 0–1
    importance: Option<f64>,
    confidence: Option<f64>,
    /// Never decays
    pinned: Option<bool>,
    /// Other frontmatter
    set: Option<Map<String, Value>>,
    /// Store it even if a memory has this title and body
    allow_duplicate: Option<bool>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let options = add::Options {
        note_type: input.note_type,
        title: input.title,
        tags: input.tags.unwrap_or_default(),
        importance: input.importance,
        confidence: input.confidence,
        pinned: input.pinned.unwrap_or_default(),
        body: Some(input.body.unwrap_or_default()),
        extra: pairs(input.set),
        allow_duplicate: input.allow_duplicate.unwrap_or_default(),
    };
    let outcome = add::add(context, &options)?;
    Ok(answer(context, &outcome, &text::add::added(&outcome)))
}
