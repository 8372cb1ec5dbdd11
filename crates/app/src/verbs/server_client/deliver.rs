//! The work of hooks that call a server for which no agent waits: queue what a session contains,
//! deliver what waits, and update the copy of MEMORY.md.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::context::request::Request;
use crate::context::secrets;
use crate::error::{Error, ErrorKind, Result};
use crate::verbs::server_client::api::{CallFailure, ServerApi};
use crate::verbs::server_client::connection::ServerConnection;
use crate::verbs::server_client::incomplete::IncompleteSessions;
use crate::verbs::server_client::memory_copy;
use crate::verbs::server_client::outbox::{Outbox, OutboxItem};
use crate::verbs::server_client::reachability::{self, Outage};
use crate::verbs::server_client::session_upload::{
    self, PlannedUpload, SessionLog, SessionReference, UploadProgress,
};
use cm_store::config::{Settings, keys};

/// Timeout of one upload. Nobody waits for it.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(20);
/// Time after which a process begins no further upload.
const MAX_DELIVERY_TIME: Duration = Duration::from_secs(60);

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
    /// remaining work is still done where that is possible. A server that does not answer is a
    /// failure only where an outage begins, and a full outbox only for a session that was complete.
    pub fn run(&self, request: &Request, connection: &ServerConnection) -> Result<()> {
        let uploads = Uploads::of(request, connection)?;
        let queued = self.session.as_ref().map(|session| uploads.queue(session)).transpose();
        let rest = self.deliver(&uploads);
        match (&self.session, queued?.is_some_and(|queued| queued.begins_to_wait)) {
            // It was completed if there was room meanwhile.
            (Some(session), true) if uploads.incomplete.contains(session)? => {
                let message = format!(
                    "the outbox is full, so that a part of session {} waits in its log",
                    session.session
                );
                Err(Error::new(ErrorKind::Failed, "outbox-full", message))
            }
            _ => rest,
        }
    }

    /// Delivers what waits, and updates the copy of MEMORY.md.
    fn deliver(&self, uploads: &Uploads<'_>) -> Result<()> {
        let Uploads { request, connection, .. } = uploads;
        let is_away = || Outage::of(connection).is_some_and(|outage| outage.is_recent(request.now));
        if is_away() && !self.refresh_memory {
            return Ok(());
        }
        let name = self.session.as_ref().map(|session| session.session.as_str());
        let api = ServerApi::new(connection, request, &self.agent, name)?;
        let end = (request.clock)() + MAX_DELIVERY_TIME.as_millis() as u64;
        let sent = uploads.send(&api, DeliveryWait::None, || (request.clock)() < end)?;
        let (delivered, answers) = match sent.failure {
            None => (Ok(()), true),
            Some(UploadsFailure { failure, is_new, answers }) => {
                (if is_new { Err(failure.into()) } else { Ok(()) }, answers)
            }
        };
        if !self.refresh_memory || !answers || delivered.is_err() {
            return delivered;
        }
        match memory_copy::refresh(connection, &api) {
            Ok(()) => {
                reachability::record_answer(connection);
                Ok(())
            }
            // The hook that the agent waited for has logged it.
            Err(_) if is_away() => Ok(()),
            failed => failed,
        }
    }
}

/// Sends what waits for the server, also what a session has more than the outbox holds, until nothing
/// waits or the server does not take it. What waits for the server `former` is sent as well, and with
/// `with_refused` what this server refused before.
///
/// # Errors
/// The user's own settings are not valid, and private files that cannot be read or written.
pub fn deliver_all(
    request: &Request,
    connection: &ServerConnection,
    with_refused: bool,
    former: Option<&Outbox>,
) -> Result<SentUploads> {
    let uploads = Uploads::of(request, connection)?;
    let api = ServerApi::with(connection, request, None, None)?;
    if let Some(former) = former {
        uploads.outbox.queue_turn()?.add_from(former)?;
    }
    if with_refused {
        uploads.outbox.queue_turn()?.add_refused()?;
    }
    uploads.send(&api, DeliveryWait::Turn, || true)
}

/// Asks the server for the copy of MEMORY.md if it failed before, or with `is_unasked`, since with nothing to
/// send it was not asked anything. Returns why it fails; `None` if it answers.
///
/// # Errors
/// The user's own settings are not valid.
pub fn lasting_outage(
    request: &Request,
    connection: &ServerConnection,
    is_unasked: bool,
) -> Result<Option<String>> {
    let is_failing = Outage::of(connection).is_some();
    if !is_failing && !is_unasked {
        return Ok(None);
    }
    let api = ServerApi::with(connection, request, None, None)?;
    if !is_failing {
        let failure = api.memory_md(memory_copy::COPY_TIMEOUT).err();
        return Ok(failure.map(|failure| {
            reachability::record_failure(connection, request.now, &failure.cause, false);
            failure.cause
        }));
    }
    match memory_copy::refresh(connection, &api) {
        Ok(()) => {
            reachability::record_upload(connection);
            Ok(None)
        }
        Err(error) => Ok(Some(error.message)),
    }
}

/// Result of sending what waits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SentUploads {
    /// Number of uploads that the server accepted.
    pub delivered: usize,
    /// Number of uploads that were set aside.
    pub set_aside: usize,
    /// Why the server did not take an upload; `None` if it took or finally refused each.
    pub failure: Option<UploadsFailure>,
}

