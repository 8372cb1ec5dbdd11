//! Reduces JSON Schemas for agents: removes keywords that only generators need, because schemas
//! cost tokens and some providers reject such keywords.

use rmcp::model::JsonObject;
use serde_json::Value;

/// The input schema of a tool. Null types are removed although null is accepted, because omitting
/// the field is equivalent and some clients do not support lists of types.
pub(super) fn of_input(schema: Value) -> JsonObject {
    object(plain(schema, true))
}

/// The output schema of a tool. Null types remain, because clients validate results against it.
pub(super) fn of_output(schema: Value) -> JsonObject {
    object(plain(schema, false))
}

/// A schema as MCP requires it, with `type: object`.
fn object(schema: Value) -> JsonObject {
    let mut schema = match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    schema.remove("$schema");
    schema.remove("title");
    schema.entry("type").or_insert_with(|| "object".into());
    schema
}

fn plain(schema: Value, drop_null: bool) -> Value {
    let Value::Object(schema) = schema else { return schema };
    let mut kept = JsonObject::new();
    for (word, value) in schema {
        match (word.as_str(), value) {
            // Sizes of numbers in memory say nothing to a model.
            ("format", Value::String(format)) if is_of_memory(&format) => {}
            ("default", Value::Null) if drop_null => {}
            ("type", Value::Array(kinds)) if drop_null => {
                kept.insert(word, one(kinds.into_iter().filter(|kind| *kind != "null").collect()));
            }
            ("properties" | "$defs" | "patternProperties", Value::Object(named)) => {
                let named = named.into_iter().map(|(name, value)| (name, plain(value, drop_null)));
                kept.insert(word, Value::Object(named.collect()));
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(choices)) => {
                let choices = choices.into_iter().filter(|choice| !(drop_null && is_null(choice)));
                let mut choices: Vec<_> = choices.map(|choice| plain(choice, drop_null)).collect();
                match (choices.len(), choices.pop()) {
                    // What is left of "this or null" stands for itself.
                    (1, Some(Value::Object(only))) if drop_null && word == "anyOf" => kept.extend(only),
                    (_, last) => {
                        choices.extend(last);
                        kept.insert(word, Value::Array(choices));
                    }
                }
            }
            ("items" | "additionalProperties" | "not", value) => {
                kept.insert(word, plain(value, drop_null));
            }
            (_, value) => {
                kept.insert(word, value);
            }
        }
    }
    Value::Object(kept)
}

fn one(mut kinds: Vec<Value>) -> Value {
    match (kinds.len(), kinds.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            kinds.extend(last);
            Value::Array(kinds)
        }
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

fn is_of_memory(format: &str) -> bool {
    let sized = |prefix: &str| {
        format.strip_prefix(prefix).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
    };
    ["uint", "int", "float", "double"].into_iter().any(sized)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_a_generator_writes_is_left_out_and_names_of_fields_stay() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Input", "type": "object",
            "properties": {
                "title": { "type": "string", "title": "T" },
                "limit": { "type": ["integer", "null"], "format": "uint32", "minimum": 0, "default": null },
                "since": { "anyOf": [{ "$ref": "#/$defs/Day" }, { "type": "null" }], "description": "a day" },
                "format": { "type": "string", "format": "date-time" },
            },
            "$defs": { "Day": { "type": "string" } },
        });
        assert_eq!(
            Value::Object(of_input(schema)),
            json!({
                "type": "object",
                "properties": {
                    "title": { "type": "string", "title": "T" },
                    "limit": { "type": "integer", "minimum": 0 },
                    "since": { "$ref": "#/$defs/Day", "description": "a day" },
                    "format": { "type": "string", "format": "date-time" },
                },
                "$defs": { "Day": { "type": "string" } },
            })
        );
    }

    #[test]
    fn what_a_tool_gives_may_still_be_null() {
        let schema = json!({ "type": "object", "properties": { "commit": { "type": ["string", "null"] } } });
        assert_eq!(Value::Object(of_output(schema.clone())), schema);
    }

    #[test]
    fn a_schema_that_is_no_object_becomes_one() {
        assert_eq!(Value::Object(of_input(json!(true))), json!({ "type": "object" }));
    }
}
