//! The server's audit log: who asked for which operation, when, and what became of it. It holds nothing of what was
//! asked or answered, and lies among the user's private files of the vault (`audit.jsonl`).

use std::sync::Arc;

use serde::Serialize;

use super::error::Result;
use super::memory::Memory;
use cm_note::instant::Instant;
use cm_store::vault::lines::Lines;

/// An operation that a caller asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// `http` or `mcp`.
    pub surface: &'static str,
    /// Name of the operation, or of the method where it is no tool's.
    pub operation: &'static str,
    /// Id of the token; `None` where none is asked for.
    pub token: Option<String>,
    /// Person whose token it is.
    pub person: Option<String>,
    /// Agent, as it names itself.
    pub agent: Option<String>,
}

/// Where finished attempts go; the second argument is the outcome: `done`, the code of the error, or `panicked`.
pub type Sink = Arc<dyn Fn(&Attempt, &str) + Send + Sync>;

/// A line of the log.
#[derive(Serialize)]
struct AuditEntry<'a> {
    at: Instant,
    #[serde(flatten)]
    attempt: &'a Attempt,
    outcome: &'a str,
}

/// The audit log of a vault's server.
#[derive(Debug)]
pub struct AuditLog(Lines);

impl AuditLog {
    /// The log of the vault that commands write to.
    ///
    /// # Errors
    /// There is no private folder.
    pub fn of(memory: &Memory) -> Result<Self> {
        Ok(Self(Lines::of_server(&memory.target().vault)?))
    }

    /// Adds a line.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(&self, at: Instant, attempt: &Attempt, outcome: &str) -> Result<()> {
        Ok(self.0.append(&[AuditEntry { at, attempt, outcome }])?)
    }
}

/// An attempt that has begun. Dropped without an end, it is recorded as `panicked`.
pub struct Record {
    sink: Option<Sink>,
    attempt: Attempt,
    is_ended: bool,
}

impl Record {
    /// Begins the record of an attempt.
    pub fn begin(sink: Option<Sink>, attempt: Attempt) -> Self {
        Self { sink, attempt, is_ended: false }
    }

    /// Writes the record with this outcome, and returns it.
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
