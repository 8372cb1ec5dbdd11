//! Runs one call: waits for a permit, opens the vault on a separate thread, reports progress, and
//! supports cancellation.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::mpsc;
use tokio::task::JoinError;

use super::server::{CallContext, McpServer};
use crate::operations::{AccessRole, Caller};
use crate::serving::Saturated;
use cm_app::server_audit::{AuditRecord, Surface};
use cm_app::{CallerIdentity, Context, Error, ErrorKind, ProgressStep, ProgressWatch, Result};
use cm_note::user_text::Interface;
use serde_json::Value;

/// Capacity of the progress channel; steps beyond it are dropped.
const PROGRESS_CAPACITY: usize = 16;
/// Delay before the first progress message of a silent call.
const FIRST_WORD: Duration = Duration::from_secs(1);

/// The client cancelled the request; the response is never sent.
#[derive(Debug)]
pub(super) struct Cancelled;

impl From<Cancelled> for ErrorData {
    fn from(_: Cancelled) -> Self {
        Self::internal_error("cancelled", None)
    }
}

/// An operation, or another request that opens the vault.
pub(super) struct CallWork<F, T> {
    /// Name in the audit log.
    pub name: &'static str,
    /// Required role.
    pub role: AccessRole,
    /// The function to run.
    pub run: F,
    /// Returns the JSON whose notes and sessions the audit log names, if there is one.
    pub audited: fn(&T) -> Option<&Value>,
}

impl<F, T> CallWork<F, T> {
    /// A request for readers; the audit log names no notes of it.
    pub fn read(name: &'static str, run: F) -> Self {
        Self { name, role: AccessRole::Reader, run, audited: |_| None }
    }
}

/// Runs work with the vault of the caller.
///
/// # Errors
/// The outer error means cancelled; the inner one is a refusal or failure of the operation.
pub(super) async fn run<T: Send + 'static>(
    server: &McpServer,
    request_context: &RequestContext<RoleServer>,
    work: CallWork<impl FnOnce(&Context) -> Result<T> + Send + 'static, T>,
) -> std::result::Result<Result<T>, Cancelled> {
    let Some(caller) = server.caller(request_context) else { return Ok(Err(unknown())) };
    let (audit, attempt) = (server.audit(), caller.attempt(Surface::Mcp, work.name));
    if let Err(refused) = caller.require_role(work.role) {
        return Ok(AuditRecord::begin(audit, attempt).end(Err(refused)));
    }
    let key = caller.token.clone().unwrap_or_default();
    // Over this protocol it is an agent that calls, whoever started it.
    let identity = CallerIdentity {
        kind: caller.identity.kind.lowered_to_agent(),
        interface: Interface::Mcp,
        ..caller.identity
    };
    let permit = tokio::select! {
        permit = server.calls().acquire(&key) => match permit {
            Ok(permit) => permit,
            Err(saturated) => return Ok(Err(busy(saturated))),
        },
        () = request_context.ct.cancelled() => return Err(Cancelled),
    };
    let (watch, steps) = watch(request_context);
    let job = tokio::task::spawn_blocking({
        let opener = Arc::clone(server.opener());
        let watch = watch.clone();
        move || {
            // The permit is returned when the work ends, not when nobody waits for it any more.
            let _permit = permit;
            let mut record = AuditRecord::begin(audit, attempt);
            let run = || {
                let context = opener(CallContext { caller: identity, watch })?;
                let context = if work.role == AccessRole::Reader { context.allow_lag() } else { context };
                (work.run)(&context).map_err(|error| context.request.conceal(error))
            };
            let result = run();
            if let Some(json) = result.as_ref().ok().and_then(work.audited) {
                record.answered(json);
            }
            record.end(result)
        }
    });
    let _left = CancelOnDrop(watch);
    let progress_sender = ProgressSender {
        peer: &request_context.peer,
        token: request_context.meta.get_progress_token(),
        last: None,
    };
    tokio::select! {
        ended = wait_with_progress(job, steps, progress_sender) => Ok(ended),
        () = request_context.ct.cancelled() => Err(Cancelled),
        () = tokio::time::sleep(server.limits().call) => Ok(Err(too_long(server.limits().call))),
    }
}

/// Cancels the work when dropped, because nothing waits for its result.
struct CancelOnDrop(ProgressWatch);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn unknown() -> Error {
    Error::forbidden("the caller is unknown").hint("send a valid token")
}

