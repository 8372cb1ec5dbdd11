//! What happens to unread signals when a session ends: the agent is asked once, or its own
//! command-line mode reads the session in the background (`hooks.reflect`).

use super::proposal_request::signals_at_end;
use crate::context::cancellation::Cancellation;
use crate::context::open::Context;
use crate::context::provider::LanguageModel;
use crate::error::{Error, Result};
use crate::sessions::SessionAccess;
use crate::sessions::signals::{Signal, SignalCause, SignalLog, SignalStep};
use crate::verbs::hooks::can_propose;
use crate::verbs::reflect::work_package;
use cm_agents::hook::injection::neutralize;
use cm_agents::hook::{HookAgent, HookEvent, HookMessage};
use cm_learn::prose::cut;
use cm_session::injected_markers;
use cm_session::short_id;
use cm_store::config::{SettingOrigin, keys};

/// Maximum number of statements in the request.
const MAX_LISTED_STATEMENTS: usize = 5;
/// Maximum length of a quoted statement in the request, in characters.
const MAX_QUOTE_CHARS: usize = 160;

/// What `hooks.reflect` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndOfSession {
    Ask,
    Background,
    Off,
}

/// The setting counts only from the user's own settings, because it spends tokens.
fn wanted(context: &Context) -> EndOfSession {
    let own = context.target().settings.get_from(keys::HOOKS_REFLECT, SettingOrigin::is_users);
    match own.and_then(|(value, _)| value.as_str()) {
        Some("background") => EndOfSession::Background,
        Some("off") => EndOfSession::Off,
        _ => EndOfSession::Ask,
    }
}

/// Returns the request to record what is unread, and notes that the session was asked. `None` if the
/// agent cannot be asked, was asked before, or no person types the session's prompts.
///
/// # Errors
/// An invalid redaction pattern, or a private state that cannot be written.
pub(super) fn request(context: &Context, message: &HookMessage) -> Result<Option<String>> {
    let is_stop = message.event == Some(HookEvent::Stop) && !message.continued;
    let can_ask = is_stop && message.agent.request_at_stop("").is_some();
    if !can_ask
        || context.target().settings.flag(keys::HOOKS_PROPOSE) == Some(false)
        || wanted(context) != EndOfSession::Ask
    {
        return Ok(None);
    }
    let Some((mut log, is_interactive)) = signals_at_end(context, message)? else { return Ok(None) };
    let unread: Vec<Signal> = log.unread().into_iter().cloned().collect();
    if !is_interactive
        || log.asked_at_end
        || unread.is_empty()
        || !can_propose(&context.request, message.agent)
    {
        return Ok(None);
    }
    log.record(context, SignalStep::AskedAtEnd, None)?;
    Ok(Some(wording(&log.session, &unread)))
}

fn wording(session: &str, unread: &[Signal]) -> String {
    let short = short_id(session);
    let listed = unread.iter().rev().take(MAX_LISTED_STATEMENTS).rev().map(|signal| {
        let call = signal.answers.as_deref().map(|call| cut(call, MAX_QUOTE_CHARS)).unwrap_or_default();
        let words = cut(&signal.quote, MAX_QUOTE_CHARS);
        let line = match signal.cause {
            SignalCause::Prompt | SignalCause::LongPrompt => format!("- \"{words}\""),
            SignalCause::Refused => format!("- \"{words}\", which answers the refused `{call}`"),
            SignalCause::Failed if words.is_empty() => format!("- {call}"),
            SignalCause::Failed => format!("- {call}; the person said: \"{words}\""),
        };
        neutralize(&line)
    });
    let listed = listed.collect::<Vec<_>>().join("\n");
    format!(
        "{} memory -->\nNot recorded in this session yet:\n{listed}\nIf any of it is meant to last beyond this session, record it with memory_propose (or `cm propose`): kind, text, quote, answers, session \"{short}\". Otherwise just finish; do not mention this.\n{} memory -->",
        injected_markers::BEGIN,
        injected_markers::END,
    )
}

/// Returns whether the agent's own command-line mode should read the session now, and notes that it
/// was started.
///
/// # Errors
/// An invalid redaction pattern, or a private state that cannot be written.
pub(super) fn starts_agent(context: &Context, message: &HookMessage) -> Result<bool> {
    let ends = message.event.is_some_and(|event| message.agent.ends_session(event)) && !message.subagent;
    let (Some(session), true) = (message.session.as_deref(), ends) else { return Ok(false) };
    if wanted(context) != EndOfSession::Background || message.agent.print_mode().is_none() {
        return Ok(false);
    }
    let mut log = match signals_at_end(context, message)? {
        Some((_, false)) => return Ok(false),
        Some((log, true)) => log,
        // The background process reads the log, and sees whether a person typed.
        None => SignalLog::of(context, session),
    };
    if log.unread().is_empty() {
        return Ok(false);
    }
    log.record(context, SignalStep::Handed, None)?;
    Ok(true)
}

/// Lets an agent's own command-line mode read a session, and applies its proposals.
///
/// # Errors
/// An agent without such a mode, and the errors of [`work_package::read_with`].
pub(super) fn read_with_agent(context: &Context, agent: HookAgent, session: &str) -> Result<()> {
    let mode = agent
        .print_mode()
        .ok_or_else(|| Error::usage(format!("{agent} has no command-line mode that reads a prompt")))?;
    let access = SessionAccess::open(context, &mut |_| {})?;
    let stop = Cancellation::default();
    work_package::read_with(context, &access, session, |rules| {
        LanguageModel::of_agent(context, mode, rules, &stop)
    })?;
    Ok(())
}
