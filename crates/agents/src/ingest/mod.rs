//! Agents' logs as sessions: where they lie, and what they tell, in one model for all agents.
//!
//! Logs are foreign data: they are read, never written, never believed, and their forms change without notice. What is
//! not understood is counted by name and costs only itself. Nothing here judges a session or keeps what it read.
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
pub use error::Error;
pub use places::{Places, Platform};
pub use position::Cursor;
pub use reading::{Limits, Progress, Reading};
pub use sink::{Sink, Skip};
pub use source::{Format, Found, Source};
pub use tally::Tally;
