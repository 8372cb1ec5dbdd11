//! The JSON Schema of settings files (`cm.toml`), generated from the list of settings.
//!
//! cm itself does not validate with it: [`super::layer`] reads files leniently and reports findings.

use cm_note::note::schema::with_id;
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

use super::keys::{KEYS, SettingKey, ValueType};

/// Returns the JSON Schema (2020-12) of a settings file.
///
/// ```
/// let schema = cm_store::config::schema::schema();
/// assert_eq!(schema.get("$id").and_then(|id| id.as_str()), Some("urn:cm:schema:settings"));
/// ```
pub fn schema() -> Schema {
    let mut properties = Map::new();
    for key in KEYS {
        let Some((table, name)) = key.name.split_once('.') else {
            properties.insert(key.name.to_owned(), value_schema(key));
            continue;
        };
        let table = properties
            .entry(table)
            .or_insert_with(|| json!({ "type": "object", "properties": {}, "additionalProperties": false }));
        table["properties"][name] = value_schema(key);
    }
    properties.insert("relations".to_owned(), relations());
    properties.insert("types".to_owned(), types());
    let schema = json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of cm",
        "description": "`cm.toml` of a vault, and your own settings.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    with_id(schema, "settings")
}

fn value_schema(key: &SettingKey) -> Value {
    let mut schema = match key.shape {
        ValueType::Bool => json!({ "type": "boolean" }),
        ValueType::Integer(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        ValueType::Number(least, most) => json!({ "type": "number", "minimum": least, "maximum": most }),
        ValueType::Keyword(words) => json!({ "enum": words }),
        ValueType::Text | ValueType::Secret => json!({ "type": "string" }),
        ValueType::TextList => json!({ "type": "array", "items": { "type": "string" } }),
    };
    schema["description"] = key.about.into();
    let default = format!("x = {}", key.default).parse::<toml::Table>().ok();
    if let Some(default) = default.and_then(|table| serde_json::to_value(&table["x"]).ok()) {
        schema["default"] = default;
    }
    schema
}

fn relations() -> Value {
    json!({
        "description": "your own edge types, such as BLOCKS",
        "type": "array",
        "items": { "type": "string" },
    })
}

fn types() -> Value {
    json!({
        "description": "your own types of memory",
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {
                "folder": { "description": "folder below graph/ [default: the name of the type]", "type": "string" },
                "weight": { "description": "factor in the decay score", "type": "number", "minimum": 0, "default": 1.0 },
                "required": {
                    "description": "frontmatter keys that notes of this type need",
                    "type": "array",
                    "items": { "type": "string" },
                },
            },
            "additionalProperties": false,
        },
    })
}
