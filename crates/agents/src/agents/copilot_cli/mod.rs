//! GitHub Copilot CLI: session logs.

mod log;

/// Support for this agent.
pub struct CopilotCli;
