//! Collects the schemas of all operations under unique names.

use serde_json::{Map, Value, json};

const LIST: &str = "#/components/schemas/";

/// Schemas by name.
#[derive(Debug, Default)]
pub struct Schemas {
    list: Map<String, Value>,
}

impl Schemas {
    /// Adds a schema under a unique name.
    pub fn add(&mut self, name: &str, schema: Value) {
        self.list.insert(name.to_owned(), schema);
    }

    /// Adds a schema and returns a reference to it.
    pub fn reference(&mut self, name: &str, schema: Value) -> Value {
        self.add(name, schema);
        json!({ "$ref": format!("{LIST}{name}") })
    }

    /// Moves the definitions of a schema to the shared list. Equal definitions are shared; a
    /// different one with a used name is prefixed with its operation.
    pub fn hoisted(&mut self, operation: &str, mut schema: Value) -> Value {
        let Some(object) = schema.as_object_mut() else { return schema };
        object.shift_remove("$schema");
        object.shift_remove("title");
        let definitions = match object.shift_remove("$defs") {
            Some(Value::Object(definitions)) => definitions,
            _ => Map::new(),
        };
        let mut names = Map::new();
        for (name, definition) in &definitions {
            let taken =
                self.list.get(name).is_some_and(|other| *other != moved(definition.clone(), &Map::new()));
            let new = if taken { format!("{operation}_{name}") } else { name.clone() };
            names.insert(name.clone(), Value::String(new));
        }
        for (name, definition) in definitions {
            let new = names.get(&name).and_then(Value::as_str).unwrap_or(&name).to_owned();
            self.list.insert(new, moved(definition, &names));
        }
        moved(schema, &names)
    }

    /// All schemas, sorted by name.
    pub fn all(mut self) -> Value {
        self.list.sort_keys();
        Value::Object(self.list)
    }
}

/// The schema with its references changed to the shared list, renamed according to `names`.
fn moved(mut schema: Value, names: &Map<String, Value>) -> Value {
    match &mut schema {
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                let name =
                    value.as_str().filter(|_| key == "$ref").and_then(|text| text.strip_prefix("#/$defs/"));
                *value = match name {
                    Some(name) => {
                        let new = names.get(name).and_then(Value::as_str).unwrap_or(name);
                        Value::String(format!("{LIST}{new}"))
                    }
                    None => moved(value.take(), names),
                };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = moved(item.take(), names)),
        _ => {}
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_have_one_name_each_and_references_follow() {
        let mut schemas = Schemas::default();
        let input = |kind: &str| json!({ "properties": { "a": { "$ref": "#/$defs/A" } }, "$defs": { "A": { "type": kind } } });
        for operation in ["one", "two"] {
            let hoisted = schemas.hoisted(operation, input("string"));
            assert_eq!(hoisted, json!({ "properties": { "a": { "$ref": "#/components/schemas/A" } } }));
        }
        let hoisted = schemas.hoisted("three", input("integer"));
        assert_eq!(hoisted, json!({ "properties": { "a": { "$ref": "#/components/schemas/three_A" } } }));
        assert_eq!(schemas.all(), json!({ "A": { "type": "string" }, "three_A": { "type": "integer" } }));
    }
}
