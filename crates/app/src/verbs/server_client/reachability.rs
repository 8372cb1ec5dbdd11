//! Remembers that a server did not answer, so that the next prompts do not wait for it.

use serde::{Deserialize, Serialize};

use crate::verbs::server_client::connection::ServerConnection;
use cm_note::instant::Instant;

/// Name of the private file; it exists while the server is away.
const FILE: &str = "away.json";
/// Seconds after a failure for which prompts do not try again.
const PAUSE_SECONDS: i64 = 30;

/// A failure of the server that lasts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// Time of the first failure.
    pub since: Instant,
    /// Time of the last failure.
    pub last: Instant,
    /// Cause of the last failure.
    pub cause: String,
    /// Whether the server answers and only refuses uploads, for example because the token can only read.
    #[serde(default)]
    pub is_read_only: bool,
}

impl Outage {
    /// Reads the outage of a server; `None` if its last answer was good.
    pub fn of(connection: &ServerConnection) -> Option<Self> {
        let private = &connection.private;
        private.read_json(&private.state().join(FILE)).ok().flatten()
    }

    /// Whether the last failure is so recent that a prompt should not wait for another.
    pub fn is_recent(&self, now: Instant) -> bool {
        !self.is_read_only && (0..PAUSE_SECONDS).contains(&(now.unix() - self.last.unix()))
    }
}

/// Stores a failure. Returns whether it begins an outage. `is_read_only`: the server answers other
/// requests.
pub fn record_failure(connection: &ServerConnection, now: Instant, cause: &str, is_read_only: bool) -> bool {
    let earlier = Outage::of(connection).filter(|outage| outage.is_read_only == is_read_only);
    let since = earlier.as_ref().map_or(now, |outage| outage.since);
    let outage = Outage { since, last: now, cause: cause.to_owned(), is_read_only };
    let private = &connection.private;
    // A state folder that cannot be written costs only time.
    let _ = private.write_json_unsynced(&private.state().join(FILE), &outage);
    earlier.is_none()
}

/// Ends an outage after an answer; one of uploads only after an upload.
pub fn record_answer(connection: &ServerConnection) {
    if Outage::of(connection).is_some_and(|outage| !outage.is_read_only) {
        record_upload(connection);
    }
}

/// Ends an outage that concerned uploads only, once no upload waits.
pub fn record_nothing_waits(connection: &ServerConnection) {
    if Outage::of(connection).is_some_and(|outage| outage.is_read_only) {
        record_upload(connection);
    }
}

/// Ends an outage after an upload.
pub fn record_upload(connection: &ServerConnection) {
    let private = &connection.private;
    let _ = private.remove(&private.state().join(FILE));
}
