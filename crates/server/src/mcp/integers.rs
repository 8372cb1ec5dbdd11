//! Converts numbers such as `3.0` to integers where the tool's schema requires an integer, because
//! models send integers this way. Other values stay unchanged.

use serde_json::{Map, Value};

/// Maximum depth of a schema; stops recursive schemas.
const DEEPEST: usize = 32;

/// Converts whole numbers to integers wherever the schema requires an integer.
pub(super) fn convert_integers(value: &mut Value, schema: &Map<String, Value>) {
    let root = Value::Object(schema.clone());
    follow(value, &root, &root, DEEPEST);
}

fn follow(value: &mut Value, schema: &Value, root: &Value, depth: usize) {
    let (Some(depth), Some(schema)) = (depth.checked_sub(1), schema.as_object()) else { return };
    if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|path| resolve(path, root)) {
        follow(value, target, root, depth);
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        for part in schema.get(choice).and_then(Value::as_array).into_iter().flatten() {
            follow(value, part, root, depth);
        }
    }
    match value {
        Value::Number(_) if asks_for_integer(schema) => {
            if let Some(whole) = value.as_f64().and_then(whole) {
                *value = whole.into();
            }
        }
        Value::Array(items) => {
            if let Some(each) = schema.get("items") {
                items.iter_mut().for_each(|item| follow(item, each, root, depth));
            }
        }
        Value::Object(fields) => {
            let named = schema.get("properties").and_then(Value::as_object);
            for (name, field) in fields {
                let own = named.and_then(|named| named.get(name));
                if let Some(own) = own.or_else(|| schema.get("additionalProperties")) {
                    follow(field, own, root, depth);
                }
            }
        }
        _ => {}
    }
}

fn resolve<'a>(path: &str, root: &'a Value) -> Option<&'a Value> {
    root.pointer(path.strip_prefix('#')?)
}

fn asks_for_integer(schema: &Map<String, Value>) -> bool {
    let is = |kind: &Value, name: &str| kind.as_str() == Some(name);
    match schema.get("type") {
        // Where a fraction may stand as well, the number is right as it is.
        Some(Value::Array(kinds)) => {
            kinds.iter().any(|kind| is(kind, "integer")) && !kinds.iter().any(|kind| is(kind, "number"))
        }
        Some(kind) => is(kind, "integer"),
        None => false,
    }
}

/// The integer value if the number is whole and exactly representable.
#[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is far within range")]
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn settled(mut value: Value, schema: &Value) -> Value {
        convert_integers(&mut value, schema.as_object().unwrap());
        value
    }

    #[test]
    fn a_whole_number_becomes_an_integer_where_one_is_asked_for() {
        let schema = json!({ "properties": {
            "limit": { "type": ["integer", "null"] }, "weight": { "type": "number" }, "any": {},
            "either": { "type": ["integer", "number"] },
            "list": { "type": "array", "items": { "$ref": "#/$defs/Count" } },
            "maybe": { "anyOf": [{ "$ref": "#/$defs/Count" }, { "type": "null" }] },
        }, "$defs": { "Count": { "type": "integer", "minimum": 0 } } });
        let value = json!({ "limit": 3.0, "weight": 1.0, "any": 2.0, "either": 4.0, "list": [5.0, 6.5], "maybe": 7.0 });
        let right =
            json!({ "limit": 3, "weight": 1.0, "any": 2.0, "either": 4.0, "list": [5, 6.5], "maybe": 7 });
        assert_eq!(settled(value, &schema).to_string(), right.to_string());
    }

    #[test]
    fn fractions_huge_numbers_and_texts_stay_as_they_are() {
        let schema = json!({ "properties": { "n": { "type": "integer" } } });
        for value in
            [json!({ "n": 3.5 }), json!({ "n": 1e300 }), json!({ "n": "3.0" }), json!([3.0]), json!(3.0)]
        {
            assert_eq!(settled(value.clone(), &schema), value);
        }
    }

    #[test]
    fn a_schema_that_leads_back_to_itself_ends() {
        let schema = json!({ "$ref": "#/$defs/Tree", "$defs": { "Tree": { "anyOf": [
            { "$ref": "#/$defs/Tree" }, { "type": "integer" },
        ] } } });
        assert_eq!(settled(json!(2.0), &schema), json!(2));
    }

    proptest! {
        #[test]
        fn nothing_but_numbers_ever_changes(text in ".*", number in any::<f64>()) {
            let integer = json!({ "type": "integer" });
            let schema = json!({ "properties": { "n": integer }, "additionalProperties": integer });
            let value = json!({ "n": number, "other": text, "list": [text] });
            let after = settled(value.clone(), &schema);
            prop_assert_eq!(&after["other"], &value["other"]);
            prop_assert_eq!(&after["list"], &value["list"]);
            prop_assert_eq!(after["n"].as_f64(), value["n"].as_f64());
        }
    }
}
