//! Sends what waits for the team server that the hooks of this folder call, when a person wants it.
//!
//! Hooks do the same in the background.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::request::Request;
use crate::error::{Error, ErrorKind, Result};
use crate::verbs::server_client::connection::ServerConnection;
use crate::verbs::server_client::deliver::deliver_all;
use crate::verbs::server_client::outbox::Outbox;

/// Result of sending what waits for a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HooksDelivery {
    /// Address of the server.
    pub url: String,
    /// Number of uploads that the server accepted.
    pub delivered: usize,
    /// Number of uploads that it refused for good.
    pub refused: usize,
    /// Number of uploads that still wait.
    pub waiting: usize,
    /// Why they wait; null if none does.
    pub failure: Option<String>,
}

/// Sends what waits. With `with_refused`, what the server refused before is sent again.
///
/// # Errors
/// No server is called in this folder, the user's own settings are not valid, and private files that
/// cannot be read or written.
pub fn deliver(call: &Request, with_refused: bool) -> Result<HooksDelivery> {
    let connection = ServerConnection::of_call(call)?.ok_or_else(|| {
        Error::new(ErrorKind::NothingDone, "no-server", "the hooks of this folder call no server")
            .hint("`cm hooks install --server URL` connects them to one")
    })?;
    let sent = deliver_all(call, &connection, with_refused)?;
    Ok(HooksDelivery {
        url: connection.url.to_string(),
        delivered: sent.delivered,
        refused: sent.set_aside,
        waiting: Outbox::of(&connection.private).size()?.items,
        failure: sent.failure.map(|failed| failed.failure.cause),
    })
}
