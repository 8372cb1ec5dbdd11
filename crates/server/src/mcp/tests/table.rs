//! A small test catalog; each operation, resource and completion shows one behaviour.

use std::thread;
use std::time::Duration;

use crate::operations::{
    Catalog, CompletionKind, Contents, Effect, ListedNote, OperationResult, OperationSpec, Resource,
};
use cm_app::{Context, Error, Result};
use serde_json::{Value, json};

pub const CATALOG: Catalog =
    Catalog { operations: &OPERATIONS, resources: &RESOURCES, note, recent, complete: suggest };

const OPERATIONS: [OperationSpec; 6] = [
    OperationSpec {
        aliases: &["memory_export"],
        title: "Export",
        description: "No tool.",
        effect: Effect::Reads,
        idempotent: true,
        tool: false,
        example: "{}",
        ..OperationSpec::tool(
            "export",
            || json!({ "type": "object" }),
            |_, given| Ok(OperationResult { text: String::new(), json: given }),
        )
    },
    OperationSpec {
        aliases: &["cm_context"],
        title: "Brief",
        description: "Rules, pitfalls and notes for a task. Call it before you begin.",
        effect: Effect::Reads,
        idempotent: true,
        example: "{}",
        ..OperationSpec::tool(
            "memory_context",
            || json!({ "type": "object", "properties": { "task": { "type": "string" } }, "required": ["task"] }),
            context,
        )
    },
    OperationSpec {
        name: "memory_search",
        aliases: &["memory_recall"],
        title: "Search",
        description: "Notes that answer a question.",
        effect: Effect::Reads,
        idempotent: true,
        tool: true,
        text_only: false,
        endpoint: None,
        field_aliases: &[],
        example: "{}",
        input: || {
            json!({ "type": "object", "properties": {
                "query": { "type": "string" }, "limit": { "type": "integer", "minimum": 1 },
            }, "required": ["query"], "additionalProperties": false })
        },
        run: search,
    },
    OperationSpec {
        aliases: &["memory_store"],
        title: "Add",
        description: "Keeps something for later sessions.",
        effect: Effect::Adds,
        idempotent: false,
        example: "{}",
        ..OperationSpec::tool(
            "memory_add",
            || json!({ "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"] }),
            add,
        )
    },
    OperationSpec {
        title: "Update",
        description: "Changes a note.",
        effect: Effect::Changes,
        idempotent: true,
        example: "{}",
        ..OperationSpec::tool(
            "memory_update",
            || json!({ "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] }),
            update,
        )
    },
    OperationSpec {
        title: "Reflect",
        description: "Work in steps, each told.",
        effect: Effect::Reads,
        idempotent: true,
        example: "{}",
        ..OperationSpec::tool(
            "memory_reflect",
            || json!({ "type": "object", "properties": { "steps": { "type": "integer" } }, "required": ["steps"] }),
            reflect,
        )
    },
];

fn text(given: &Value, name: &str) -> Result<String> {
    let text = given[name].as_str().map(str::to_owned);
    text.ok_or_else(|| {
        Error::usage(format!("{name} is missing")).hint(format!("for example {{\"{name}\": \"…\"}}"))
    })
}

fn context(_: &Context, given: Value) -> Result<OperationResult> {
    let task = text(&given, "task")?;
    Ok(OperationResult { text: format!("For {task}: nothing yet."), json: json!({ "task": task }) })
}

fn search(_: &Context, given: Value) -> Result<OperationResult> {
    let query = text(&given, "query")?;
    if query == "break" {
        panic!("as asked");
    }
    let limit = match &given["limit"] {
        Value::Null => 10,
        limit => {
            limit.as_u64().ok_or_else(|| Error::usage(format!("limit is {limit}, and must be an integer")))?
        }
    };
    Ok(OperationResult {
        text: format!("{limit} at most for {query}"),
        json: json!({ "query": query, "limit": limit }),
    })
}

fn add(context: &Context, given: Value) -> Result<OperationResult> {
    let title = text(&given, "title")?;
    let by = json!({ "actor": context.request.caller.actor, "agent": context.request.caller.agent });
    Ok(OperationResult { text: format!("added {title}"), json: json!({ "id": "n-1", "by": by }) })
}

fn update(_: &Context, given: Value) -> Result<OperationResult> {
    let id = text(&given, "id")?;
    match id.as_str() {
        "n-1" => Ok(OperationResult { text: "changed n-1".to_owned(), json: json!({ "id": id }) }),
        _ => Err(Error::not_found(format!("no note has the id {id}")).hint("`cm search` finds ids")),
    }
}

fn reflect(context: &Context, given: Value) -> Result<OperationResult> {
    let steps = given["steps"].as_u64().ok_or_else(|| Error::usage("steps is missing"))?;
    for step in 1..=steps {
        context.request.watch.check_cancelled()?;
        context.request.watch.report(step as f64, Some(steps as f64), format!("step {step}"));
        thread::sleep(Duration::from_millis(10));
    }
    Ok(OperationResult { text: "done".to_owned(), json: json!({ "steps": steps }) })
}

const RESOURCES: [Resource; 2] = [
    Resource {
        uri: "cm://core",
        name: "core",
        title: "Core",
        description: "What every session should know",
        mime: "text/markdown",
        changes_with: |path| path == "CORE.md",
        read: |_| Ok(Contents { mime: "text/markdown", text: "# Core\n".to_owned() }),
    },
    Resource {
        uri: "cm://stats",
        name: "stats",
        title: "Figures",
        description: "How much there is",
        mime: "application/json",
        changes_with: |_| true,
        read: |_| Ok(Contents { mime: "application/json", text: "{}".to_owned() }),
    },
];

fn note(_: &Context, id: &str) -> Result<Contents> {
    match id {
        "n-1" | "ä 1" => Ok(Contents { mime: "text/markdown", text: format!("# {id}\n") }),
        _ => Err(Error::not_found(format!("no note has the id {id}")).hint("`cm search` finds ids")),
    }
}

fn recent(_: &Context) -> Result<Vec<ListedNote>> {
    Ok(vec![ListedNote { id: "ä 1".to_owned(), title: "A note".to_owned() }])
}

fn suggest(_: &Context, what: CompletionKind, typed: &str) -> Result<Vec<String>> {
    let all: Vec<String> = match what {
        CompletionKind::Id => (0..150).map(|n| format!("n-{n}")).collect(),
        CompletionKind::Category => vec!["git".to_owned(), "testing".to_owned()],
        CompletionKind::Type => vec!["decision".to_owned(), "fix".to_owned()],
    };
    Ok(all.into_iter().filter(|value| value.starts_with(typed)).collect())
}
