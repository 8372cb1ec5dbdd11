//! `memory_search`: the command `cm search`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::schema;
use super::output::{answer, whole};
use super::{Effect, Endpoint, Method, OperationResult, OperationSpec};
use cm_app::verbs::search::{self, SearchResult};
use cm_app::{Context, Result};
use cm_note::note::Priority;
use cm_render::text;

pub const OPERATION: OperationSpec = OperationSpec {
    aliases: &["memory_recall"],
    title: "Search memory",
    description: "Find notes by words and meaning, best first. Search before you solve.",
    effect: Effect::Reads,
    idempotent: true,
    endpoint: Some(Endpoint {
        methods: &[Method::Get],
        path: "/search",
        success_status: 200,
        response_schema: whole::<SearchResult>,
    }),
    field_aliases: &[("q", "query")],
    example: r#"{"query": "connection pool", "type": "fix", "limit": 5}"#,
    ..OperationSpec::tool("memory_search", schema::<Input>, run)
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Words, "phrases", -excluded, tag:rust, updated:30d
    query: String,
    #[serde(rename = "type")]
    note_type: Option<String>,
    category: Option<String>,
    priority: Option<Priority>,
    tags: Option<Vec<String>>,
    /// Maximum hits, default 10
    #[schemars(range(min = 1))]
    limit: Option<usize>,
    /// `next` of the previous page
    offset: Option<usize>,
    /// A commit or date to search at
    as_of: Option<String>,
    /// A date or an age such as 2w
    since: Option<String>,
    until: Option<String>,
    explain: Option<bool>,
}

fn run(context: &Context, given: Value) -> Result<OperationResult> {
    let input: Input = OPERATION.parse(given, context.request.caller.interface)?;
    let options = search::Options {
        query: input.query,
        types: input.note_type,
        tags: input.tags.unwrap_or_default(),
        category: input.category,
        priority: input.priority,
        limit: input.limit,
        offset: input.offset.unwrap_or_default(),
        explain: input.explain.unwrap_or_default(),
        as_of: input.as_of,
        since: input.since,
        until: input.until,
        ..search::Options::default()
    };
    let outcome = search::search(context, &options)?;
    outcome.notices.iter().for_each(|notice| context.notice(notice));
    Ok(answer(context, &outcome, &text::search::searched(&outcome)))
}
