//! opencode: session logs, the plugin that calls cm, commands and MCP server.

mod hooks;
mod log;
pub mod plugin;

/// Support for this agent.
pub struct Opencode;
