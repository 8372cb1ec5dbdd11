//! Cursor: the editor's databases, transcripts, chats, hooks, skills and MCP server.

pub(crate) mod hooks;
mod log;

pub struct Cursor;
