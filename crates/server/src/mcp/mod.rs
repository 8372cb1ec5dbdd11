//! The server of the Model Context Protocol: what agents call, read and are told, over standard streams and HTTP.
//!
//! It holds no rule of the product: tools are the table of operations, resources the table of readers beside it.
//! It serves revision 2026-07-28 and all before it, and opens the memory anew for each call, in a thread of its own.
//! It asks no client for a model: what is to be reflected upon is handed to the agent as work.

mod callers;
mod changes;
mod complete;
mod failure;
mod http;
mod http_batch;
mod integers;
mod limits;
mod lines;
mod listening;
mod prompts;
mod refusal;
mod resources;
mod schema;
mod server;
mod session;
mod stdio;
mod tools;
mod work;

#[cfg(test)]
mod tests;

pub use changes::{Changed, Feed, Waking};
pub use http::{Guards, guarded};
pub use limits::Limits;
pub use lines::Lines;
pub use server::{Asked, Opener, Server, Setup};
pub use session::Session;
pub use stdio::{End, serve, stdio};
