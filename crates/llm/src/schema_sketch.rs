//! Renders a JSON Schema as a short sketch: `{"kind": "rule" | "warning", "tags": [string, …]}`.
//!
//! Only the keywords of cm's own schemas are supported. A schema with other keywords has no sketch,
//! because an incorrect one would mislead.

use cm_text::shorten::fold_whitespace;
use serde_json::{Map, Value};

/// Maximum number of nested references; deeper, and therefore recursive, schemas have no sketch.
const MAX_REFERENCE_DEPTH: usize = 12;
/// JSON Schema keywords that a sketch leaves out: metadata and limits of values.
const SILENT: [&str; 12] = [
    "$schema",
    "title",
    "$defs",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "default",
    "required",
];

/// Returns a short example-like sketch of a JSON Schema; `None` if the schema is recursive or uses
/// unsupported keywords.
pub(super) fn of(schema: &Value) -> Option<String> {
    sketched(schema, schema.get("$defs"), 0)
}

fn sketched(schema: &Value, definitions: Option<&Value>, depth: usize) -> Option<String> {
    let keywords = schema.as_object().filter(|_| depth < MAX_REFERENCE_DEPTH)?;
    let mut shape = None;
    for (name, value) in keywords {
        let inner = |schema: &Value| sketched(schema, definitions, depth + 1);
        let found = match name.as_str() {
            "properties" => Some(object(value.as_object()?, keywords, inner)?),
            "items" => Some(format!("[{}, …]", inner(value)?)),
            "enum" => Some(either(value.as_array()?.iter().map(|value| Some(value.to_string())))?),
            "const" => Some(value.to_string()),
            "anyOf" | "oneOf" => Some(either(value.as_array()?.iter().map(inner))?),
            "$ref" => {
                let name = value.as_str()?.strip_prefix("#/$defs/")?;
                Some(inner(definitions?.get(name)?)?)
            }
            "type" | "description" => None,
            // A map has keys that nobody names.
            "additionalProperties" if value.is_boolean() => None,
            name if SILENT.contains(&name) => None,
            _ => return None,
        };
        match (found, &shape) {
            (Some(found), None) => shape = Some(found),
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
    }
    let shape = match shape {
        Some(shape) => shape,
        None => either(
            types(keywords.get("type")?).map(|name| name.filter(|name| *name != "array").map(str::to_owned)),
        )?,
    };
    Some(match keywords.get("description").and_then(Value::as_str) {
        Some(what) if depth > 0 => {
            format!("{shape} ({})", fold_whitespace(what))
        }
        _ => shape,
    })
}

fn object(
    properties: &Map<String, Value>,
    keywords: &Map<String, Value>,
    inner: impl Fn(&Value) -> Option<String>,
) -> Option<String> {
    let required = keywords.get("required").and_then(Value::as_array);
    let is_required = |name: &str| {
        required.is_some_and(|names| names.iter().any(|required| required.as_str() == Some(name)))
    };
    let each = properties.iter().map(|(name, schema)| {
        let optional = if is_required(name) { "" } else { "?" };
        Some(format!("{}{optional}: {}", Value::from(name.as_str()), inner(schema)?))
    });
    Some(format!("{{{}}}", each.collect::<Option<Vec<_>>>()?.join(", ")))
}

fn types(type_keyword: &Value) -> impl Iterator<Item = Option<&str>> {
    let one = type_keyword.as_str().map(Some);
    let many = type_keyword.as_array().into_iter().flatten().map(Value::as_str);
    one.into_iter().chain(many)
}

fn either(shapes: impl Iterator<Item = Option<String>>) -> Option<String> {
    let shapes = shapes.collect::<Option<Vec<_>>>()?;
    (!shapes.is_empty()).then(|| shapes.join(" | "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sketch(schema: Value) -> String {
        of(&schema).unwrap_or_else(|| "none".to_owned())
    }

    #[test]
    fn a_shape_is_sketched_with_what_it_is_for() {
        let schema = json!({
            "type": "object", "title": "Deltas", "additionalProperties": false,
            "properties": {
                "deltas": { "type": "array", "maxItems": 50, "items": { "$ref": "#/$defs/Delta" } },
                "note": { "type": ["string", "null"], "description": "what else\n there is" },
                "sure": { "type": "boolean" },
            },
            "required": ["deltas", "sure"],
            "$defs": { "Delta": { "anyOf": [
                { "type": "object", "properties": { "op": { "const": "add" }, "content": { "type": "string" } },
                    "required": ["op", "content"] },
                { "type": "object", "properties": { "op": { "const": "judge" },
                    "how": { "type": "string", "enum": ["helpful", "harmful"] } }, "required": ["op", "how"] },
            ] } },
        });
        insta::assert_snapshot!(sketch(schema), @r#"{"deltas": [{"op": "add", "content": string} | {"op": "judge", "how": "helpful" | "harmful"}, …], "note"?: string | null (what else there is), "sure": boolean}"#);
    }

    #[test]
    fn what_cannot_be_sketched_is_not() {
        for schema in [
            json!(true),
            json!({}),
            json!({ "type": "array" }),
            json!({ "type": "object", "patternProperties": {} }),
            json!({ "anyOf": [] }),
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/a" } } }),
            json!({ "$ref": "https://example.org" }),
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            json!({ "enum": ["a"], "const": "b" }),
            json!({ "properties": { "a": { "not": {} } } }),
        ] {
            assert_eq!(sketch(schema.clone()), "none", "{schema}");
        }
    }
}
