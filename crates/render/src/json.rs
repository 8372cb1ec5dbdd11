//! Renders results and errors as JSON.

use serde::Serialize;
use serde_json::{Value, json};

use cm_app::Error;
use cm_note::rounding::round_to_four_decimals;
use cm_note::user_text::UserText;

/// A result as indented JSON; numbers are rounded to at most four decimals.
pub fn document<T: Serialize>(outcome: &T) -> String {
    serde_json::to_string_pretty(&value(outcome)).unwrap_or_default()
}

/// A result as a JSON value, rounded likewise, for other formats and for wrapping.
pub fn value<T: Serialize>(outcome: &T) -> Value {
    // Outcomes hold strings, numbers, lists and maps with text keys, which always have a JSON form.
    let mut value = serde_json::to_value(outcome).unwrap_or(Value::Null);
    round(&mut value);
    value
}

/// An error as a JSON document, worded for the command line.
pub fn error(error: &Error) -> String {
    document(&error_value(error, error.hint.as_ref().map(UserText::for_terminal)))
}

/// An error as a JSON value with this hint, which the caller worded for its users.
pub fn error_value(error: &Error, hint: Option<&str>) -> Value {
    let mut inner = json!({ "code": error.code, "message": error.message, "hint": hint });
    if let Some(location) = &error.location {
        inner["path"] = json!(location.path);
        if let Some(line) = location.line {
            inner["line"] = json!(line);
        }
        if let Some(column) = location.column {
            inner["column"] = json!(column);
        }
    }
    if let Some(conflict) = &error.conflict {
        inner["conflict"] = json!(conflict);
    }
    json!({ "error": inner })
}

fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            if let Some(x) = number.as_f64() {
                *value = json!(round_to_four_decimals(x));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_everywhere() {
        let shown = document(&json!({ "a": [0.123_456, 1], "b": { "c": 999.0 } }));
        assert_eq!(shown, "{\n  \"a\": [\n    0.1235,\n    1\n  ],\n  \"b\": {\n    \"c\": 999.0\n  }\n}");
    }
}
