//! Output of operations: the result as printed by the command line, and a schema of its first level
//! only, because schemas cost tokens. Complete schemas are in `render::schema`.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::OperationResult;
use cm_app::Context;
use cm_render::{json, text};

/// The first level of a type's JSON Schema: its keys without types.
pub(super) fn outline<T: JsonSchema>() -> Value {
    let whole = SchemaGenerator::default().into_root_schema_for::<T>().to_value();
    let properties = whole["properties"].as_object().into_iter().flatten();
    let keys: Map<String, Value> = properties.map(|(key, _)| (key.clone(), json!({}))).collect();
    json!({ "type": "object", "properties": keys })
}

/// The complete JSON Schema of a type, for HTTP.
pub(super) fn whole<T: JsonSchema>() -> Value {
    SchemaGenerator::default().into_root_schema_for::<T>().to_value()
}

/// An answer with its text and all pending notices.
pub(super) fn answer<T: Serialize>(memory: &Context, outcome: &T, words: &str) -> OperationResult {
    let mut shown = words.trim_end().to_owned();
    for notice in memory.take_notices() {
        shown.push_str(&format!("\n{}", text::notice(&memory.call.conceal_paths(notice))));
    }
    OperationResult { json: json::value(outcome), text: anstream::adapter::strip_str(&shown).to_string() }
}
