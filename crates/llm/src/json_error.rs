//! Describes problems in an answer with their location, so that the model can fix them.

use serde::de::DeserializeOwned;
use serde_json::error::Category;

/// One level of nesting around the current position in a JSON text.
enum JsonLevel {
    Object(Option<String>),
    List(usize),
}

/// Parses JSON into a value; the error describes what is wrong and where.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| describe(text, &error))
}

fn describe(text: &str, error: &serde_json::Error) -> String {
    let shown = error.to_string();
    let message = shown.split(" at line ").next().unwrap_or_default();
    let at = match error.line() {
        0 => String::new(),
        line => format!("line {line}, column {}: ", error.column()),
    };
    let offset = offset(text, error.line(), error.column());
    let place = match path(&text.as_bytes()[..offset]) {
        _ if error.line() == 0 => String::new(),
        path if path.is_empty() => String::new(),
        path => format!("`{path}`: "),
    };
    match error.classify() {
        Category::Eof if text.trim().is_empty() => "it contains no JSON".to_owned(),
        Category::Eof => format!("{at}{place}the JSON is incomplete ({message})"),
        Category::Syntax if !text.trim_start().starts_with('{') => {
            format!("it contains no JSON object ({message})")
        }
        Category::Syntax | Category::Io => format!("{at}{place}it is not valid JSON ({message})"),
        Category::Data => format!("{at}{place}{message}"),
    }
}

/// Returns the byte offset of a line and column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column).min(text.len())
}

/// Returns the path, such as `deltas[2].content`, of the value at which a JSON prefix ends.
fn path(read: &[u8]) -> String {
    let mut levels: Vec<JsonLevel> = Vec::new();
    let mut at = 0;
    while at < read.len() {
        let is_last = at + 1 == read.len();
        match read[at] {
            b'"' => {
                let end = end_of_string(read, at);
                if let Some(JsonLevel::Object(key @ None)) = levels.last_mut() {
                    let text = String::from_utf8_lossy(&read[at + 1..end.saturating_sub(1).max(at + 1)]);
                    *key = Some(text.into_owned());
                }
                at = end;
                continue;
            }
            b'{' => levels.push(JsonLevel::Object(None)),
            b'[' => levels.push(JsonLevel::List(0)),
            b'}' | b']' => drop(levels.pop()),
            // A reader that looked one byte ahead still means the value before it.
            b',' if !is_last => match levels.last_mut() {
                Some(JsonLevel::Object(key)) => *key = None,
                Some(JsonLevel::List(index)) => *index += 1,
                None => {}
            },
            _ => {}
        }
        at += 1;
    }
    written(&levels)
}

/// Returns the index after the JSON string that starts at `from`; the end of the text if the string
/// is not closed.
fn end_of_string(read: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while at < read.len() {
        match read[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    read.len()
}

fn written(levels: &[JsonLevel]) -> String {
    let mut path = String::new();
    for level in levels {
        match level {
            JsonLevel::Object(Some(key)) if path.is_empty() => path.push_str(key),
            JsonLevel::Object(Some(key)) => {
                path.push('.');
                path.push_str(key);
            }
            JsonLevel::Object(None) => {}
            JsonLevel::List(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Notes {
        #[allow(dead_code, reason = "only its reading is tested")]
        notes: Vec<Note>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only its reading is tested")]
    struct Note {
        title: String,
        stars: u8,
        kind: Kind,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Rule,
        Warning,
    }

    fn fault(text: &str) -> String {
        read::<Notes>(text).unwrap_err()
    }

    #[test]
    fn a_fault_is_told_with_its_place() {
        let good = r#"{"title": "a", "stars": 1, "kind": "rule"}"#;
        assert!(read::<Notes>(&format!(r#"{{"notes": [{good}]}}"#)).is_ok());
        let second = |note: &str| fault(&format!("{{\"notes\": [\n{good},\n{note}\n]}}"));
        insta::assert_snapshot!(second(r#"{"title": 5, "stars": 1, "kind": "rule"}"#), @"line 3, column 11: `notes[1].title`: invalid type: integer `5`, expected a string");
        insta::assert_snapshot!(second(r#"{"stars": "many", "title": "a", "kind": "rule"}"#), @r#"line 3, column 16: `notes[1].stars`: invalid type: string "many", expected u8"#);
        insta::assert_snapshot!(second(r#"{"stars": 1.5, "title": "a", "kind": "rule"}"#), @"line 3, column 13: `notes[1].stars`: invalid type: floating point `1.5`, expected u8");
        insta::assert_snapshot!(second(r#"{"title": "a", "kind": "rule", "stars": 300}"#), @"line 3, column 43: `notes[1].stars`: invalid value: integer `300`, expected u8");
        insta::assert_snapshot!(second(r#"{"title": "a", "stars": 1, "kind": "fact"}"#), @"line 3, column 41: `notes[1].kind`: unknown variant `fact`, expected `rule` or `warning`");
        insta::assert_snapshot!(second(r#"{"title": "a", "stars": 1}"#), @"line 3, column 26: `notes[1]`: missing field `kind`");
        insta::assert_snapshot!(second(r#"{"title": "a", "extra": [1, 2]}"#), @"line 3, column 22: `notes[1].extra`: unknown field `extra`, expected one of `title`, `stars`, `kind`");
        insta::assert_snapshot!(second("null"), @"line 3, column 4: `notes[1]`: invalid type: null, expected struct Note");
        insta::assert_snapshot!(second("[]"), @"line 3, column 2: `notes[1]`: invalid length 0, expected struct Note with 3 elements");
    }

    #[test]
    fn what_is_no_json_is_told_apart() {
        insta::assert_snapshot!(fault(""), @"it contains no JSON");
        insta::assert_snapshot!(fault("I cannot do that."), @"it contains no JSON object (expected value)");
        insta::assert_snapshot!(fault("[1]"), @"line 1, column 2: `[0]`: invalid type: integer `1`, expected a sequence");
        insta::assert_snapshot!(fault("{\"notes\": [{\"title\": \"a\\\"b"), @"line 1, column 26: `notes[0].title`: the JSON is incomplete (EOF while parsing a string)");
        insta::assert_snapshot!(fault("{\"notes\": [{\"title\": \"a\","), @"line 1, column 25: `notes[0].title`: the JSON is incomplete (EOF while parsing a value)");
        insta::assert_snapshot!(fault("{\"notes\": [1,]}"), @"line 1, column 12: `notes[0]`: invalid type: integer `1`, expected struct Note");
        insta::assert_snapshot!(fault("{\"notes\": []} {}"), @"line 1, column 15: it is not valid JSON (trailing characters)");
        insta::assert_snapshot!(fault("{'notes': []}"), @"line 1, column 2: it is not valid JSON (key must be a string)");
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text: String, cut in 0_usize..40) {
            let _ = read::<Notes>(&text);
            let whole = r#"{"notes": [{"title": "aé\\", "stars": 1, "kind": "rule"}]}"#;
            let _ = read::<Notes>(&whole[..whole.floor_char_boundary(cut)]);
        }
    }
}
