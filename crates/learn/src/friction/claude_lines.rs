//! Reads Claude Code log lines as records, exactly as the classic rules expect them.
//!
//! It does not interpret the content; [`super::events`] resolves who sent a message and how a tool
//! ended. Here a message counts as a turn if its content is a plain string, and a tool result that
//! is an object becomes a placeholder.

use serde_json::Value;

use super::record::{LogRecord, RecordPart, RecordRole, SessionLog};
use cm_note::instant::Instant;
use cm_session::event::ToolOutcome;

/// Text for a JSON object where a string is expected, as JavaScript would convert it.
const OBJECT: &str = "[object Object]";

/// Reads a whole Claude Code log, given its folder's name, its file name without extension, and its
/// content.
pub fn log(folder: &str, name: &str, bytes: &[u8]) -> SessionLog {
    let mut reader = ClaudeLineReader::new(folder, name);
    for line in bytes.split(|byte| *byte == b'\n') {
        reader.line(line);
    }
    reader.finish()
}

/// Reads a Claude Code log line by line.
#[derive(Debug)]
pub struct ClaudeLineReader {
    log: SessionLog,
}

impl ClaudeLineReader {
    /// Creates a reader for the log file `name` (without extension) in `folder`.
    pub fn new(folder: &str, name: &str) -> Self {
        let log = SessionLog { project: project(folder), name: name.to_owned(), ..SessionLog::default() };
        Self { log }
    }

    /// Reads the next line. Blank lines are skipped; lines that are not JSON objects are counted in
    /// [`SessionLog::unread`].
    pub fn line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        match serde_json::from_slice(line) {
            Ok(Value::Object(record)) => self.record(&Value::Object(record)),
            _ => self.log.unread += 1,
        }
    }

    pub fn finish(self) -> SessionLog {
        self.log
    }

    fn record(&mut self, record: &Value) {
        let at = record["timestamp"].as_str().and_then(|text| Instant::parse(text).ok());
        if at.is_some() {
            self.log.started = self.log.started.or(at);
            self.log.ended = at;
        }
        for (key, field) in [("gitBranch", &mut self.log.branch), ("cwd", &mut self.log.folder)] {
            if let Some(text) = record[key].as_str() {
                *field = Some(text.to_owned());
            }
        }
        let Some((role, turn, parts)) = parse_record(record) else { return };
        // A summary without a time belongs to where it stands.
        let at = if role == RecordRole::System { at.or(self.log.ended) } else { at };
        let id = record["uuid"].as_str().map(Into::into);
        self.log.records.push(LogRecord { at, id, role, is_user_message: turn, parts });
    }
}

/// Derives a project name from the name of a log folder, by stripping a leading `-home-` or `-`.
fn project(folder: &str) -> String {
    folder.strip_prefix("-home-").or_else(|| folder.strip_prefix('-')).unwrap_or(folder).to_owned()
}

fn parse_record(record: &Value) -> Option<(RecordRole, bool, Vec<RecordPart>)> {
    match record["type"].as_str()? {
        "user" => {
            let content = &record["message"]["content"];
            Some((RecordRole::Person, content.is_string(), parts(content)))
        }
        "assistant" => {
            let content = &record["message"]["content"];
            Some((RecordRole::Agent, content.is_string(), parts(content)))
        }
        "progress" => {
            let message = &record["data"]["message"];
            let inner = message["type"].as_str() == Some("user");
            inner.then(|| (RecordRole::Inner, false, parts(&message["message"]["content"])))
        }
        "summary" => {
            let summary = record["summary"].as_str().filter(|text| !text.is_empty())?;
            Some((RecordRole::System, false, vec![RecordPart::Compaction(Some(summary.to_owned()))]))
        }
        _ => None,
    }
}

fn parts(content: &Value) -> Vec<RecordPart> {
    match content {
        Value::String(text) => vec![RecordPart::Text(text.clone())],
        Value::Array(blocks) => blocks.iter().filter_map(part).collect(),
        Value::Object(_) => {
            part(content).filter(|part| matches!(part, RecordPart::Result { .. })).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn part(block: &Value) -> Option<RecordPart> {
    match block["type"].as_str()? {
        "text" => Some(RecordPart::Text(block["text"].as_str().unwrap_or_default().to_owned())),
        "tool_use" => Some(RecordPart::Call {
            id: block["id"].as_str().map(Into::into),
            tool: block["name"].as_str().unwrap_or("unknown").to_owned(),
            input: if block["input"].is_null() {
                Value::Object(Default::default())
            } else {
                block["input"].clone()
            },
        }),
        "tool_result" => Some(RecordPart::Result {
            id: block["tool_use_id"].as_str().map(Into::into),
            outcome: ToolOutcome::Unknown,
            exit_code: None,
            text: as_text(&block["content"]),
        }),
        _ => None,
    }
}

/// Converts a JSON value to text as JavaScript does: a list as its elements joined with commas, an
/// object as `[object Object]`.
fn as_text(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(false) => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join(","),
        Value::Object(_) => OBJECT.to_owned(),
        Value::Bool(true) | Value::Number(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(lines: &str) -> SessionLog {
        log("-home-dev-demo", "aaaa1111", lines.as_bytes())
    }

    #[test]
    fn a_line_that_is_no_record_costs_only_itself() {
        let log = read(
            "{\"type\":\"user\",\"message\":{\"content\":\"a\"}}\nnot json\n[1]\n\n{\"type\":\"user\",\"message\":{\"content\":\"b\"}}\n{\"ty",
        );
        assert_eq!((log.records.len(), log.unread), (2, 3));
        assert_eq!(log.project, "dev-demo");
    }

    #[test]
    fn only_a_plain_string_is_a_turn() {
        let log = read(
            "{\"type\":\"user\",\"message\":{\"content\":\"a\"}}\n{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"b\"}]}}",
        );
        assert_eq!(
            log.records.iter().map(|record| record.is_user_message).collect::<Vec<_>>(),
            [true, false]
        );
        assert_eq!(log.records[1].text(), Some("b"));
    }

    #[test]
    fn an_answer_of_blocks_cannot_be_read() {
        let log = read(
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"Exit code 1"}]}]}}"#,
        );
        assert!(matches!(&log.records[0].parts[0], RecordPart::Result { text, .. } if text == OBJECT));
    }

    #[test]
    fn a_persons_words_in_progress_are_reported_and_count_as_no_turn() {
        let log = read(
            r#"{"type":"progress","data":{"message":{"type":"user","message":{"content":"hm"}}}}
{"type":"progress","data":{"message":{"type":"assistant","message":{"content":"hm"}}}}"#,
        );
        assert_eq!(log.records.len(), 1);
        assert_eq!((log.records[0].role, log.records[0].is_user_message), (RecordRole::Inner, false));
    }

    #[test]
    fn the_times_of_all_lines_bound_the_session() {
        let log = read(
            "{\"type\":\"x\",\"timestamp\":\"2026-10-01T10:00:00Z\"}\n{\"type\":\"summary\",\"summary\":\"s\"}\n{\"type\":\"y\",\"timestamp\":\"2026-10-01T10:01:00Z\",\"cwd\":\"/w\",\"gitBranch\":\"main\"}",
        );
        assert_eq!(log.started.unwrap().minute(), "10:00");
        assert_eq!(log.ended.unwrap().minute(), "10:01");
        assert_eq!(log.records[0].at, log.started);
        assert_eq!((log.folder.as_deref(), log.branch.as_deref()), (Some("/w"), Some("main")));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            log("f", "n", &bytes);
        }
    }
}
