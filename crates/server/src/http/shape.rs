//! The parts of an operation's JSON Schema that are needed to parse a query. These schemas have no
//! references, choices or null types.

use serde_json::Value;

/// Types of fields that a query can represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryType {
    /// Text, and every type not listed here.
    Text,
    Integer,
    Number,
    Boolean,
    /// A list; the field may be repeated.
    List,
}

/// The schema of an operation's input, with aliases of fields.
#[derive(Debug, Clone)]
pub struct InputSchema {
    schema: Value,
    also: &'static [(&'static str, &'static str)],
}

impl InputSchema {
    pub fn of(schema: Value, also: &'static [(&'static str, &'static str)]) -> Self {
        Self { schema, also }
    }

    /// The schema of a field; `None` if the field is unknown.
    pub fn field(&self, name: &str) -> Option<&Value> {
        let own = self.also.iter().find(|(also, _)| *also == name).map_or(name, |(_, own)| own);
        self.schema.get("properties")?.get(own)
    }
}

impl QueryType {
    /// The type that the schema of a field or of a list's items requires.
    pub fn of(schema: &Value) -> Self {
        match schema.get("type").and_then(Value::as_str) {
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("boolean") => Self::Boolean,
            Some("array") => Self::List,
            _ => Self::Text,
        }
    }
}
