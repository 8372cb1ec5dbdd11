//! GitHub Copilot CLI: session logs, hooks, skills and MCP server.

mod hooks;
mod log;

pub struct CopilotCli;
