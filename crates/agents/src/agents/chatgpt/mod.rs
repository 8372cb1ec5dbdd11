//! ChatGPT: exports of conversations.

mod log;

/// Support for this agent.
pub struct Chatgpt;
