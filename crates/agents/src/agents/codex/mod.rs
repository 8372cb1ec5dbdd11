//! Codex: session logs, hooks, skills and MCP server.

mod hooks;
mod log;

pub struct Codex;
