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
pub mod claude_folder;
mod cline;
mod codex;
mod connector;
mod copilot_cli;
mod cursor;
mod database;
mod document;
mod emitter;
mod error;
mod file_uri;
mod gemini;
mod json_object;
mod lenient;
mod line_reader;
mod locations;
mod log_cursor;
mod opencode;
mod pi;
mod read_result;
mod rejected_calls;
mod repair_json;
mod sink;
mod source;
mod table;
mod tally;
pub mod uploaded;

pub use connector::Connector;
pub use error::IngestError;
pub use locations::{HostPlatform, LogLocations};
pub use log_cursor::LogCursor;
pub use read_result::{IngestLimits, ReadResult, ReadStart};
pub use sink::{EventSink, SkipReason};
pub use source::{FoundLogs, LogFormat, LogSource};
pub use table::{connector, find, read, read_bytes};
pub use tally::RecordCounts;
