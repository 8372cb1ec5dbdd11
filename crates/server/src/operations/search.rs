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
    name: "memory_search",
    aliases: &["memory_recall"],
    title: "Search memory",
    description: "Find notes by words and meaning, best first. Search before you solve.",
    effect: Effect::Reads,
    idempotent: true,
    tool: true,
    text_only: false,
    endpoint: Some(Endpoint {
        methods: &[Method::Get],
        path: "/search",
        success_status: 200,
        response_schema: whole::<SearchResult>,
    }),
    field_aliases: &[("q", "query")],
    example: r#"{"query": "connection pool", "type": "fix", "limit": 5}"#,
    input: schema::<Input>,
    run,
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
    let input: Input = OPERATION.parse(given, context.call.by.interface)?;
    let options = search::Options {
        query: query(&input),
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

/// The query with the other input fields as search filters, in query syntax.
fn query(input: &Input) -> String {
    let mut fields = Vec::new();
    let mut field = |name: &str, value: &str| {
        let plain = !value.is_empty() && value.chars().all(|c| c.is_alphanumeric() || "-_/".contains(c));
        let value = if plain { value.to_owned() } else { format!("\"{}\"", value.replace('"', " ")) };
        fields.push(format!("{name}:{value}"));
    };
    input.note_type.iter().for_each(|value| field("type", value));
    input.category.iter().for_each(|value| field("category", value));
    input.priority.iter().for_each(|value| field("priority", value.name()));
    input.tags.iter().flatten().for_each(|value| field("tag", value));
    let query = input.query.trim();
    // Beside a field, `a OR b` would otherwise let the field join the choice.
    let chooses = query.split_whitespace().any(|word| word == "OR") && !fields.is_empty();
    let query = if chooses { format!("({query})") } else { query.to_owned() };
    [vec![query], fields].concat().join(" ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use cm_note::user_text::Interface;
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_join_the_query_as_they_would_be_typed() {
        let query = |given: Value| query(&OPERATION.parse(given, Interface::Mcp).unwrap());
        assert_eq!(query(json!({ "q": " pool " })), "pool");
        assert_eq!(
            query(json!({ "query": "pool", "type": "fix", "tags": ["a", "b c"] })),
            "pool type:fix tag:a tag:\"b c\""
        );
        assert_eq!(query(json!({ "query": "a OR b", "priority": "critical" })), "(a OR b) priority:critical");
        assert_eq!(query(json!({ "query": "", "category": "gotcha" })), "category:gotcha");
        assert_eq!(query(json!({ "query": "a", "type": "\" OR x" })), "a type:\"  OR x\"");
    }
}