fn busy(saturated: Saturated) -> Error {
    let error = Error::new(ErrorKind::Failed, "busy", saturated.to_string());
    error.hint("try again in a moment; nothing was changed")
}

/// The progress handle of an operation and its receiver; `None` if the client requested no
/// progress.
fn watch(
    request_context: &RequestContext<RoleServer>,
) -> (ProgressWatch, Option<mpsc::Receiver<ProgressStep>>) {
    if request_context.meta.get_progress_token().is_none() {
        return (ProgressWatch::default(), None);
    }
    let (sender, steps) = mpsc::channel(PROGRESS_CAPACITY);
    let watch = ProgressWatch::with_listener(move |step| {
        // Who listens too slowly misses a step and hears the next.
        let _ = sender.try_send(step);
    });
    (watch, Some(steps))
}

/// Waits for the work and forwards its progress.
async fn wait_with_progress<T>(
    mut job: tokio::task::JoinHandle<Result<T>>,
    mut steps: Option<mpsc::Receiver<ProgressStep>>,
    mut progress_sender: ProgressSender<'_>,
) -> Result<T> {
    let mut first_word = std::pin::pin!(tokio::time::sleep(FIRST_WORD));
    let mut silent = steps.is_some();
    let ended = loop {
        let step = async {
            match &mut steps {
                Some(steps) => steps.recv().await,
                None => None,
            }
        };
        tokio::select! {
            biased;
            Some(step) = step => {
                silent = false;
                progress_sender.notify(step).await;
            }
            ended = &mut job => break ended,
            () = &mut first_word, if silent => {
                silent = false;
                progress_sender.notify(ProgressStep { done: 0.0, total: None, message: "at work".to_owned() }).await;
            }
        }
    };
    while let Some(step) = steps.as_mut().and_then(|steps| steps.try_recv().ok()) {
        progress_sender.notify(step).await;
    }
    ended.unwrap_or_else(|error| Err(broken(&error)))
}

/// Sends progress messages, whose values must increase.
struct ProgressSender<'a> {
    peer: &'a Peer<RoleServer>,
    token: Option<ProgressToken>,
    last: Option<f64>,
}

impl ProgressSender<'_> {
    async fn notify(&mut self, step: ProgressStep) {
        let Some(token) = &self.token else { return };
        if !step.done.is_finite() || self.last.is_some_and(|last| step.done <= last) {
            return;
        }
        self.last = Some(step.done);
        let mut progress =
            ProgressNotificationParam::new(token.clone(), step.done).with_message(step.message);
        progress.total = step.total;
        // A client that is gone needs no progress.
        let _ = self.peer.notify_progress(progress).await;
    }
}

fn too_long(limit: Duration) -> Error {
    let message = format!("cancelled after {} s", limit.as_secs());
    Error::new(ErrorKind::Failed, "too-long", message).hint("request less at once")
}

fn broken(error: &JoinError) -> Error {
    let message = match error.is_panic() {
        true => "the operation panicked; this is a bug in cm",
        false => "the server is shutting down",
    };
    Error::new(ErrorKind::Failed, "internal", message).hint("try again; the server keeps running")
}

/// The caller with the client's name as agent, unless the agent is already known.
pub(super) fn with_client_agent(mut caller: Caller, client: Option<&str>) -> Caller {
    let identity = &mut caller.identity;
    if identity.agent.is_none() {
        identity.agent = client.map(plain).filter(|name| !name.is_empty());
    }
    caller
}

/// A client's name restricted to safe characters, for commit messages.
fn plain(name: &str) -> String {
    const MAX_NAME_CHARS: usize = 64;
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "-_./@+ ".contains(*c);
    name.chars().filter(is_plain).take(MAX_NAME_CHARS).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_cannot_write_a_line_of_its_own_into_the_history() {
        let signed = |name| with_client_agent(Caller::local(), Some(name)).identity.agent;
        assert_eq!(signed("claude-code").as_deref(), Some("claude-code"));
        assert_eq!(signed("evil\nCm-Actor: Ada\u{202e}").as_deref(), Some("evilCm-Actor Ada"));
        assert_eq!(signed(" \u{0} "), None);
        assert_eq!(signed(&"x".repeat(1000)).map(|name| name.len()), Some(64));
    }
}
