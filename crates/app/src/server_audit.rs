//! The server's audit log (`audit.jsonl` in the vault's private files): who requested which
//! operation, when, and with which outcome. It never contains request or response data.

use std::sync::Arc;

use serde::Serialize;

use super::error::Result;
use super::memory::Memory;
use cm_note::instant::Instant;
use cm_store::vault::lines::Lines;

/// A requested operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// `http` or `mcp`.
    pub surface: &'static str,
    /// Name of the operation, or of the protocol method if it is not a tool.
    pub operation: &'static str,
    /// Token id; `None` if the server does not require tokens.
    pub token: Option<String>,
    /// Person who owns the token.
    pub person: Option<String>,
    /// Agent name as given by the client.
    pub agent: Option<String>,
}

/// Receives finished attempts with their outcome: `done`, an error code, or `panicked`.
pub type Sink = Arc<dyn Fn(&Attempt, &str) + Send + Sync>;

/// A line of the log.
#[derive(Serialize)]
struct AuditEntry<'a> {
    at: Instant,
    #[serde(flatten)]
    attempt: &'a Attempt,
    outcome: &'a str,
}

#[derive(Debug)]
pub struct AuditLog(Lines);

impl AuditLog {
    /// Opens the log of the target vault.
    ///
    /// # Errors
    /// Returns an error if the private folder cannot be determined.
    pub fn of(memory: &Memory) -> Result<Self> {
        Ok(Self(Lines::of_server(&memory.target().vault)?))
    }

    /// Appends a line.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn append(&self, at: Instant, attempt: &Attempt, outcome: &str) -> Result<()> {
        Ok(self.0.append(&[AuditEntry { at, attempt, outcome }])?)
    }
}

/// A running attempt. If it is dropped before [`Record::end`], the outcome is `panicked`.
pub struct Record {
    sink: Option<Sink>,
    attempt: Attempt,
    is_ended: bool,
}

impl Record {
    /// Starts the record of an attempt.
    pub fn begin(sink: Option<Sink>, attempt: Attempt) -> Self {
        Self { sink, attempt, is_ended: false }
    }

    /// Writes the outcome of `result` to the log and returns `result`.
    pub fn end<T>(mut self, result: Result<T>) -> Result<T> {
        self.is_ended = true;
        self.write(result.as_ref().map_or_else(|error| error.code, |_| "done"));
        result
    }

    fn write(&self, outcome: &str) {
        if let Some(sink) = &self.sink {
            sink(&self.attempt, outcome);
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if !self.is_ended {
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
        let sink: Sink = Arc::new({
            let lines = Arc::clone(&lines);
            move |_: &Attempt, outcome: &str| lines.lock().unwrap().push(outcome.to_owned())
        });
        let attempt =
            Attempt { surface: "http", operation: "memory_add", token: None, person: None, agent: None };
        let record = || Record::begin(Some(Arc::clone(&sink)), attempt.clone());
        record().end(Ok(1)).unwrap();
        record().end::<()>(Err(Error::refused("forbidden", "no"))).unwrap_err();
        drop(record());
        assert_eq!(*lines.lock().unwrap(), ["done", "forbidden", "panicked"]);
    }
}
