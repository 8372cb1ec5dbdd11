//! The parts of a JSON Schema that are needed to parse a query.

use serde_json::{Number, Value};

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

    /// The schema of a field with references resolved; `None` if the field is unknown.
    pub fn field(&self, name: &str) -> Option<&Value> {
        let own = self.also.iter().find(|(also, _)| *also == name).map_or(name, |(_, own)| own);
        self.schema.get("properties")?.get(own).map(|field| self.followed(field))
    }

    /// The type that a schema requires and, for a list, the schema of its items.
    pub fn kind<'a>(&'a self, schema: &'a Value) -> (QueryType, Option<&'a Value>) {
        let schema = self.followed(schema);
        let of_type = |name: &str| match name {
            "integer" => QueryType::Integer,
            "number" => QueryType::Number,
            "boolean" => QueryType::Boolean,
            "array" => QueryType::List,
            _ => QueryType::Text,
        };
        let named = match schema.get("type") {
            Some(Value::String(name)) => Some(name.as_str()),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
            _ => None,
        };
        if let Some(name) = named {
            return (of_type(name), schema.get("items"));
        }
        let either = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
        let other =
            either.into_iter().flatten().find(|choice| choice.get("type") != Some(&Value::from("null")));
        other.map_or((QueryType::Text, None), |choice| self.kind(choice))
    }

    fn followed<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let mut schema = schema;
        // A reference to itself would lead nowhere; eight steps are more than any schema of ours has.
        for _ in 0..8 {
            let Some(name) = schema.get("$ref").and_then(Value::as_str) else { break };
            let Some(found) = name.strip_prefix('#').and_then(|pointer| self.schema.pointer(pointer)) else {
                break;
            };
            schema = found;
        }
        schema
    }
}

/// The number as an integer if a float represents it exactly.
pub fn whole(number: f64) -> Option<Number> {
    let exact = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
    exact.then(|| Number::from(number as i64))
}
