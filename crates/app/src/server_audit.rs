//! The server's audit log (`audit.jsonl` in the vault's private files): who requested which
//! operation, when, on which notes, and with which outcome. It contains no text of requests and
//! responses: of a question, it has a hash.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::open::Context;
use crate::error::Result;
use crate::verbs::token;
use cm_note::instant::Instant;
use cm_store::vault::json_lines::JsonLinesFile;

/// Maximum number of notes in one record.
const MAX_IDS: usize = 50;

/// The interface through which a request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    Http,
    Mcp,
    /// The page for people.
    Web,
}

/// A request to the server, as recorded in the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditedRequest {
    pub surface: Surface,
    /// Name of the operation; for an MCP request that calls no tool, the protocol method.
    pub operation: &'static str,
    /// Token id; `None` if the server does not require tokens.
    pub token: Option<String>,
    /// Person who owns the token.
    pub person: Option<String>,
    /// Agent name as given by the client.
    pub agent: Option<String>,
    /// First 16 hexadecimal digits of the BLAKE3 hash of the question; `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Ids of the notes that were read or written, at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Ids of the sessions that were uploaded, handed out or judged, at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<String>,
}

/// Keys of a question in the input of operations.
const QUESTIONS: [&str; 3] = ["query", "q", "task"];
/// Keys of lists of notes in results.
const NOTES: [&str; 8] =
    ["hits", "rules", "pitfalls", "memories", "unverified", "notes", "entries", "bullets"];

impl AuditedRequest {
    /// Records the hash of the question. Ids in an input are not recorded, because the client chose them.
    fn ask(&mut self, input: &Value) {
        let question = QUESTIONS.iter().find_map(|key| input.get(key)?.as_str());
        self.query = question.map(|text| blake3::hash(text.as_bytes()).to_hex().as_str()[..16].to_owned());
    }

    /// Adds the notes of a JSON object: its own `id` or `ids`, and those of its lists; and its sessions.
    fn add_ids(&mut self, of: &Value) {
        let packages = of.get("packages").and_then(Value::as_array).into_iter().flatten();
        let sessions = std::iter::once(of).chain(packages).filter_map(|part| part.get("session")?.as_str());
        self.sessions.extend(sessions.take(MAX_IDS).map(str::to_owned));
        let listed = NOTES.iter().filter_map(|key| of.get(key)?.as_array()).flatten();
        let own = of.get("id").into_iter();
        let several = of.get("ids").and_then(Value::as_array).into_iter().flatten();
        let ids =
            own.chain(several).chain(listed.filter_map(|note| note.get("id"))).filter_map(Value::as_str);
        for id in ids {
            if self.ids.len() < MAX_IDS && !self.ids.iter().any(|other| other == id) {
                self.ids.push(id.to_owned());
            }
        }
    }
}

/// Receives each finished request with its outcome: `done`, an error code, or `panicked`.
pub type AuditSink = Arc<dyn Fn(&AuditedRequest, &str) + Send + Sync>;

/// A line of the audit log.
#[derive(Serialize)]
struct AuditEntry<'a> {
    at: Instant,
    #[serde(flatten)]
    attempt: &'a AuditedRequest,
    outcome: &'a str,
}

/// A request as read from the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditRecordLine {
    /// Time at which the request ended.
    pub at: Instant,
    /// Interface: `http`, `mcp` or `web`.
    pub surface: String,
    /// Name of the operation.
    pub operation: String,
    /// Token id; null if the server did not require tokens.
    pub token: Option<String>,
    /// Owner of the token.
    pub person: Option<String>,
    /// Agent name as given by the client.
    pub agent: Option<String>,
    /// Hash of the question; null if there was none.
    #[serde(default)]
    pub query: Option<String>,
    /// Ids of the notes that were read or written.
    #[serde(default)]
    pub ids: Vec<String>,
    /// Ids of the sessions that were uploaded, handed out or judged.
    #[serde(default)]
    pub sessions: Vec<String>,
    /// `done`, an error code, or `panicked`.
    pub outcome: String,
}

#[derive(Debug)]
pub struct AuditLog(JsonLinesFile);

impl AuditLog {
    /// Opens the audit log of the target vault.
    ///
    /// # Errors
    /// Returns an error if the private folder cannot be determined.
    pub fn of(context: &Context) -> Result<Self> {
        Ok(Self(JsonLinesFile::of_server(&context.target().vault)?))
    }

    /// Returns the recorded requests, oldest first.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn read(&self) -> Result<Vec<AuditRecordLine>> {
        Ok(self.0.read()?.0)
    }

    /// Appends a request with its time and outcome.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn append(&self, at: Instant, attempt: &AuditedRequest, outcome: &str) -> Result<()> {
        Ok(self.0.append(&[AuditEntry { at, attempt, outcome }])?)
    }
}

