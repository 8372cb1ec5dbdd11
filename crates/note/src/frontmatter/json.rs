//! Converts frontmatter to JSON for external readers.

use serde_json::{Map, Number, Value as Json};
use yaml_serde::Value;

use super::parse::{FrontmatterFields, scalar_text};

/// Converts the fields in order. Unquoted values that YAML does not read as text (`2024.10`) keep
/// their YAML type.
pub fn of_fields(fields: &FrontmatterFields) -> Map<String, Json> {
    fields.iter().map(|field| (field.key.clone(), of_value(&field.value))).collect()
}

/// Converts a value: keys that are not text become text, as do numbers that JSON cannot represent.
pub fn of_value(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => Json::Bool(*truth),
        Value::Number(number) => {
            let whole = number.as_i64().map(Number::from).or_else(|| number.as_u64().map(Number::from));
            let number = whole.or_else(|| number.as_f64().and_then(Number::from_f64));
            number.map_or_else(|| scalar_text(value).map_or(Json::Null, Json::String), Json::Number)
        }
        Value::String(text) => Json::String(text.clone()),
        Value::Sequence(items) => Json::Array(items.iter().map(of_value).collect()),
        Value::Mapping(entries) => {
            let name = |key: &Value| scalar_text(key).unwrap_or_else(|| of_value(key).to_string());
            Json::Object(
                entries.iter().map(|(key, value)| (name(key), of_value(value))).collect::<Map<_, _>>(),
            )
        }
        Value::Tagged(tagged) => of_value(&tagged.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontmatter::{parse, split::Split};

    #[test]
    fn odd_values_have_a_json_form() {
        let text = "---\na: .inf\nb: {1: x, [y]: z}\nc: !t v\nd:\ne: 18446744073709551615\n---\n";
        let json = of_fields(&parse::parse(&Split::of(text)).fields);
        let shown = serde_json::to_string(&json).unwrap();
        assert_eq!(
            shown,
            r#"{"a":".inf","b":{"1":"x","[\"y\"]":"z"},"c":"v","d":null,"e":18446744073709551615}"#
        );
    }
}
