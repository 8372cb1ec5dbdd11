//! Parses `_state.json` of the earlier Python tool: how often and when each note was read.
//!
//! The file has had several layouts, so keys are recognized by name; everything else is ignored.

use std::collections::BTreeMap;

use serde_json::Value;

use cm_note::instant::Instant;

/// Access statistics of a note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccessStats {
    /// How often the memory was read.
    pub count: u64,
    /// Time of the last read.
    pub last: Option<Instant>,
}

/// Access statistics by note id or path.
pub type AccessStatsByNote = BTreeMap<String, AccessStats>;

/// Keys of objects that contain the entries.
const ENTRIES: [&str; 8] =
    ["entries", "memories", "access", "accesses", "usage", "notes", "state", "retrieval"];
/// Keys of maps from ids to counts.
const COUNTS: [&str; 3] = ["access_counts", "access_count", "counts"];
/// Keys of maps from ids to times.
const TIMES: [&str; 4] = ["last_accessed", "last_access", "last_accesses", "accessed_at"];
const COUNT: [&str; 7] =
    ["access_count", "accesses", "count", "accessed", "accessCount", "hits", "retrieval_count"];
const LAST: [&str; 8] = [
    "last_accessed",
    "last_access",
    "lastAccessed",
    "last_accessed_at",
    "accessed_at",
    "last_used",
    "last",
    "last_retrieved",
];
const ID: [&str; 4] = ["id", "memory_id", "uuid", "key"];

/// Parses the file.
///
/// # Errors
/// A description of the problem if the text is not a JSON object or array.
pub fn read(text: &str) -> Result<AccessStatsByNote, String> {
    let value: Value =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())?;
    if !value.is_object() && !value.is_array() {
        return Err("it holds no entries".to_owned());
    }
    let mut found = AccessStatsByNote::new();
    take(&value, &mut found);
    found.retain(|_, access| access.count > 0 || access.last.is_some());
    Ok(found)
}

fn take(value: &Value, found: &mut AccessStatsByNote) {
    match value {
        Value::Array(items) => {
            for item in items {
                if let Some(id) = first(item, &ID).and_then(Value::as_str) {
                    add(found, id, access(item));
                }
            }
        }
        Value::Object(fields) => {
            let nested: Vec<&Value> = ENTRIES
                .iter()
                .filter_map(|key| fields.get(*key))
                .filter(|value| is_collection(value))
                .collect();
            for value in &nested {
                take(value, found);
            }
            let mut maps = false;
            for (key, value) in fields {
                let Value::Object(map) = value else { continue };
                if COUNTS.contains(&key.as_str()) || TIMES.contains(&key.as_str()) {
                    maps = true;
                    map.iter().for_each(|(id, value)| add(found, id, single(value)));
                }
            }
            if nested.is_empty() && !maps {
                for (id, value) in fields.iter().filter(|(key, _)| *key != "version") {
                    add(found, id, if value.is_object() { access(value) } else { single(value) });
                }
            }
        }
        _ => {}
    }
}

fn is_collection(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

fn add(found: &mut AccessStatsByNote, id: &str, access: AccessStats) {
    let stats = found.entry(id.to_owned()).or_default();
    stats.count = stats.count.max(access.count);
    stats.last = stats.last.max(access.last);
}

fn access(entry: &Value) -> AccessStats {
    AccessStats { count: first(entry, &COUNT).map_or(0, count), last: first(entry, &LAST).and_then(instant) }
}

/// Interprets a bare number as a count and a bare string as a time.
fn single(value: &Value) -> AccessStats {
    match value {
        Value::String(_) => AccessStats { count: 0, last: instant(value) },
        _ => AccessStats { count: count(value), last: None },
    }
}

fn first<'v>(entry: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().filter_map(|key| entry.get(*key)).find(|value| !value.is_null())
}

fn count(value: &Value) -> u64 {
    let float = value.as_f64().filter(|n| n.is_finite() && *n >= 0.0).map(|n| n as u64);
    value.as_u64().or(float).unwrap_or(0)
}

fn instant(value: &Value) -> Option<Instant> {
    match value {
        Value::String(text) => Instant::parse(text).ok(),
        // Seconds, or milliseconds where seconds would lie thousands of years ahead.
        Value::Number(number) => {
            let seconds = number.as_f64()?;
            let seconds = if seconds > 1e11 { seconds / 1000.0 } else { seconds };
            (seconds > 0.0).then(|| Instant::from_unix(seconds as i64))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_says_the_same() {
        let at = Some(Instant::parse("2026-02-03T04:05:06Z").unwrap());
        let expected = AccessStatsByNote::from([
            ("a".to_owned(), AccessStats { count: 3, last: at }),
            ("b".to_owned(), AccessStats { count: 1, last: None }),
        ]);
        for text in [
            r#"{"version": 1, "entries": {"a": {"access_count": 3, "last_accessed": "2026-02-03T04:05:06Z"}, "b": {"access_count": 1}, "c": {"access_count": 0}}}"#,
            r#"{"version": 1, "a": {"accesses": 3, "last_access": "2026-02-03T04:05:06+00:00"}, "b": {"count": 1}}"#,
            r#"{"memories": [{"id": "a", "count": 3, "last": 1770091506}, {"id": "b", "hits": 1.0}, {"count": 7}]}"#,
            r#"{"version": 1, "access_counts": {"a": 3, "b": 1}, "last_accessed": {"a": "2026-02-03T04:05:06"}}"#,
            r#"[{"memory_id": "a", "access_count": 3, "last_accessed_at": 1770091506000}, {"uuid": "b", "count": 1}]"#,
        ] {
            assert_eq!(read(text).as_ref(), Ok(&expected), "{text}");
        }
        assert_eq!(read(r#"{"version": 1, "b": 1}"#).unwrap()["b"].count, 1);
    }

    #[test]
    fn damage_is_an_error_and_nonsense_counts_for_nothing() {
        assert!(read("{").is_err());
        assert!(read("7").is_err());
        assert!(read(r#"{"version": 1, "entries": {"a": {"access_count": -4, "last_accessed": "soon"}, "b": null}}"#)
            .unwrap()
            .is_empty());
    }
}
