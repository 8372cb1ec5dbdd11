//! ChatGPT: exports of conversations.

mod log;

pub struct Chatgpt;
