//! Parses a query string into the JSON object that an operation takes.
//!
//! The operation's schema determines the type of each field. Values that do not match and repeated
//! fields are rejected.

use serde_json::{Map, Number, Value};

use super::problem::Problem;
use super::shape::{InputSchema, QueryType};
use crate::operations::{in_snake_case, whole_number};
use crate::percent_decoding;

/// Parses a query by a schema.
///
/// # Errors
/// 400 for an invalid escape, a repeated field, or a value of the wrong type.
pub fn input(query: &str, shape: &InputSchema) -> Result<Value, Problem> {
    let mut fields = Map::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (unescaped(name)?, unescaped(value)?);
        // What the operation does not know it refuses itself, in the words of all surfaces.
        let field = shape.field(&name).or_else(|| shape.field(&in_snake_case(&name)));
        match field.map_or(QueryType::Text, QueryType::of) {
            QueryType::List => {
                let items = field.and_then(|field| field.get("items"));
                let kind = items.map_or(QueryType::Text, QueryType::of);
                let item = read(&name, &value, kind)?;
                let list = fields.entry(name).or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(list) = list {
                    list.push(item);
                }
            }
            kind => {
                let value = read(&name, &value, kind)?;
                if fields.contains_key(&name) {
                    let message = format!("`{name}` is given twice");
                    return Err(Problem::bad("repeated-field", message, "send it once"));
                }
                fields.insert(name, value);
            }
        }
    }
    Ok(Value::Object(fields))
}

fn read(name: &str, text: &str, kind: QueryType) -> Result<Value, Problem> {
    let refuse = |expected: &str, example: &str| {
        let shown: String = text.chars().take(60).collect();
        let message = format!("`{name}` is {shown:?}, which is not a {expected}");
        Problem::bad("wrong-kind", message, &format!("for example {name}={example}"))
    };
    match kind {
        QueryType::Text | QueryType::List => Ok(Value::from(text)),
        QueryType::Boolean => match text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(refuse("true or false", "true")),
        },
        // JSON's own grammar: no sign in front, no hexadecimal digits, no infinity.
        QueryType::Number => {
            serde_json::from_str::<Number>(text).map(Value::Number).map_err(|_| refuse("number", "0.5"))
        }
        QueryType::Integer => {
            let number = serde_json::from_str::<Number>(text).map_err(|_| refuse("whole number", "10"))?;
            if number.is_f64() {
                let whole = number.as_f64().and_then(whole_number);
                return whole.map(Value::from).ok_or_else(|| refuse("whole number", "10"));
            }
            Ok(Value::Number(number))
        }
    }
}

/// Decodes `+` and percent escapes; the result must be UTF-8.
fn unescaped(text: &str) -> Result<String, Problem> {
    percent_decoding::decode(&text.replace('+', " ")).map_err(|error| {
        let message = format!("the query contains {error}");
        Problem::bad("escape", message, "encode it as UTF-8, for example %C3%A9 for é")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn shape() -> InputSchema {
        InputSchema::of(
            json!({
                "type": "object",
                "properties": {
                    "q": { "type": "string" },
                    "limit": { "type": "integer" },
                    "priority": { "type": "number" },
                    "explain": { "type": "boolean" },
                    "tag": { "type": "array", "items": { "type": "string" } },
                    "at": { "type": "array", "items": { "type": "integer" } },
                },
            }),
            &[("most", "limit")],
        )
    }

    #[test]
    fn each_field_is_read_as_its_schema_says() {
        for (query, expected) in [
            ("", json!({})),
            ("q=a+b%26c%C3%A9&limit=3", json!({ "q": "a b&cé", "limit": 3 })),
            ("q=10&limit=3.0&priority=1e-1", json!({ "q": "10", "limit": 3, "priority": 0.1 })),
            (
                "explain=true&tag=a&tag=a,b&at=1&at=2",
                json!({ "explain": true, "tag": ["a", "a,b"], "at": [1, 2] }),
            ),
            ("q", json!({ "q": "" })),
            ("&&q=a=b&", json!({ "q": "a=b" })),
            ("limit=-9223372036854775808", json!({ "limit": i64::MIN })),
            ("most=3&Q=3", json!({ "most": 3, "Q": "3" })),
        ] {
            assert_eq!(input(query, &shape()), Ok(expected), "{query}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_name() {
        for (query, code) in [
            ("limit=", "wrong-kind"),
            ("limit=ten", "wrong-kind"),
            ("limit=3.5", "wrong-kind"),
            ("limit=0x10", "wrong-kind"),
            ("limit=1e400", "wrong-kind"),
            ("priority=NaN", "wrong-kind"),
            ("explain=1", "wrong-kind"),
            ("q=a&q=b", "repeated-field"),
            ("Q=a&Q=b", "repeated-field"),
            ("most=ten", "wrong-kind"),
            ("q=%", "escape"),
            ("q=%zz", "escape"),
            ("q=%ff", "escape"),
            ("q=%+1", "escape"),
        ] {
            assert_eq!(input(query, &shape()).unwrap_err().error.code, code, "{query}");
        }
    }

    proptest! {
        #[test]
        fn any_query_is_read_or_refused(query in "(?s).{0,60}", name in "q|limit|priority|explain|tag|at") {
            let _ = input(&query, &shape());
            let _ = input(&format!("{name}={query}"), &shape());
        }

        #[test]
        fn any_text_survives_its_escapes(text in "(?s).{0,40}") {
            let escaped: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            prop_assert_eq!(input(&format!("q={escaped}"), &shape()), Ok(json!({ "q": text })));
        }
    }
}
