//! Asks the agent, in one line at a prompt, to record what may be meant to last.

use super::long_prompt::LongPrompt;
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
use cm_learn::statement::{
    Statement, StatementClassifier, StatementContext, THRESHOLD_ASK, of_prompt, parts_of_prompt,
};
use cm_note::bullet::content::fold_whitespace;
use cm_secrets::redact;
use cm_session::{SessionMeta, short_id};
use cm_store::config::keys;

/// Number of words that are judged while the agent waits. A longer prompt is judged in the
/// background; of longer words in the log, those of the most probable parts are.
const MAX_JUDGED_WORDS: usize = 40;
/// Maximum length of a command in the request, in characters, so that it stays within 40 tokens.
const MAX_COMMAND_CHARS: usize = 24;
/// Maximum length of words of an earlier prompt in the request, in characters; for the same reason.
const MAX_EARLIER_CHARS: usize = 40;

/// What a hook does about what the person may want recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ProposalRequest {
    /// The request to the agent; `None` if there is nothing to ask now.
    pub part: Option<InjectionPart>,
    /// The prompt, if it is too long to be judged while the agent waits.
    pub long_prompt: Option<LongPrompt>,
}

/// Returns the request to record what the person typed, or what happened to a tool call since the
/// last prompt, and stores what was seen. At most one thing is asked.
///
/// # Errors
/// An invalid redaction pattern, or a private state that cannot be written.
pub(super) fn request(context: &Context, message: &HookMessage) -> Result<ProposalRequest> {
    let nothing = ProposalRequest::default();
    let Some(session) = message.session.as_deref().filter(|_| !message.subagent) else { return Ok(nothing) };
    // Only what was typed at an interactive prompt is a person's word.
    let is_typed = !message.headless && !is_headless(&context.request.environment);
    if !is_typed || context.target().settings.flag(keys::HOOKS_PROPOSE) == Some(false) {
        return Ok(nothing);
    }
    let is_prompt = message.event == Some(HookEvent::Prompt);
    let takes_text =
        message.event.is_some_and(|event| message.agent.injection_timing(event) == InjectionTiming::Now);
    let mut log = SignalLog::of(context, session);
    log.session = session.to_owned();
    let mut long_prompt = None;
    if let (Some(prompt), true) = (&message.prompt, is_prompt) {
        let seen = seen_at_prompt(context, message, session, prompt)?;
        log.add(context, seen.signals)?;
        long_prompt = seen.long_prompt;
    }
    let Some(signal) = log.newest_unasked().filter(|_| takes_text).cloned() else {
        return Ok(ProposalRequest { part: None, long_prompt });
    };
    log.record(context, SignalStep::Asked, Some(&signal))?;
    let part = InjectionPart {
        kind: PartKind::Request,
        heading: None,
        entries: vec![InjectionEntry { text: wording(&signal), ..Default::default() }],
    };
    Ok(ProposalRequest { part: Some(part), long_prompt })
}

/// Stores what happened to tool calls since the last prompt. Returns the signals of the session, and
/// whether a person types its prompts; `None` if the log cannot be read.
///
/// # Errors
/// An invalid redaction pattern, or a private state that cannot be written.
pub(super) fn signals_at_end(context: &Context, message: &HookMessage) -> Result<Option<(SignalLog, bool)>> {
    let Some(session) = message.session.as_deref().filter(|_| !message.subagent) else { return Ok(None) };
    let Some(recent) = recent_session(context, message)? else { return Ok(None) };
    let mut log = SignalLog::of(context, session);
    log.session = session.to_owned();
    let meta = &recent.meta;
    let seen = signals_of(&context.now().to_string(), meta, &recent.events);
    log.add(context, judged(context, seen))?;
    Ok(Some((log, is_interactive(meta))))
}

/// Whether a person types the prompts of a session.
fn is_interactive(meta: &SessionMeta) -> bool {
    !(meta.headless || meta.subagent || meta.ours)
}

/// What a hook sees when the person sends a prompt.
#[derive(Default)]
struct SeenAtPrompt {
    /// The signals in the log so far, oldest first, and the prompt as the last one if it is one.
    signals: Vec<Signal>,
    /// The prompt, if it is too long to be judged now.
    long_prompt: Option<LongPrompt>,
}

