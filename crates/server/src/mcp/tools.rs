//! Operations as MCP tools: list, lookup and results.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::operations::{Effect, OperationResult, OperationSpec};

/// The tools of a server, built once.
#[derive(Debug)]
pub(super) struct Tools {
    listed: Vec<Tool>,
    operations: Vec<&'static OperationSpec>,
    /// Index of each tool by name and alias.
    places: BTreeMap<&'static str, usize>,
}

impl Tools {
    /// Builds the tools of these operations, in their order.
    pub(super) fn of(operations: &'static [OperationSpec]) -> Self {
        let operations: Vec<_> = operations.iter().filter(|operation| operation.tool).collect();
        let mut places = BTreeMap::new();
        for (place, operation) in operations.iter().enumerate() {
            for name in operation.aliases.iter().chain([&operation.name]) {
                places.insert(*name, place);
            }
        }
        Self { listed: operations.iter().map(|operation| tool(operation)).collect(), operations, places }
    }

    /// The tools without aliases.
    pub(super) fn listed(&self) -> &[Tool] {
        &self.listed
    }

    /// The operation and tool with this name or alias.
    pub(super) fn find(&self, name: &str) -> Option<(&'static OperationSpec, &Tool)> {
        let place = *self.places.get(name)?;
        Some((*self.operations.get(place)?, self.listed.get(place)?))
    }

    /// The names of all tools, for error messages.
    pub(super) fn names(&self) -> String {
        self.operations.iter().map(|operation| operation.name).collect::<Vec<_>>().join(", ")
    }
}

/// A tool result: text, and structured content if the tool has an output schema.
pub(super) fn result(answer: OperationResult, has_schema: bool) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    result.structured_content = has_schema.then_some(answer.json);
    result
}

fn tool(operation: &OperationSpec) -> Tool {
    let tool = Tool::new(operation.name, operation.description, object((operation.input)()))
        .with_title(operation.title)
        .with_annotations(annotations(operation));
    if operation.text_only {
        return tool;
    }
    // Its keys are left out: agents see the answer, and a list of tools costs each session its tokens.
    tool.with_raw_output_schema(Arc::new(object(json!({ "type": "object" }))))
}

/// Converts an operation's JSON Schema, always an object, to the map that MCP requires.
fn object(schema: Value) -> JsonObject {
    if let Value::Object(schema) = schema { schema } else { JsonObject::new() }
}

/// MCP annotations: those whose default would be taken for the worst case. Tools that only read have no
/// hints about changes.
fn annotations(operation: &OperationSpec) -> ToolAnnotations {
    let mut hints = ToolAnnotations::new().open_world(false);
    match operation.effect {
        Effect::Reads => hints = hints.read_only(true),
        effect => hints = hints.destructive(effect == Effect::Changes),
    }
    if operation.idempotent && operation.effect != Effect::Reads { hints.idempotent(true) } else { hints }
}
