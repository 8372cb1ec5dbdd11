//! Cline and Roo Code: tasks and sessions.

mod log;

/// Support for this agent.
pub struct Cline;
