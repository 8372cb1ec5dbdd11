//! Operations as tools: how they are listed, found by name, and answered.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use super::{integers, schema};
use crate::operations::{Answer, Effect, Operation};

/// The tools of a server, made once.
#[derive(Debug)]
pub(super) struct Tools {
    listed: Vec<Tool>,
    operations: Vec<&'static Operation>,
    /// Where an operation stands, by its name and by each name that it had.
    places: BTreeMap<&'static str, usize>,
}

impl Tools {
    /// The tools among these operations, in their order.
    pub(super) fn of(operations: &'static [Operation]) -> Self {
        let operations: Vec<_> = operations.iter().filter(|operation| operation.tool).collect();
        let mut places = BTreeMap::new();
        for (place, operation) in operations.iter().enumerate() {
            for name in operation.aliases.iter().chain([&operation.name]) {
                places.insert(*name, place);
            }
        }
        Self { listed: operations.iter().map(|operation| tool(operation)).collect(), operations, places }
    }

    /// What is listed: no alias is.
    pub(super) fn listed(&self) -> &[Tool] {
        &self.listed
    }

    /// The operation of this name or alias, and its tool.
    pub(super) fn find(&self, name: &str) -> Option<(&'static Operation, &Tool)> {
        let place = *self.places.get(name)?;
        Some((*self.operations.get(place)?, self.listed.get(place)?))
    }

    /// The names that are listed, for who called another.
    pub(super) fn names(&self) -> String {
        self.operations.iter().map(|operation| operation.name).collect::<Vec<_>>().join(", ")
    }
}

/// What was given to a tool, with whole numbers as integers where it asks for them.
pub(super) fn given(arguments: Option<JsonObject>, tool: &Tool) -> Value {
    let mut given = Value::Object(arguments.unwrap_or_default());
    integers::settle(&mut given, &tool.input_schema);
    given
}

/// What a tool gives: a short text, and its data as structured content where the tool lists a schema of it.
pub(super) fn result(answer: Answer, has_schema: bool) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    result.structured_content = has_schema.then_some(answer.json);
    result
}

fn tool(operation: &Operation) -> Tool {
    let tool = Tool::new(operation.name, operation.description, schema::of_input((operation.input)()))
        .with_title(operation.title)
        .with_annotations(annotations(operation));
    if operation.prose {
        return tool;
    }
    tool.with_raw_output_schema(Arc::new(schema::of_output((operation.output)())))
}

/// Hints say what they must: of what only reads, neither that it spares nor that it can be repeated.
fn annotations(operation: &Operation) -> ToolAnnotations {
    let hints = ToolAnnotations::new().open_world(false);
    match operation.effect {
        Effect::Reads => hints.read_only(true),
        Effect::Adds => hints.read_only(false).destructive(false).idempotent(operation.idempotent),
        Effect::Changes => hints.read_only(false).destructive(true).idempotent(operation.idempotent),
    }
}
