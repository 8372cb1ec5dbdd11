//! Gemini CLI: session logs, hooks, commands and MCP server.

mod hooks;
mod log;

pub struct Gemini;
