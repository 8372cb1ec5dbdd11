//! Parses the output of the session search program `cass`. The parser is lenient, because the
//! format may change.
//!
//! It neither starts the program nor redacts secrets.

use serde_json::{Map, Value};

use cm_note::instant::Instant;

/// A search hit. Every field except the text may be missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CassHit {
    /// Agent name as `cass` spells it.
    pub agent: Option<String>,
    pub session: Option<String>,
    pub path: Option<String>,
    /// Line number in the file, from 1.
    pub line: Option<u64>,
    pub title: Option<String>,
    /// Working directory of the session.
    pub workspace: Option<String>,
    pub at: Option<Instant>,
    /// Relevance score on the scale of `cass`.
    pub score: Option<f64>,
    pub text: String,
}

/// Keys that may contain the list of hits.
const LISTS: [&str; 7] = ["hits", "results", "matches", "items", "data", "sessions", "response"];
/// Maximum nesting depth of the list.
const MAX_NESTING: usize = 3;

/// Parses the hits in the output: an array, an object that contains one, or one object per line.
/// Returns `None` if the output has none of these forms, as opposed to an empty list.
pub fn parse(text: &str) -> Option<Vec<CassHit>> {
    // Words may stand before the answer.
    for (at, _) in text.match_indices(['{', '[']).take(20) {
        let values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let values: Vec<Value> = values.map_while(Result::ok).collect();
        let found = match values.as_slice() {
            [] => None,
            [one] => find_list(one, MAX_NESTING).map(|items| items.iter().filter_map(parse_hit).collect()),
            several => Some(several.iter().filter_map(parse_hit).collect()),
        };
        let alone = || values.first().and_then(parse_hit).map(|hit| vec![hit]);
        if let Some(hits) = found.or_else(alone) {
            return Some(hits);
        }
    }
    None
}

fn find_list(value: &Value, deep: usize) -> Option<&Vec<Value>> {
    match value {
        Value::Array(items) if items.iter().all(Value::is_object) => Some(items),
        Value::Object(fields) if deep > 0 => {
            LISTS.iter().find_map(|key| find_list(fields.get(*key)?, deep - 1))
        }
        _ => None,
    }
}

fn parse_hit(value: &Value) -> Option<CassHit> {
    let fields = value.as_object()?;
    let text = first_field(
        fields,
        &["snippet", "content", "text", "excerpt", "preview", "message"],
        non_blank_text,
    )?;
    Some(CassHit {
        agent: first_field(
            fields,
            &["agent", "agent_slug", "agent_name", "connector", "tool"],
            non_blank_text,
        ),
        session: first_field(fields, &["session_id", "conversation_id", "session"], non_blank_text),
        path: first_field(fields, &["source_path", "path", "file", "source", "log"], non_blank_text),
        line: first_field(fields, &["line_number", "line", "lineno"], parse_number)
            .filter(|line| *line >= 1.0)
            .map(|line| line as u64),
        title: first_field(fields, &["title", "session_title"], non_blank_text),
        workspace: first_field(fields, &["workspace", "workspace_path", "cwd", "project"], non_blank_text),
        at: first_field(fields, &["created_at", "timestamp", "started_at", "date", "at"], parse_time),
        score: first_field(fields, &["score", "relevance", "rank"], parse_number),
        text,
    })
}

/// Returns the value of the first key for which `read` succeeds.
fn first_field<T>(fields: &Map<String, Value>, keys: &[&str], read: fn(&Value) -> Option<T>) -> Option<T> {
    keys.iter().find_map(|key| read(fields.get(*key)?))
}

fn non_blank_text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn parse_number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|number: &f64| number.is_finite())
}

/// Parses a time: text, or seconds or milliseconds since 1970.
fn parse_time(value: &Value) -> Option<Instant> {
    /// Numbers from here on are milliseconds; as seconds, this is the year 5138.
    const MIN_MILLISECONDS: i64 = 100_000_000_000;
    match value {
        Value::String(text) => Instant::parse(text.trim()).ok(),
        value => {
            let number = value.as_i64().or_else(|| value.as_f64().map(|seconds| seconds as i64))?;
            Instant::from_millis(if number < MIN_MILLISECONDS { number.checked_mul(1000)? } else { number })
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_found_in_each_of_the_forms_that_it_may_have() {
        let one = json!({"source_path": "/l.jsonl", "line_number": 3, "agent": "codex", "snippet": "the pool", "score": 1.5});
        let forms = [
            json!([one]).to_string(),
            json!({"hits": [one]}).to_string(),
            json!({"results": [one], "count": 1}).to_string(),
            json!({"data": {"matches": [one]}}).to_string(),
            format!("searching…\n{}\n", json!({"hits": [one]})),
            format!("{one}\n"),
        ];
        for form in forms {
            let hits = parse(&form).unwrap_or_else(|| panic!("{form}"));
            assert_eq!(hits.len(), 1, "{form}");
            assert_eq!(
                (hits[0].path.as_deref(), hits[0].line, hits[0].score),
                (Some("/l.jsonl"), Some(3), Some(1.5))
            );
            assert_eq!((hits[0].agent.as_deref(), hits[0].text.as_str()), (Some("codex"), "the pool"));
        }
        assert_eq!(parse(&format!("{one}\n{one}")).map(|hits| hits.len()), Some(2));
    }

    #[test]
    fn nothing_found_is_not_the_same_as_nothing_understood() {
        assert_eq!(parse("{\"hits\": []}"), Some(Vec::new()));
        for bad in ["", "no such command", "{\"error\": \"no index\"}", "[1, 2]", "{\"hits\": 3}", "{"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn fields_that_are_odd_are_left_out_alone() {
        let hits = parse(
            &json!({"hits": [
                {"content": "a", "line": "7", "created_at": 1_760_000_000_000_i64, "score": "x", "agent": 3},
                {"snippet": " ", "content": "b", "line": -1, "timestamp": 1_760_000_000},
                {"title": "no words"},
            ]})
            .to_string(),
        )
        .unwrap();
        assert_eq!(hits.iter().map(|hit| hit.text.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((hits[0].line, hits[0].score, &hits[0].agent), (Some(7), None, &None));
        assert_eq!((hits[1].line, hits[0].at), (None, hits[1].at));
        assert!(hits[0].at.is_some());
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(text in "([\\[\\]{}\",:0-9]|hits|snippet|line|é){0,60}") {
            let _ = parse(&text);
        }
    }
}
