//! Renders results as TOON, a tabular notation that takes fewer tokens than JSON.
//!
//! The `toon_format` crate encodes; this module flattens documents so that lists become tables.

use serde::Serialize;
use serde_json::Value;

use super::json;

/// A result as a TOON document with the rounded numbers of the JSON output. Lists of plain values
/// inside list items become one string each, because a nested list would prevent a table.
///
/// # Errors
/// The document is nested deeper than the encoder allows.
pub fn document<T: Serialize>(outcome: &T) -> Result<String, toon_format::ToonError> {
    let mut value = json::value(outcome);
    flatten(&mut value, false);
    toon_format::encode_default(&value)
}

fn flatten(value: &mut Value, in_row: bool) {
    match value {
        Value::Array(items) if in_row && items.iter().all(|item| !item.is_array() && !item.is_object()) => {
            let texts: Vec<String> = items.iter().map(text).collect();
            *value = Value::String(texts.join(", "));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| flatten(item, item.is_object())),
        Value::Object(fields) => fields.values_mut().for_each(|field| flatten(field, in_row)),
        _ => {}
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_with_lists_stay_a_table() {
        let outcome = json!({
            "hits": [{ "id": "a", "tags": ["x", "y"], "score": 0.123_456 }, { "id": "b", "tags": [], "score": 2.0 }],
            "names": ["p", "q, r"],
            "none": [],
        });
        assert_eq!(
            document(&outcome).unwrap(),
            "hits[2]{id,tags,score}:\n  a,\"x, y\",0.1235\n  b,\"\",2\nnames[2]: p,\"q, r\"\nnone: []"
        );
    }

    /// Compares with the output of the reference implementation; `tests/golden/toon.mjs` generates
    /// the file. Only documents that [`document`] does not flatten go through it.
    #[test]
    fn documents_are_written_as_the_reference_writes_them() {
        let golden: Value = serde_json::from_str(include_str!("../../../tests/golden/toon.json")).unwrap();
        let cases = golden["cases"].as_array().unwrap();
        assert!(cases.len() > 100);
        let mut untouched = 0;
        for case in cases {
            let mut formed = json::value(&case["input"]);
            flatten(&mut formed, false);
            let as_it_is = formed == case["input"];
            untouched += usize::from(as_it_is);
            let written = match as_it_is {
                true => document(&case["input"]).unwrap(),
                false => toon_format::encode_default(&case["input"]).unwrap(),
            };
            assert_eq!(written, case["toon"].as_str().unwrap(), "{}", case["name"]);
            let back: Value = toon_format::decode_default(&written).unwrap();
            assert_eq!(back, toon_format::decode_default::<Value>(case["toon"].as_str().unwrap()).unwrap());
        }
        assert!(untouched > 100, "{untouched} of {}", cases.len());
    }
}
