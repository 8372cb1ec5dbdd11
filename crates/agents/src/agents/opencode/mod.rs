//! opencode: session logs, the plugin that calls cm, commands and MCP server.

mod hooks;
mod log;
pub mod plugin;

pub struct Opencode;
