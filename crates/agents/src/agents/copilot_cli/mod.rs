//! GitHub Copilot CLI: session logs.

mod log;

pub struct CopilotCli;
