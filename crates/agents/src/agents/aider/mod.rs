//! Aider: chat histories in Markdown.

mod log;

pub struct Aider;