fn seen_at_prompt(
    context: &Context,
    message: &HookMessage,
    session: &str,
    prompt: &str,
) -> Result<SeenAtPrompt> {
    let at = context.now().to_string();
    let recent = recent_session(context, message)?;
    let refused = recent.as_ref().and_then(|recent| pending_refusal(&recent.events, prompt));
    if recent.as_ref().is_some_and(|recent| !is_interactive(&recent.meta)) {
        return Ok(SeenAtPrompt::default());
    }
    let seen = recent.as_ref().map(|recent| signals_of(&at, &recent.meta, &recent.events));
    let mut signals = judged(context, seen.unwrap_or_default());
    let (rules, _) = secrets::rules_of_logs(context, context.target())?;
    if refused.is_none() && prompt.split_whitespace().count() > MAX_JUDGED_WORDS {
        let long_prompt = Some(LongPrompt::new(session, prompt, &rules));
        return Ok(SeenAtPrompt { signals, long_prompt });
    }
    let clean = |text: &str| redact(text, &rules).0.into_string();
    let quote = clean(&cut(&fold_whitespace(prompt), 2_000));
    let sentences = of_prompt(prompt, 0, StatementContext::After, None).into_iter();
    let typed = sentences.filter(|one| !one.is_pasted).map(|one| clean(&one.text)).collect();
    let own = Signal { quote, typed, call: refused, ..Signal::default() };
    let own = prompt_signal(context, (session, &at), prompt, own);
    // The log may have the prompt already, and then says the same of it.
    signals.retain(|signal| signal.quote.is_empty() || signal.quote != own.quote);
    if own.cause == SignalCause::Refused || own.lasting >= THRESHOLD_ASK {
        signals.push(own);
    }
    Ok(SeenAtPrompt { signals, long_prompt: None })
}

/// Completes the signal of a prompt, which has the prompt's words and the call that they refuse.
fn prompt_signal(context: &Context, (session, at): (&str, &str), prompt: &str, signal: Signal) -> Signal {
    let cause = if signal.call.is_some() { SignalCause::Refused } else { SignalCause::Prompt };
    let lasting = most_lasting(context, prompt, cause.statement_context());
    let (session, at) = (session.to_owned(), at.to_owned());
    Signal { at, session, cause, answers: signal.call.clone(), lasting, ..signal }
}

/// Sets the probability that the words of each signal are meant to last.
fn judged(context: &Context, mut signals: Vec<Signal>) -> Vec<Signal> {
    for signal in &mut signals {
        signal.lasting = most_lasting(context, &signal.quote, signal.cause.statement_context());
    }
    signals
}

/// Returns the probability of the sentence that is most probably meant to last, 0–1. Of a text of more
/// than [`MAX_JUDGED_WORDS`] words, only the parts that are most probable by their words are judged.
fn most_lasting(context: &Context, prompt: &str, statement_context: StatementContext) -> f32 {
    let statements = if prompt.split_whitespace().count() > MAX_JUDGED_WORDS {
        most_probable(parts_of_prompt(prompt, statement_context))
    } else {
        of_prompt(prompt, 0, statement_context, None)
    };
    let judged = judge_statements(context.target(), &statements);
    judged.iter().map(|one| one.lasting()).fold(0.0, f32::max)
}

/// Words the request; at most 40 tokens.
fn wording(signal: &Signal) -> String {
    let short = short_id(&signal.session);
    let call = cut(
        &fold_whitespace(signal.call.as_deref().unwrap_or_default()).replace('`', "'"),
        MAX_COMMAND_CHARS,
    );
    let (subject, answers) = match signal.cause {
        SignalCause::Prompt => ("that".to_owned(), ""),
        SignalCause::LongPrompt => (format!("\"{}\"", cut(&signal.quote, MAX_EARLIER_CHARS)), ""),
        SignalCause::Refused => (format!("the refusal of `{call}`"), ", answers"),
        SignalCause::Failed => (format!("what fixed `{call}`"), ", answers"),
    };
    format!(
        "If {subject} is meant to last, record it: memory_propose (or `cm propose`) with kind, text, quote{answers}, session \"{short}\"."
    )
}

/// Returns the parts that are most probably lasting by their words, at most [`MAX_JUDGED_WORDS`] words of them.
fn most_probable(mut parts: Vec<Statement>) -> Vec<Statement> {
    let classifier = StatementClassifier::builtin();
    let lasting = |one: &Statement| classifier.probabilities(&one.text, one.context, None).lasting();
    parts.sort_by(|a, b| lasting(b).total_cmp(&lasting(a)));
    let mut words = 0;
    parts.retain(|one| {
        let more = one.text.split_whitespace().count();
        let fits = words + more <= MAX_JUDGED_WORDS;
        words += if fits { more } else { 0 };
        fits
    });
    parts
}

#[cfg(test)]
mod tests {
    use cm_playbook::generated::tokens;

    use super::*;

    #[test]
    fn a_request_has_at_most_forty_tokens() {
        let long = "docker compose --profile integration up --detach database".to_owned();
        for cause in [SignalCause::Prompt, SignalCause::LongPrompt, SignalCause::Refused, SignalCause::Failed]
        {
            let signal = Signal { cause, call: Some(long.clone()), quote: long.clone(), ..Signal::default() };
            let text = wording(&Signal { session: "0b9c1f0e-6f1d".to_owned(), ..signal });
            assert!(tokens(text.chars().count()) <= 40, "{text}");
        }
    }

    #[test]
    fn of_a_text_without_sentence_ends_the_most_probable_words_are_judged() {
        let task = "then look at the header which jumps around when somebody scrolls down ".repeat(8);
        let parts = parts_of_prompt(
            &format!("{task} and from now on we always use pnpm in this repository and never npm {task}"),
            StatementContext::After,
        );
        let kept = most_probable(parts);
        assert!(!kept.is_empty() && kept.iter().any(|one| one.text.contains("always use pnpm")), "{kept:?}");
    }
}
