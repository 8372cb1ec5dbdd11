//! The operations, and the servers that offer them: MCP and HTTP.

pub mod http;
pub mod mcp;
pub mod operations;
mod percent_decoding;
pub mod serving;
pub mod web;
