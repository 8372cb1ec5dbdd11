//! Claude Code: session logs in JSON Lines, hooks, skills and MCP server.

pub mod hooks;
mod log;
pub mod log_folder;

pub struct ClaudeCode;
