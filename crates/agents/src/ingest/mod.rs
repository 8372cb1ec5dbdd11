//! Finds the logs of all supported agents and reads them as sessions in one common model.
//!
//! Logs are foreign data: they are never written, never trusted, and their formats change without
//! notice. Records that are not recognized are counted by kind and skipped. This layer neither
//! judges nor stores sessions.
#![expect(clippy::disallowed_methods, reason = "reads the logs of other programs")]

mod aider;
mod amp;
pub mod cass;
mod chatgpt;
mod claude_code;
mod cline;
mod codex;
mod connector;
mod copilot_cli;
mod cursor;
mod database;
mod document;
mod error;
pub mod folder;
mod gemini;
mod lines;
mod loose;
mod mend;
mod object;
mod opencode;
mod out;
mod pi;
mod places;
mod position;
mod reading;
mod refusal;
pub mod sent;
mod sink;
mod source;
mod tally;
mod uri;

pub use connector::{Connector, connector, find, read, read_bytes};
pub use error::IngestError;
pub use places::{HostPlatform, LogLocations};
pub use position::LogCursor;
pub use reading::{IngestLimits, ReadResult, ReadStart};
pub use sink::{EventSink, SkipReason};
pub use source::{FoundLogs, LogFormat, LogSource};
pub use tally::RecordCounts;
