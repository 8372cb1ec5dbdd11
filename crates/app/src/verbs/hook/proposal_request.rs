//! Asks the agent, in one line at a prompt, to record what may be meant to last.

use super::recent_log::{pending_refusal, recent_session};
use crate::context::actor::is_headless;
use crate::context::meaning::judge_statements;
use crate::context::open::Context;
use crate::context::secrets;
use crate::error::Result;
use crate::sessions::signals::{Signal, SignalCause, SignalLog, SignalStep};
use crate::sessions::tool_signals::signals_of;
use cm_agents::hook::event::InjectionTiming;
use cm_agents::hook::injection::{InjectionEntry, InjectionPart, PartKind};
use cm_agents::hook::{HookEvent, HookMessage};
use cm_learn::prose::cut;
use cm_learn::statement::{Answered, Statement, StatementClassifier, StatementContext, of_prompt};
use cm_note::bullet::content::fold_whitespace;
use cm_secrets::redact;
use cm_session::SessionMeta;
use cm_store::config::keys;

/// Minimum probability at which the agent is asked. It misses little; the agent judges.
const ASK: f32 = 0.4;
/// Number of words of a prompt that are judged: those of its most probable sentences.
const WORDS: usize = 40;
/// Length of a session ID in the request; enough to be unique among recent sessions.
const SHORT_ID: usize = 8;
/// Maximum length of a command in the request, in characters, so that it stays within 40 tokens.
const CALL: usize = 24;

/// Returns the request to record what the person just typed, or what happened to a tool call since
/// the last prompt, and stores what was seen. At most one thing is asked.
///
/// # Errors
/// An invalid redaction pattern, or a private state that cannot be written.
pub(super) fn request(memory: &Context, message: &HookMessage) -> Result<Option<InjectionPart>> {
    let Some(session) = message.session.as_deref().filter(|_| !message.subagent) else { return Ok(None) };
    // Only what was typed at an interactive prompt is a person's word.
    let is_typed = !message.headless && !is_headless(&memory.call.environment);
    if !is_typed || memory.target().settings.flag(keys::HOOKS_PROPOSE) == Some(false) {
        return Ok(None);
    }
    let is_prompt = message.event == Some(HookEvent::Prompt);
    let takes_text =
        message.event.is_some_and(|event| message.agent.injection_timing(event) == InjectionTiming::Now);
    let mut log = SignalLog::of(memory, session);
    log.session = session.to_owned();
    if let (Some(prompt), true) = (&message.prompt, is_prompt) {
        let seen = seen_at_prompt(memory, message, session, prompt)?;
        log.add(memory, seen)?;
    }
    let Some(signal) = log.newest_unasked().filter(|_| takes_text).cloned() else { return Ok(None) };
    log.record(memory, SignalStep::Asked, Some(&signal))?;
    Ok(Some(InjectionPart {
        kind: PartKind::Request,
        heading: None,
        entries: vec![InjectionEntry { id: None, text: wording(&signal) }],
    }))
}

/// Stores what happened to tool calls since the last prompt. Returns the signals of the session, and
/// whether a person types its prompts; `None` if the log cannot be read.
///
/// # Errors
/// An invalid redaction pattern, or a private state that cannot be written.
pub(super) fn signals_at_end(memory: &Context, message: &HookMessage) -> Result<Option<(SignalLog, bool)>> {
    let Some(session) = message.session.as_deref().filter(|_| !message.subagent) else { return Ok(None) };
    let Some(recent) = recent_session(memory, message)? else { return Ok(None) };
    let mut log = SignalLog::of(memory, session);
    log.session = session.to_owned();
    let meta = &recent.meta;
    let seen = signals_of(&memory.now().to_string(), meta, &recent.events);
    log.add(memory, judged(memory, seen))?;
    Ok(Some((log, is_interactive(meta))))
}

/// Whether a person types the prompts of a session.
fn is_interactive(meta: &SessionMeta) -> bool {
    !(meta.headless || meta.subagent || meta.ours)
}

