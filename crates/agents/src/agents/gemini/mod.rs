//! Gemini CLI: session logs, hooks, commands and MCP server.

mod hooks;
mod log;

/// Support for this agent.
pub struct Gemini;
