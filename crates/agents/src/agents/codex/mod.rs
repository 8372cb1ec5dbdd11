//! Codex: session logs, hooks, skills and MCP server.

mod hooks;
mod log;

/// Support for this agent.
pub struct Codex;