/// Why the server did not take an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadsFailure {
    pub failure: CallFailure,
    /// Whether an outage begins with it.
    pub is_new: bool,
    /// Whether the server answers other requests.
    pub answers: bool,
}

/// Result of adding the new parts of a session to the outbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct QueueResult {
    /// Number of uploads.
    added: usize,
    /// Whether a part has no room.
    has_no_room: bool,
    /// Whether a part has no room, and all had before.
    begins_to_wait: bool,
}

/// Whether to wait while another process delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeliveryWait {
    /// Leave the delivery to it.
    None,
    /// Wait for the turn.
    Turn,
}

/// The uploads of one server, and the settings that restrict them.
struct Uploads<'a> {
    request: &'a Request,
    connection: &'a ServerConnection,
    settings: Settings,
    outbox: Outbox,
    incomplete: IncompleteSessions,
}

impl<'a> Uploads<'a> {
    /// # Errors
    /// The user's own settings are not valid.
    fn of(request: &'a Request, connection: &'a ServerConnection) -> Result<Self> {
        Ok(Self {
            request,
            connection,
            settings: connection.settings(request)?,
            outbox: Outbox::of(&connection.private),
            incomplete: IncompleteSessions::of(&connection.private),
        })
    }

    /// Adds what is new in a session to the outbox, and records whether there was room for all.
    fn queue(&self, wanted: &SessionReference) -> Result<QueueResult> {
        let Self { request, connection, settings, outbox, incomplete } = self;
        if settings.flag(keys::HOOKS_CAPTURE) == Some(false) {
            return Ok(QueueResult::default());
        }
        let rules = secrets::rules_for_server(settings, request)?;
        // Held while the log is read: an older reading than the progress would look like a log written anew.
        let turn = outbox.queue_turn()?;
        let found = match session_upload::read(request, connection, settings, &rules, wanted)? {
            SessionLog::Sendable(found) => found,
            SessionLog::Withheld => {
                incomplete.remove(wanted)?;
                return Ok(QueueResult::default());
            }
            // Another delivery may find it, such as one of the session's own project.
            SessionLog::Unavailable => return Ok(QueueResult::default()),
        };
        let progress = UploadProgress::of(connection, &wanted.session);
        let planned = session_upload::plan(&found, &progress, request.now);
        let items: Vec<OutboxItem> = planned.iter().map(|upload| upload.item.clone()).collect();
        let added = turn.add(&items)?;
        if let Some(PlannedUpload { progress, .. }) = planned.iter().take(added).next_back() {
            progress.store(connection, &wanted.session)?;
        }
        if added < items.len() {
            return Ok(QueueResult { added, has_no_room: true, begins_to_wait: incomplete.add(wanted)? });
        }
        incomplete.remove(wanted)?;
        Ok(QueueResult { added, ..QueueResult::default() })
    }

    /// Queues the rest of incomplete sessions while the outbox has room. Returns the number of uploads.
    fn queue_incomplete(&self) -> Result<usize> {
        let mut added = 0;
        for session in self.incomplete.all()? {
            // A log that cannot be read now is tried again by the next delivery.
            let Ok(queued) = self.queue(&session) else { continue };
            added += queued.added;
            if queued.has_no_room {
                break;
            }
        }
        Ok(added)
    }

    /// Sends what waits, including what others queue meanwhile and the rest of incomplete sessions, as long
    /// as further uploads may begin.
    fn send(&self, api: &ServerApi, wait: DeliveryWait, may_begin: impl Fn() -> bool) -> Result<SentUploads> {
        let Self { request, connection, outbox, .. } = self;
        let mut sent = SentUploads::default();
        // A process that queues during a delivery leaves its uploads to it.
        while may_begin() && (outbox.size()?.items > 0 || self.queue_incomplete()? > 0) {
            let turn = match wait {
                DeliveryWait::None => outbox.delivery_turn()?,
                DeliveryWait::Turn => Some(outbox.wait_for_delivery_turn()?),
            };
            let Some(turn) = turn else { return Ok(sent) };
            let delivery = turn.deliver(|item| api.send(item, DELIVERY_TIMEOUT), &may_begin, request.now)?;
            drop(turn);
            sent.delivered += delivery.delivered;
            sent.set_aside += delivery.set_aside;
            let is_refusal = delivery.failure.as_ref().is_some_and(|failure| failure.refusal.is_some());
            if delivery.delivered + delivery.set_aside > 0 && !is_refusal {
                reachability::record_upload(connection);
            }
            if let Some(failure) = delivery.failure {
                // Prompts find out themselves if the server answers nothing any more.
                let answered = || Outage::of(connection).is_some_and(|outage| outage.is_read_only);
                let answers =
                    failure.refuses_uploads_only() || is_refusal && (delivery.delivered > 0 || answered());
                let is_new = reachability::record_failure(connection, request.now, &failure.cause, answers);
                sent.failure = Some(UploadsFailure { failure, is_new, answers });
                return Ok(sent);
            }
        }
        if outbox.size()?.items == 0 {
            reachability::record_nothing_waits(connection);
        }
        Ok(sent)
    }
}
