//! Output of operations: the result as printed by the command line.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use super::{OperationResult, reword_result, worded};
use cm_app::Context;
use cm_render::{json, layout, text};

/// The complete JSON Schema of a type, for HTTP.
pub(super) fn whole<T: JsonSchema>() -> Value {
    SchemaGenerator::default().into_root_schema_for::<T>().to_value()
}

/// An answer with its text and all pending notices.
pub(super) fn answer<T: Serialize>(memory: &Context, outcome: &T, words: &str) -> OperationResult {
    let mut shown = words.trim_end().to_owned();
    let interface = memory.call.by.interface;
    for notice in memory.take_notices() {
        let notice = worded(&notice, interface);
        shown.push_str(&format!("\n{}", text::notice(&memory.call.conceal_paths(notice))));
    }
    let mut document = json::value(outcome);
    reword_result(&mut document, interface);
    let shown = layout::fit(&shown, None);
    OperationResult { json: document, text: anstream::adapter::strip_str(&shown).to_string() }
}
