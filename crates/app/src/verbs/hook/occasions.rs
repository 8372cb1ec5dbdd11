//! Finds what happened to tool calls in a session that may be worth recording: calls that the person
//! refused, and failures that ended.

use super::signals::{Signal, SignalCause};
use crate::context::open::Context;
use crate::context::secrets;
use crate::error::Result;
use crate::sessions::access_log::{self, SessionRead};
use crate::sessions::logs::{self, ParsedSession};
use crate::sessions::sources::sources;
use cm_agents::hook::HookMessage;
use cm_agents::ingest::LogSource;
use cm_learn::outcome::steps::steps;
use cm_learn::prose::cut;
use cm_learn::recurring::SessionTrace;
use cm_learn::recurring::ended::ended_failures;
use cm_learn::statement::refused_calls;
use cm_note::bullet::content::fold_whitespace;
use cm_session::SessionMeta;
use cm_session::event::{EventKind, SessionEvent};
use cm_session::status::SessionStatus;

/// Number of bytes at the end of a log that a hook reads.
const RECENT: u64 = 384 << 10;
/// Maximum length of a quote, in characters.
const QUOTE: usize = 2_000;
/// Maximum length of what a quote answers, in characters.
const ANSWERED: usize = 400;

/// Reads the recent part of the agent's log, redacted; `None` if the message names no log, or the log
/// cannot or may not be read.
///
/// # Errors
/// An invalid redaction pattern.
pub(super) fn recent_session(memory: &Context, message: &HookMessage) -> Result<Option<ParsedSession>> {
    let path = message.transcript.as_deref().filter(|_| super::may_capture(memory));
    let Some(source) = path.and_then(|path| LogSource::of_file(message.agent.agent(), path)) else {
        return Ok(None);
    };
    let Some(sources) = sources(memory, None) else { return Ok(None) };
    let Ok(found) = logs::recent_of_source(&source, RECENT) else { return Ok(None) };
    let is_own = |found: &ParsedSession| {
        message.session.as_deref() == Some(found.meta.id.as_str()) && sources.allow(&source, &found.meta)
    };
    let Some(found) = found.into_iter().find(is_own) else { return Ok(None) };
    let read = SessionRead {
        sessions: vec![found.meta.id.clone()],
        bytes: found.bytes(),
        ..SessionRead::of_log(found.meta.agent, found.path.to_string_lossy().into_owned())
    };
    access_log::record(memory, vec![read]);
    let rules = secrets::rules_of_logs(memory, memory.target())?.0;
    Ok(Some(found.redacted(&rules)))
}

/// Returns the refused calls and ended failures of a session as signals, in no particular order. A
/// refusal without words is left out.
pub(crate) fn signals_of(at: &str, meta: &SessionMeta, events: &[SessionEvent]) -> Vec<Signal> {
    let signal = |cause, quote: Option<&str>, call: &str, answers: &str| Signal {
        at: at.to_owned(),
        session: meta.id.to_string(),
        cause,
        quote: quote.map(|words| cut(&fold_whitespace(words), QUOTE)).unwrap_or_default(),
        answers: Some(cut(&fold_whitespace(answers), ANSWERED)),
        call: Some(call.to_owned()),
        lasting: 0.0,
    };
    let refused = refused_calls(events);
    let refused = refused.iter().filter_map(|one| {
        let words = one.words.as_deref()?;
        Some(signal(SignalCause::Refused, Some(words), one.call.text(), one.call.text()))
    });
    let prompts: Vec<(u64, &str)> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::UserPrompt { text } if !event.side => Some((event.line, text.as_str())),
            _ => None,
        })
        .collect();
    let trace = SessionTrace::of(meta, events, &steps(events), SessionStatus::Unknown);
    let ended = ended_failures(&trace, &prompts)
        .into_iter()
        .map(|one| signal(SignalCause::Failed, one.words.as_deref(), &one.failed, &one.text));
    refused.chain(ended).collect()
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
