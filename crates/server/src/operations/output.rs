//! Output of operations: the result as printed by the command line.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

use super::{OperationResult, reword_result, worded};
use cm_app::Context;
use cm_note::user_text::Interface;
use cm_render::{json as json_output, layout, text};

/// The complete JSON Schema of a result type, for HTTP.
pub(super) fn whole<T: JsonSchema>() -> Value {
    let mut schema = SchemaGenerator::default().into_root_schema_for::<T>().to_value();
    let notices = json!({
        "type": "array",
        "items": { "type": "string" },
        "description": "What else the caller should know, such as that a change awaits a person's confirmation; absent if there is nothing.",
    });
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.entry("notices").or_insert(notices);
    }
    schema
}

/// An answer whose text ends with all pending notices. For HTTP, whose clients get no text, they are
/// in the result's field `notices`.
pub(super) fn answer<T: Serialize>(context: &Context, outcome: &T, words: &str) -> OperationResult {
    let mut shown = words.trim_end().to_owned();
    let interface = context.request.caller.interface;
    let mut document = json_output::value(outcome);
    for (before, after) in reword_result(&mut document, interface) {
        shown = shown.replace(&before, &after);
    }
    for notice in context.take_notices() {
        let notice = context.request.conceal_paths(worded(&notice, interface));
        shown.push_str(&format!("\n{}", text::notice(&notice)));
        if interface == Interface::Http {
            add_notice(&mut document, notice);
        }
    }
    let shown = layout::fit(&shown, None);
    OperationResult { json: document, text: anstream::adapter::strip_str(&shown).to_string() }
}

/// Adds a notice to the result's `notices`, unless it is already there.
fn add_notice(result: &mut Value, notice: String) {
    let Some(fields) = result.as_object_mut() else { return };
    let notice = Value::from(notice);
    if let Value::Array(notices) = fields.entry("notices").or_insert_with(|| json!([]))
        && !notices.contains(&notice)
    {
        notices.push(notice);
    }
}
