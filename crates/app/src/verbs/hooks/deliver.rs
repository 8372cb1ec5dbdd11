//! Sends what waits for the team server that the hooks of this folder call, when a person wants it.
//!
//! Hooks do the same in the background.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::actor;
use crate::context::request::Request;
use crate::error::{Error, ErrorKind, Result};
use crate::verbs::server_client::connection::ServerConnection;
use crate::verbs::server_client::deliver::{deliver_all, lasting_outage};
use crate::verbs::server_client::former_server::{FormerServer, former_outbox, former_servers};
use crate::verbs::server_client::outbox::Outbox;

/// Result of sending what waits for a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HooksDelivery {
    /// Address of the server.
    pub url: String,
    /// Number of uploads that the server accepted.
    pub delivered: usize,
    /// Number of uploads that it rejected permanently.
    pub refused: usize,
    /// Number of uploads that still wait.
    pub waiting: usize,
    /// Why the server takes no uploads; null if it does.
    pub failure: Option<String>,
    /// Servers that no folder calls any more, and for which uploads wait.
    pub former: Vec<FormerServer>,
}

/// Sends what waits. With `with_refused`, what the server refused before is sent again. With `from`, the
/// server also gets what waits for a former one, given by its name in `cm hooks status` or its address.
///
/// # Errors
/// No server is called in this folder, the former server is unknown or an agent names it, the user's own
/// settings are not valid, and private files that cannot be read or written.
pub fn deliver(request: &Request, with_refused: bool, from: Option<&str>) -> Result<HooksDelivery> {
    if from.is_some() && !request.caller.is_person() {
        return Err(actor::persons_only_error(
            "choose the server that receives sessions",
            "run `cm hooks deliver --from NAME` in your own terminal",
        ));
    }
    let connection = ServerConnection::of_request(request)?.ok_or_else(|| {
        Error::new(ErrorKind::NothingDone, "no-server", "the hooks of this folder call no server")
            .hint("`cm hooks install --server URL` connects them to one")
    })?;
    let former = match (from, &request.private) {
        (Some(name), Some(home)) => Some(former_outbox(home, name)?),
        _ => None,
    };
    let sent = deliver_all(request, &connection, with_refused, former.as_ref())?;
    let failure = match sent.failure {
        Some(failed) => Some(failed.failure.cause),
        None => lasting_outage(request, &connection, sent.delivered + sent.set_aside == 0)?,
    };
    let former = request.private.as_ref().map(former_servers).transpose()?.unwrap_or_default();
    Ok(HooksDelivery {
        url: connection.url.to_string(),
        delivered: sent.delivered,
        refused: sent.set_aside,
        waiting: Outbox::of(&connection.private).size()?.items,
        failure,
        former,
    })
}
