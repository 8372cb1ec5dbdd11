//! Finds the logs of all supported agents and reads them as sessions in one common model.
//!
//! Logs are foreign data: they are never written, never trusted, and their formats change without
//! notice. Records that are not recognized are counted by kind and skipped. This layer neither
//! judges nor stores sessions.
#![expect(clippy::disallowed_methods, reason = "reads the logs of other programs")]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod cass;
pub(crate) mod database;
pub(crate) mod document;
pub(crate) mod emitter;
pub(crate) mod error;
pub(crate) mod file_uri;
pub(crate) mod json_object;
pub(crate) mod lenient;
pub(crate) mod line_reader;
pub(crate) mod locations;
pub(crate) mod log_cursor;
pub(crate) mod read_result;
mod rejected_calls;
mod repair_json;
pub(crate) mod sink;
pub(crate) mod source;
mod table;
mod tally;
pub mod uploaded;

pub use error::IngestError;
pub use locations::{HostPlatform, LogLocations};
pub use log_cursor::LogCursor;
pub use read_result::{IngestLimits, ReadResult, ReadStart};
pub use sink::{EventSink, SkipReason};
pub use source::{FoundLogs, LogFormat, LogSource};
pub use table::{find, read, read_bytes, read_recent};
pub use tally::RecordCounts;
