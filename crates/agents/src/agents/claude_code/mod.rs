//! Claude Code: session logs in JSON Lines, hooks, skills and MCP server.

pub(crate) mod hooks;
mod log;
pub mod log_folder;

pub struct ClaudeCode;
