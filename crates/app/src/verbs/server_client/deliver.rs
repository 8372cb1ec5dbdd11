//! The work of hooks that call a server for which no agent waits: queue what a session contains,
//! deliver what waits, and update the copy of MEMORY.md.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::context::request::Request;
use crate::context::secrets;
use crate::error::{Error, ErrorKind, Result};
use crate::verbs::server_client::api::ServerApi;
use crate::verbs::server_client::connection::ServerConnection;
use crate::verbs::server_client::memory_copy;
use crate::verbs::server_client::outbox::{Outbox, OutboxItem};
use crate::verbs::server_client::reachability::{self, Outage};
use crate::verbs::server_client::session_upload::{self, PlannedUpload, SessionReference, UploadProgress};
use cm_store::config::{Settings, keys};

/// Timeout of one upload. Nobody waits for it.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Time after which a process begins no further upload.
const LONGEST: Duration = Duration::from_secs(60);

/// The task, as the hook passes it to its background process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryTask {
    /// Name of the agent whose hook starts the task.
    pub agent: String,
    /// Session whose log is read.
    pub session: Option<SessionReference>,
    /// Whether to update the copy of MEMORY.md.
    pub refresh_memory: bool,
}

impl DeliveryTask {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.session.is_none() && !self.refresh_memory
    }

    /// Runs the task. During an outage, uploads are only queued, except at the start and the end of a
    /// session.
    ///
    /// # Errors
    /// The user's own settings are not valid, so that nothing is done. Else the first failure; the
    /// remaining work is done nevertheless, as far as it is possible. A server that does not answer is a
    /// failure only where an outage begins.
    pub fn run(&self, call: &Request, connection: &ServerConnection) -> Result<()> {
        let settings = connection.settings(call)?;
        let outbox = Outbox::of(&connection.private);
        let queue = |session| queue(call, connection, &settings, &outbox, session);
        let queued = self.session.as_ref().map_or(Ok(()), queue);
        let is_away = Outage::of(connection).is_some_and(|outage| outage.is_recent(call.now));
        if is_away && !self.refresh_memory {
            return queued;
        }
        let name = self.session.as_ref().map(|session| session.session.as_str());
        let api = ServerApi::new(connection, call, &self.agent, name)?;
        let delivered = deliver(call, connection, &outbox, &api);
        let refreshed = match (&delivered, self.refresh_memory) {
            (Ok(true), true) => memory_copy::refresh(connection, &api),
            _ => return queued.and(delivered.map(drop)),
        };
        match refreshed {
            Ok(()) => reachability::record_answer(connection),
            // The hook that the agent waited for has logged it.
            Err(_) if Outage::of(connection).is_some_and(|outage| outage.is_recent(call.now)) => {
                return queued;
            }
            Err(_) => {}
        }
        queued.and(delivered.map(drop)).and(refreshed)
    }
}

/// Adds what is new in a session to the outbox.
fn queue(
    call: &Request,
    connection: &ServerConnection,
    settings: &Settings,
    outbox: &Outbox,
    wanted: &SessionReference,
) -> Result<()> {
    if settings.flag(keys::HOOKS_CAPTURE) == Some(false) {
        return Ok(());
    }
    let rules = secrets::rules_for_server(settings, call)?;
    // Held while the log is read: an older reading than the progress would look like a log written anew.
    let turn = outbox.queue_turn()?;
    let Some(found) = session_upload::read(call, connection, settings, &rules, wanted)? else {
        return Ok(());
    };
    let progress = UploadProgress::of(connection, &wanted.session);
    let planned = session_upload::plan(&found, &progress, call.now);
    let items: Vec<OutboxItem> = planned.iter().map(|upload| upload.item.clone()).collect();
    let added = turn.add(&items)?;
    if let Some(PlannedUpload { progress, .. }) = planned.iter().take(added).next_back() {
        progress.store(connection, &wanted.session)?;
    }
    if added < items.len() {
        let message =
            format!("the outbox is full, so that a part of session {} waits in its log", wanted.session);
        return Err(Error::new(ErrorKind::Failed, "outbox-full", message));
    }
    Ok(())
}

/// Delivers what waits, also what others queue meanwhile, within a bounded time. Leaves it to another
/// process that delivers. Returns whether the server may answer.
fn deliver(call: &Request, connection: &ServerConnection, outbox: &Outbox, api: &ServerApi) -> Result<bool> {
    let end = (call.clock)() + LONGEST.as_millis() as u64;
    let may_begin = || (call.clock)() < end;
    // A process that queues during a delivery leaves its uploads to it.
    while outbox.size()?.items > 0 && may_begin() {
        let Some(turn) = outbox.delivery_turn()? else { break };
        let delivery = turn.deliver(|item| api.send(item, TIMEOUT), may_begin, call.now)?;
        drop(turn);
        let is_held_up = delivery.failure.as_ref().is_some_and(|failure| failure.refusal.is_some());
        if delivery.delivered > 0 && !is_held_up {
            reachability::record_upload(connection);
        }
        let Some(failure) = delivery.failure else { continue };
        let answers = failure.refuses_uploads_only();
        if reachability::record_failure(connection, call.now, &failure) {
            return Err(failure.into());
        }
        return Ok(answers);
    }
    Ok(true)
}
