//! Outcomes as TOON, a table-like notation that costs a prompt fewer tokens than JSON.
//!
//! The notation is the library's; here documents are brought into a form of which it makes tables.

use serde::Serialize;
use serde_json::Value;

use super::json;

/// An outcome as one TOON document, with the numbers of its JSON. In a list of objects a list of plain values becomes one
/// text, since a nested list would keep the rows from being a table.
///
/// # Errors
/// What the library cannot write: nesting deeper than any outcome's.
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

    /// Documents with what the reference implementation makes of them; tests/golden/toon.mjs writes the file. Those that
    /// [`document`] does not bring into another form first are written by it.
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
