//! Finds what happened to tool calls in a session that may be worth recording: calls that the person
//! refused, and failures that ended.

use super::signals::{Signal, SignalCause};
use cm_learn::outcome::steps::steps;
use cm_learn::prose::cut;
use cm_learn::recurring::SessionTrace;
use cm_learn::recurring::ended::ended_failures;
use cm_learn::statement::refused_calls;
use cm_note::bullet::content::fold_whitespace;
use cm_session::SessionMeta;
use cm_session::event::{EventKind, SessionEvent};
use cm_session::status::SessionStatus;

/// Maximum length of a quote, in characters.
const MAX_QUOTE_CHARS: usize = 2_000;
/// Maximum length of what a quote answers, in characters.
const MAX_ANSWERED_CHARS: usize = 400;

/// Returns the refused calls and ended failures of a session as signals, in no particular order. A
/// refusal without words is left out.
pub(crate) fn signals_of(at: &str, meta: &SessionMeta, events: &[SessionEvent]) -> Vec<Signal> {
    let signal = |cause, quote: Option<&str>, call: &str, answers: &str| Signal {
        at: at.to_owned(),
        session: meta.id.to_string(),
        cause,
        quote: quote.map(|words| cut(&fold_whitespace(words), MAX_QUOTE_CHARS)).unwrap_or_default(),
        typed: Vec::new(),
        answers: Some(cut(&fold_whitespace(answers), MAX_ANSWERED_CHARS)),
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
