//! The Model Context Protocol server, over standard streams and HTTP: tools, resources, prompts and
//! notifications.
//!
//! Tools and resources come from the catalog of `operations`. The server supports revision
//! 2026-07-28 and all earlier ones, and opens the vault for each call on a separate thread. It does
//! not use sampling: reflection is handed to the agent as a work package.

mod apps;
mod call;
mod change_feed;
mod complete;
mod error_response;
mod failure;
mod http;
mod http_batch;
mod limits;
mod line_transport;
mod prompts;
mod resources;
mod server;
mod session;
mod sessions;
mod stdio;
mod subscriptions;
mod tools;

#[cfg(test)]
mod tests;

pub use apps::PageReader;
pub use change_feed::{ChangeFeed, ChangedFile, WatcherStartGuard};
pub use http::{OriginPolicy, guarded};
pub use limits::McpLimits;
pub use line_transport::LineTransport;
pub use server::{CallContext, CallOpener, McpServer, McpSetup};
pub use session::McpSession;
pub use stdio::{serve, stdio};
