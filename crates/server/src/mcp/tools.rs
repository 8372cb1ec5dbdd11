//! Operations as MCP tools: list, lookup and results.

use std::collections::BTreeMap;

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

/// A tool result: text, and structured content unless the tool returns text only.
pub(super) fn result(answer: OperationResult, text_only: bool) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    result.structured_content = (!text_only).then_some(answer.json);
    result
}

/// A tool as listed. It has no schema of its output, and no limits and defaults of its input that a
/// refusal tells: a list of tools costs each session its tokens.
fn tool(operation: &OperationSpec) -> Tool {
    let mut input = (operation.input)();
    shorten(&mut input);
    Tool::new(operation.name, operation.description, object(input))
        .with_title(operation.title)
        .with_annotations(annotations(operation))
}

fn shorten(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|key, value| {
                !(key == "minimum" && *value == json!(0)
                    || key == "additionalProperties" && *value == json!(true))
            });
            fields.values_mut().for_each(shorten);
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        _ => {}
    }
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
