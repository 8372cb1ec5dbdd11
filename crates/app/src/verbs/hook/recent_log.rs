//! Reads the recent part of a session's log for a hook.

use crate::context::open::Context;
use crate::context::secrets;
use crate::error::Result;
use crate::sessions::access_log::{self, SessionRead};
use crate::sessions::logs::{self, ParsedSession};
use crate::sessions::sources::sources;
use cm_agents::hook::HookMessage;
use cm_agents::ingest::LogSource;
use cm_learn::statement::refused_calls;
use cm_note::bullet::content::fold_whitespace;
use cm_session::event::{EventKind, SessionEvent};

/// Number of bytes at the end of a log that a hook reads.
const RECENT_BYTES: u64 = 384 << 10;

/// Reads the recent part of the agent's log, redacted; `None` if the message names no log, or the log
/// cannot or may not be read.
///
/// # Errors
/// An invalid redaction pattern.
pub(super) fn recent_session(context: &Context, message: &HookMessage) -> Result<Option<ParsedSession>> {
    let path = message.transcript.as_deref().filter(|_| super::may_capture(context));
    let Some(source) = path.and_then(|path| LogSource::of_file(message.agent.agent(), path)) else {
        return Ok(None);
    };
    let Some(sources) = sources(context, None) else { return Ok(None) };
    let Ok(found) = logs::recent_of_source(&source, RECENT_BYTES) else { return Ok(None) };
    let is_own = |found: &ParsedSession| {
        message.session.as_deref() == Some(found.meta.id.as_str()) && sources.allow(&source, &found.meta)
    };
    let Some(found) = found.into_iter().find(is_own) else { return Ok(None) };
    let read = SessionRead {
        sessions: vec![found.meta.id.clone()],
        bytes: found.bytes(),
        ..SessionRead::of_log(found.meta.agent, found.path.to_string_lossy().into_owned())
    };
    access_log::record(context, vec![read]);
    let rules = secrets::rules_of_logs(context, context.target())?.0;
    Ok(Some(found.redacted(&rules)))
}

/// Returns the call that the person refused last, if the agent did nothing since.
pub(super) fn pending_refusal(events: &[SessionEvent], prompt: &str) -> Option<String> {
    let refused = refused_calls(events);
    let last = refused.last()?;
    let called_at = events
        .iter()
        .rev()
        .find(|event| !event.side && matches!(event.kind, EventKind::ToolCall { .. }))
        .map_or(0, |event| event.line);
    // The log may have the prompt already.
    let waits = last.words.as_deref().is_none_or(|words| fold_whitespace(words) == fold_whitespace(prompt));
    (waits && called_at <= last.line).then(|| last.call.text().to_owned())
}
