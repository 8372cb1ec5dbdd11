//! JSON Schemas with a name, as servers expect them.
//!
//! Answers are not validated against the schema, but by parsing them into the type that it was
//! generated from.

use serde_json::Value;

use super::schema_sketch;

/// A named JSON Schema of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSchema {
    name: String,
    value: Value,
}

impl AnswerSchema {
    /// Creates a schema. Characters of the name other than ASCII letters, digits, `_` and `-`
    /// become `_`; at most 64 are used.
    pub fn new(name: &str, value: Value) -> Self {
        let sound = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        Self { name: name.chars().take(64).map(sound).collect(), value }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns whether servers can enforce the schema strictly: every object in it forbids
    /// additional properties and requires all its own.
    pub fn is_strict(&self) -> bool {
        is_strict(&self.value)
    }

    /// Describes the schema in the prompt, for models that do not accept one: as a sketch if
    /// possible, because small models tend to repeat a JSON Schema as their answer.
    pub fn instructions(&self) -> String {
        match schema_sketch::of(&self.value) {
            Some(sketch) => {
                format!("Answer with one JSON object of this shape, and nothing else:\n{sketch}")
            }
            None => format!(
                "Answer with one JSON object and nothing else. It must be valid against this JSON Schema:\n{}",
                self.value
            ),
        }
    }
}

fn is_strict(schema: &Value) -> bool {
    let Value::Object(keywords) = schema else {
        return schema.as_array().is_none_or(|items| items.iter().all(is_strict));
    };
    if let Some(Value::Object(properties)) = keywords.get("properties") {
        let required = keywords.get("required").and_then(Value::as_array);
        let is_required = |name: &String| {
            required.is_some_and(|names| names.iter().any(|required| required.as_str() == Some(name)))
        };
        if keywords.get("additionalProperties") != Some(&Value::Bool(false))
            || !properties.keys().all(is_required)
        {
            return false;
        }
        return properties.values().all(is_strict)
            && keywords.iter().filter(|(name, _)| *name != "properties").all(|(_, value)| is_strict(value));
    }
    keywords.get("type").and_then(Value::as_str) != Some("object") && keywords.values().all(is_strict)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_strict_only_where_every_object_in_it_is() {
        let strict = |value| AnswerSchema::new("x", value).is_strict();
        let inner = json!({ "type": "object", "properties": { "a": { "type": "string" } },
            "required": ["a"], "additionalProperties": false });
        assert!(strict(inner.clone()));
        let outer = |inner: Value| {
            json!({ "type": "object", "properties": { "list": { "type": "array", "items": inner } },
                "required": ["list"], "additionalProperties": false })
        };
        assert!(strict(outer(inner.clone())));
        assert!(!strict(outer(json!({ "type": "object" }))));
        for (key, value) in [("required", json!([])), ("additionalProperties", json!(true))] {
            let mut loose = inner.clone();
            loose[key] = value;
            assert!(!strict(loose.clone()) && !strict(outer(loose.clone())), "{key}");
            let mut with_definitions = inner.clone();
            with_definitions["$defs"] = json!({ "b": loose });
            assert!(!strict(with_definitions), "{key}");
        }
    }

    #[test]
    fn a_name_holds_what_servers_take() {
        assert_eq!(AnswerSchema::new("delta list/é", json!({})).name(), "delta_list__");
        assert_eq!(AnswerSchema::new(&"a".repeat(100), json!({})).name().len(), 64);
    }

    #[test]
    fn a_schema_that_has_no_sketch_is_told_as_it_is() {
        let instructions_of = |value| AnswerSchema::new("x", value).instructions();
        let shaped =
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] });
        insta::assert_snapshot!(instructions_of(shaped), @r#"
        Answer with one JSON object of this shape, and nothing else:
        {"a": string}
        "#);
        insta::assert_snapshot!(instructions_of(json!({ "type": "object", "if": {} })), @r#"
        Answer with one JSON object and nothing else. It must be valid against this JSON Schema:
        {"type":"object","if":{}}
        "#);
    }
}