/// Selects records of the audit log.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    /// Owner of tokens, or a token id or unique prefix; `None` selects all.
    pub which: Option<String>,
    /// Only requests since this time.
    pub since: Option<Instant>,
    /// Maximum number of requests.
    pub limit: usize,
}

/// Requests to the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokenLog {
    /// The latest requests, newest first.
    pub requests: Vec<AuditRecordLine>,
    /// Number of earlier requests that are not listed.
    pub omitted: usize,
}

/// Lists what was requested from the server, by whom, and on which notes.
///
/// # Errors
/// Returns an error if the caller is not a person, if no token matches, or if the log cannot be read.
pub fn log(context: &Context, options: &LogOptions) -> Result<TokenLog> {
    context.persons_only("read the log of the server")?;
    let ids = match &options.which {
        Some(which) => Some(token::ids_of(context, which)?),
        None => None,
    };
    let is_chosen = |line: &AuditRecordLine| {
        ids.as_ref().is_none_or(|ids| line.token.as_ref().is_some_and(|token| ids.contains(token)))
            && options.since.is_none_or(|since| line.at >= since)
    };
    let mut requests: Vec<_> = AuditLog::of(context)?.read()?.into_iter().filter(is_chosen).collect();
    let omitted = requests.len().saturating_sub(options.limit);
    requests.drain(..omitted);
    requests.reverse();
    Ok(TokenLog { requests, omitted })
}

/// A request in progress. If it is dropped before [`AuditRecord::end`], the outcome is `panicked`.
pub struct AuditRecord {
    sink: Option<AuditSink>,
    attempt: AuditedRequest,
    /// Code of the error that a result reports itself.
    refused: Option<&'static str>,
    is_finished: bool,
}

impl AuditRecord {
    /// Starts the record of a request; its outcome goes to `sink`.
    pub fn begin(sink: Option<AuditSink>, attempt: AuditedRequest) -> Self {
        Self { sink, attempt, refused: None, is_finished: false }
    }

    /// Records the input of the operation.
    pub fn of_input(mut self, input: &Value) -> Self {
        self.attempt.ask(input);
        self
    }

    /// Records the result of the operation.
    pub fn answered(&mut self, result: &Value) {
        self.attempt.add_ids(result);
    }

    /// Sets the outcome of a request whose result is no error but says that nothing was done.
    pub fn refuse(&mut self, code: &'static str) {
        self.refused = Some(code);
    }

    /// Reports the outcome of `result` to the sink, `done` or the error code, and returns `result`.
    pub fn end<T>(mut self, result: Result<T>) -> Result<T> {
        self.is_finished = true;
        self.write(result.as_ref().map_or_else(|error| error.code, |_| self.refused.unwrap_or("done")));
        result
    }

    fn write(&self, outcome: &str) {
        if let Some(sink) = &self.sink {
            sink(&self.attempt, outcome);
        }
    }
}

impl Drop for AuditRecord {
    fn drop(&mut self) {
        if !self.is_finished {
            self.write("panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::Error;

    #[test]
    fn each_attempt_is_recorded_once_also_one_that_panics() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink: AuditSink = Arc::new({
            let lines = Arc::clone(&lines);
            move |_: &AuditedRequest, outcome: &str| lines.lock().unwrap().push(outcome.to_owned())
        });
        let attempt = AuditedRequest {
            surface: Surface::Http,
            operation: "memory_add",
            token: None,
            person: None,
            agent: None,
            query: None,
            ids: Vec::new(),
            sessions: Vec::new(),
        };
        let record = || AuditRecord::begin(Some(Arc::clone(&sink)), attempt.clone());
        record().end(Ok(1)).unwrap();
        record().end::<()>(Err(Error::refused("forbidden", "no"))).unwrap_err();
        drop(record());
        assert_eq!(*lines.lock().unwrap(), ["done", "forbidden", "panicked"]);
    }

    #[test]
    fn a_record_has_the_notes_and_a_hash_instead_of_the_question() {
        let recorded = Arc::new(Mutex::new(None));
        let sink: AuditSink = Arc::new({
            let recorded = Arc::clone(&recorded);
            move |request: &AuditedRequest, _: &str| *recorded.lock().unwrap() = Some(request.clone())
        });
        let attempt = AuditedRequest {
            surface: Surface::Http,
            operation: "memory_search",
            token: None,
            person: None,
            agent: None,
            query: None,
            ids: Vec::new(),
            sessions: Vec::new(),
        };
        let mut record =
            AuditRecord::begin(Some(sink), attempt).of_input(&serde_json::json!({"query": "secret pool"}));
        record.answered(&serde_json::json!({"hits": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}));
        record.end(Ok(())).unwrap();
        let request = recorded.lock().unwrap().clone().unwrap();
        assert_eq!(request.ids, ["a", "b"]);
        assert!(request.sessions.is_empty());
        assert_eq!(request.query.as_deref().map(str::len), Some(16));
        assert!(!serde_json::to_string(&request).unwrap().contains("pool"));
    }
}