/// Returns the signals in the log so far, oldest first, and the prompt as the last one if it is one.
fn seen_at_prompt(
    memory: &Context,
    message: &HookMessage,
    session: &str,
    prompt: &str,
) -> Result<Vec<Signal>> {
    let at = memory.now().to_string();
    let recent = recent_session(memory, message)?;
    let refused = recent.as_ref().and_then(|recent| pending_refusal(&recent.events, prompt));
    let seen = recent.as_ref().map(|recent| signals_of(&at, &recent.meta, &recent.events));
    if recent.as_ref().is_some_and(|recent| !is_interactive(&recent.meta)) {
        return Ok(Vec::new());
    }
    let mut seen = judged(memory, seen.unwrap_or_default());
    let answers = refused.clone().map(Answered::Command);
    let context = if refused.is_some() { StatementContext::Refused } else { StatementContext::After };
    let lasting = most_lasting(memory, prompt, context, answers.as_ref());
    let own = prompt_signal(memory, (session, &at), prompt, (refused, lasting))?;
    // The log may have the prompt already, and then says the same of it.
    seen.retain(|signal| signal.quote.is_empty() || signal.quote != own.quote);
    if own.cause == SignalCause::Refused || lasting >= ASK {
        seen.push(own);
    }
    Ok(seen)
}

fn prompt_signal(
    memory: &Context,
    (session, at): (&str, &str),
    prompt: &str,
    (refused, lasting): (Option<String>, f32),
) -> Result<Signal> {
    let (rules, _) = secrets::rules_of_logs(memory, memory.target())?;
    let clean = |text: &str| redact(text, &rules).0.into_string();
    let quote = clean(&cut(&fold_whitespace(prompt), 2_000));
    let sentences = of_prompt(prompt, 0, StatementContext::After, None).into_iter();
    let typed = sentences.filter(|one| !one.is_pasted).map(|one| clean(&one.text)).collect();
    let cause = if refused.is_some() { SignalCause::Refused } else { SignalCause::Prompt };
    let (session, at) = (session.to_owned(), at.to_owned());
    Ok(Signal { at, session, cause, quote, typed, answers: refused.clone(), call: refused, lasting })
}

/// Sets the probability that the words of each signal are meant to last.
fn judged(memory: &Context, mut signals: Vec<Signal>) -> Vec<Signal> {
    for signal in &mut signals {
        let context = match signal.cause {
            SignalCause::Refused => StatementContext::Refused,
            SignalCause::Prompt | SignalCause::Failed => StatementContext::After,
        };
        signal.lasting = most_lasting(memory, &signal.quote, context, None);
    }
    signals
}

/// Returns the probability of the sentence that is most probably meant to last, 0–1.
fn most_lasting(
    memory: &Context,
    prompt: &str,
    context: StatementContext,
    answers: Option<&Answered>,
) -> f32 {
    let statements = most_probable(of_prompt(prompt, 0, context, answers));
    let judged = judge_statements(memory.target(), &statements);
    judged.iter().map(|one| one.lasting()).fold(0.0, f32::max)
}

/// Words the request; at most 40 tokens.
fn wording(signal: &Signal) -> String {
    let short: String = signal.session.chars().take(SHORT_ID).collect();
    let call = cut(&fold_whitespace(signal.call.as_deref().unwrap_or_default()).replace('`', "'"), CALL);
    let (subject, answers) = match signal.cause {
        SignalCause::Prompt => ("that".to_owned(), ""),
        SignalCause::Refused => (format!("the refusal of `{call}`"), ", answers"),
        SignalCause::Failed => (format!("what fixed `{call}`"), ", answers"),
    };
    format!(
        "If {subject} is meant to last, record it: memory_propose (or `cm propose`) with kind, text, quote{answers}, session \"{short}\"."
    )
}

/// Returns the sentences that are most probably lasting by their words, at most [`WORDS`] words of
/// them, in their order.
fn most_probable(statements: Vec<Statement>) -> Vec<Statement> {
    let classifier = StatementClassifier::builtin();
    let mut ranked: Vec<(usize, f32)> = statements
        .iter()
        .map(|one| classifier.probabilities(&one.text, one.context, None).lasting())
        .enumerate()
        .collect();
    ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let mut words = 0;
    let mut kept: Vec<usize> = ranked
        .into_iter()
        .map(|(at, _)| at)
        .take_while(|at| {
            words += statements[*at].text.split_whitespace().count();
            words <= WORDS
        })
        .collect();
    kept.sort_unstable();
    statements.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_stays_within_forty_tokens() {
        let long = "docker compose --profile integration up --detach database".to_owned();
        for cause in [SignalCause::Prompt, SignalCause::Refused, SignalCause::Failed] {
            let signal = Signal { cause, call: Some(long.clone()), ..Signal::default() };
            let text = wording(&Signal { session: "0b9c1f0e-6f1d".to_owned(), ..signal });
            assert!(text.chars().count() <= 160, "{text}");
        }
    }
}
