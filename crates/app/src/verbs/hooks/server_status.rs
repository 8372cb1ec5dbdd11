//! State of the team servers that the hooks of a folder call: what waits, and what was refused.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::HookFailure;
use super::status::MAX_SHOWN_FAILURES;
use crate::context::request::Request;
use crate::error::Result;
use crate::verbs::server_client::connection::{ServerConnection, TokenOrigin};
use crate::verbs::server_client::incomplete::IncompleteSessions;
use crate::verbs::server_client::outbox::{Outbox, OutboxItem, RefusedItem};
use crate::verbs::server_client::reachability::Outage;
use cm_agents::hook::failure::FailureLogLine;
use cm_store::vault::json_lines::JsonLinesFile;

/// A team server that hooks call, and the uploads that wait for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ServerState {
    /// Address of the server.
    pub url: String,
    /// Root of the project; null for all folders without a memory of their own.
    pub folder: Option<String>,
    /// Whether the hooks of this folder call the server.
    pub is_used: bool,
    /// Source of the token.
    pub token: TokenOrigin,
    /// File in the project that is a copy of the server's MEMORY.md.
    pub memory_file: Option<String>,
    /// Number of uploads that wait.
    pub waiting: usize,
    /// Size of the uploads that wait, in bytes.
    pub waiting_bytes: u64,
    /// Number of sessions of which a part waits in its log until the outbox has room.
    pub incomplete: usize,
    /// Time at which the oldest waiting upload was added, as RFC 3339.
    pub oldest: Option<String>,
    /// Time since which the server does not answer or refuses uploads, as RFC 3339; null if its last
    /// answer was good.
    pub failing_since: Option<String>,
    /// Cause of the last failure; null if the last answer was good.
    pub cause: Option<String>,
    /// Uploads that the server will never accept or always fails at, latest first.
    pub refused: Vec<RefusedUpload>,
    /// Number of refused uploads, including those that are not listed.
    pub refused_total: usize,
    /// The latest failures of hooks that call this server, newest first.
    pub failures: Vec<HookFailure>,
}

/// An upload that the server rejected permanently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RefusedUpload {
    /// Time of the refusal, as RFC 3339.
    pub at: String,
    /// `sessions` or `feedback`; empty if the file was damaged.
    pub kind: String,
    /// Session that it was about; empty if the file was damaged.
    pub session: String,
    /// The server's reason.
    pub reason: String,
}

/// Reports the servers that apply to a project and to all folders.
///
/// # Errors
/// Private files that cannot be read.
pub(super) fn servers(request: &Request, project: Option<&Path>) -> Result<Vec<ServerState>> {
    let Some(home) = &request.private else { return Ok(Vec::new()) };
    let project = project.map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
    let used = ServerConnection::of_request(request)?.map(|open| open.stored());
    let open = ServerConnection::all_for(home, project.as_deref())?;
    open.iter().map(|open| state(request, open, used.as_ref() == Some(&open.stored()))).collect()
}

/// Reports the server that the hooks of the request's folder call; `None` if there is none.
///
/// # Errors
/// Private files that cannot be read.
pub fn used_server(request: &Request) -> Result<Option<ServerState>> {
    ServerConnection::of_request(request)?.map(|open| state(request, &open, true)).transpose()
}

fn state(request: &Request, open: &ServerConnection, is_used: bool) -> Result<ServerState> {
    let outbox = Outbox::of(&open.private);
    let size = outbox.size()?;
    let outage = Outage::of(open);
    let mut refused = outbox.refused()?;
    refused.reverse();
    let refused_total = refused.len();
    let (mut failures, _) = JsonLinesFile::of_server_hooks(&open.private).read::<FailureLogLine>()?;
    failures.reverse();
    Ok(ServerState {
        url: open.url.to_string(),
        folder: open.folder.as_ref().map(|folder| folder.display().to_string()),
        is_used,
        token: open.token(request)?.1,
        memory_file: open.memory_file.clone(),
        waiting: size.items,
        waiting_bytes: size.bytes,
        incomplete: IncompleteSessions::of(&open.private).count()?,
        oldest: outbox.oldest()?.map(|item| item.at.to_string()),
        failing_since: outage.as_ref().map(|outage| outage.since.to_string()),
        cause: outage.map(|outage| outage.cause),
        refused: refused.into_iter().take(MAX_SHOWN_FAILURES).map(RefusedUpload::of).collect(),
        refused_total,
        failures: failures.into_iter().take(MAX_SHOWN_FAILURES).map(HookFailure::of).collect(),
    })
}

impl RefusedUpload {
    fn of(refused: RefusedItem) -> Self {
        let (kind, session) = match refused.item {
            Some(OutboxItem { endpoint, session, .. }) => (endpoint.name().to_owned(), session),
            None => (String::new(), String::new()),
        };
        Self { at: refused.at.to_string(), kind, session, reason: refused.reason }
    }
}
