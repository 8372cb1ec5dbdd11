//! Aider: chat histories in Markdown.

mod log;

/// Support for this agent.
pub struct Aider;
