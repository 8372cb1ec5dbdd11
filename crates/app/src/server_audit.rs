//! The server's audit log (`audit.jsonl` in the vault's private files): who requested which
//! operation, when, and with which outcome. It never contains request or response data.

use std::sync::Arc;

use serde::Serialize;

use crate::context::open::Context;
use crate::error::Result;
use cm_note::instant::Instant;
use cm_store::vault::json_lines::JsonLinesFile;

/// A request to the server, as recorded in the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditedRequest {
    /// Interface of the request: `http` or `mcp`.
    pub surface: &'static str,
    /// Name of the operation; for an MCP request that calls no tool, the protocol method.
    pub operation: &'static str,
    /// Token id; `None` if the server does not require tokens.
    pub token: Option<String>,
    /// Person who owns the token.
    pub person: Option<String>,
    /// Agent name as given by the client.
    pub agent: Option<String>,
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

#[derive(Debug)]
pub struct AuditLog(JsonLinesFile);

impl AuditLog {
    /// Opens the audit log of the target vault.
    ///
    /// # Errors
    /// Returns an error if the private folder cannot be determined.
    pub fn of(memory: &Context) -> Result<Self> {
        Ok(Self(JsonLinesFile::of_server(&memory.target().vault)?))
    }

    /// Appends a request with its time and outcome.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn append(&self, at: Instant, attempt: &AuditedRequest, outcome: &str) -> Result<()> {
        Ok(self.0.append(&[AuditEntry { at, attempt, outcome }])?)
    }
}

/// A request in progress. If it is dropped before [`AuditRecord::end`], the outcome is `panicked`.
pub struct AuditRecord {
    sink: Option<AuditSink>,
    attempt: AuditedRequest,
    is_finished: bool,
}

impl AuditRecord {
    /// Starts the record of a request; its outcome goes to `sink`.
    pub fn begin(sink: Option<AuditSink>, attempt: AuditedRequest) -> Self {
        Self { sink, attempt, is_finished: false }
    }

    /// Reports the outcome of `result` to the sink, `done` or the error code, and returns `result`.
    pub fn end<T>(mut self, result: Result<T>) -> Result<T> {
        self.is_finished = true;
        self.write(result.as_ref().map_or_else(|error| error.code, |_| "done"));
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
            surface: "http",
            operation: "memory_add",
            token: None,
            person: None,
            agent: None,
        };
        let record = || AuditRecord::begin(Some(Arc::clone(&sink)), attempt.clone());
        record().end(Ok(1)).unwrap();
        record().end::<()>(Err(Error::refused("forbidden", "no"))).unwrap_err();
        drop(record());
        assert_eq!(*lines.lock().unwrap(), ["done", "forbidden", "panicked"]);
    }
}
