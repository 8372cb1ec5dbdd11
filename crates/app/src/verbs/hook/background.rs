//! The work of hooks that no agent waits for. The surface starts each task in a process of its own.

use super::{log, long_prompt, may_capture, session_end};
use crate::context::cancellation::Cancellation;
use crate::context::open::Context;
use crate::context::request::Request;
use crate::error::{ErrorKind, Result};
use crate::sessions::{self, SessionAccess};
use crate::verbs::{condense, reflect, sync};
use cm_agents::hook::plan::HookPlan;
use cm_agents::hook::{HookEvent, HookMessage, hook_agent};
use cm_store::config::keys;

/// Work that a hook starts in the background after its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackgroundTask {
    /// Refresh the index and the session index: [`read()`].
    Read,
    /// Learn from sessions: `cm reflect`.
    Reflect,
    /// Let the agent's own command-line mode read a session, and then do what is done without it:
    /// [`read_with_agent()`].
    ReadWithAgent {
        /// Name of the agent.
        agent: &'static str,
        session: String,
    },
    /// Synchronize with the remote: [`sync()`].
    Sync,
    /// Send what waits to the team server, see [`super::deliver`]; the process gets this text on its
    /// standard input.
    Deliver(String),
    /// Judge a prompt, which the process gets as this text on its standard input:
    /// [`judge_prompt()`].
    JudgePrompt(String),
}

impl BackgroundTask {
    /// Arguments of the program that run the task.
    pub fn arguments(&self) -> Vec<&str> {
        match self {
            Self::Read => vec!["hook", "read"],
            Self::Reflect => vec!["reflect", "--quiet"],
            Self::ReadWithAgent { agent, session } => vec!["hook", "read-with", agent, "--", session],
            Self::Sync => vec!["hook", "sync"],
            Self::Deliver(_) => vec!["hook", "deliver"],
            Self::JudgePrompt(_) => vec!["hook", "judge"],
        }
    }

    /// Text that the process gets on its standard input. It is not part of the arguments, because
    /// other users can see these.
    pub fn input(&self) -> Option<&str> {
        match self {
            Self::Deliver(input) | Self::JudgePrompt(input) => Some(input),
            Self::Read | Self::Reflect | Self::ReadWithAgent { .. } | Self::Sync => None,
        }
    }

    /// Parses the words after `cm hook`; `None` if they are those of an event. `input` reads the
    /// standard input of tasks that have one.
    pub fn parse(words: &[&str], input: impl FnOnce() -> String) -> Option<Self> {
        match words {
            ["read"] => Some(Self::Read),
            ["read-with", agent, session] => {
                Some(Self::ReadWithAgent { agent: hook_agent(agent)?.name(), session: (*session).to_owned() })
            }
            ["sync"] => Some(Self::Sync),
            ["deliver"] => Some(Self::Deliver(input())),
            ["judge"] => Some(Self::JudgePrompt(input())),
            _ => None,
        }
    }
}

/// Selects the background work that follows an event.
pub(super) fn tasks(
    context: &Context,
    message: &HookMessage,
    work: &HookPlan,
    starts_agent: bool,
) -> Option<BackgroundTask> {
    let session = message.session.clone().filter(|_| starts_agent);
    let ends = message.event.is_some_and(|event| message.agent.ends_session(event));
    match session {
        Some(session) => Some(BackgroundTask::ReadWithAgent { agent: message.agent.name(), session }),
        // What was written since, by hand or by cm, is found by the next prompt.
        None if work.start => Some(BackgroundTask::Read),
        None if work.question.is_some() && context.vaults.iter().any(|open| open.index().has_queued()) => {
            Some(BackgroundTask::Read)
        }
        None if !work.capture || !may_capture(context) => None,
        None if ends && reflects(context) => Some(BackgroundTask::Reflect),
        None => Some(BackgroundTask::Read),
    }
}

/// Returns the synchronization that follows the end of a session, if the user wants one.
pub(super) fn sync_at_end(context: &Context, message: &HookMessage) -> Option<BackgroundTask> {
    let ends = message.event.is_some_and(|event| message.agent.ends_session(event)) && !message.subagent;
    let sync_setting = context.target().settings.users(keys::HOOKS_SYNC).and_then(toml::Value::as_bool);
    (ends && sync_setting == Some(true)).then_some(BackgroundTask::Sync)
}

/// Whether the user wants to learn from sessions when they end.
fn reflects(context: &Context) -> bool {
    context.target().settings.users(keys::REFLECT_AUTO).and_then(toml::Value::as_bool) == Some(true)
}

/// Refreshes the index and, if hooks may read sessions, the session index; once a day, condenses
/// observations. Failures are logged.
pub fn read(request: Request) {
    let read = Context::open(request.clone()).and_then(|context| read_all(&context));
    log_failure(&request, &HookMessage::read("", None, None), read);
}

fn read_all(context: &Context) -> Result<()> {
    for open in &context.vaults {
        context.ensure_fresh(open)?;
    }
    if may_capture(context) {
        sessions::refresh(context)?;
    }
    condense::condense_daily(context)?;
    for open in context.vaults.iter().skip(1) {
        condense::condense_daily(&context.for_vault(open)?)?;
    }
    Ok(())
}

/// Synchronizes with the remote. Failures are logged.
pub fn sync(request: Request) {
    let done =
        Context::open(request.clone()).and_then(|context| sync::sync(&context, &sync::Options::default()));
    log_failure(&request, &HookMessage::read("", None, Some(HookEvent::SessionEnd)), done.map(drop));
}

/// Lets the agent's own command-line mode read a session, and learns from its answer. Then reads or
/// learns as at every end of a session, because two processes would wait for each other. Failures are
/// logged.
pub fn read_with_agent(request: Request, agent: &str, session: &str) {
    let Some(agent) = hook_agent(agent) else { return };
    let message = HookMessage::read("", Some(agent), Some(HookEvent::SessionEnd));
    let read = Context::open(request.clone()).and_then(|context| {
        // The hook of the last answer may still be reading logs.
        sessions::refresh_patiently(&context)?;
        session_end::read_with_agent(&context, agent, session)
    });
    log_failure(&request, &message, read);
    let rest = Context::open(request.clone()).and_then(|context| {
        if !reflects(&context) || !may_capture(&context) {
            return read_all(&context);
        }
        let access = SessionAccess::open(&context, &mut |_| {})?;
        let options = reflect::Options::default();
        reflect::reflect(&context, &access, &options, &Cancellation::default(), &|_, _| {}).map(drop)
    });
    log_failure(&request, &message, rest);
}

/// Judges the prompt of a session that `input` contains, see [`BackgroundTask::JudgePrompt`].
/// Failures are logged.
pub fn judge_prompt(request: Request, input: &str) {
    let judged = Context::open(request.clone()).and_then(|context| long_prompt::judge(&context, input));
    log_failure(&request, &HookMessage::read("", None, Some(HookEvent::Prompt)), judged);
}

fn log_failure(request: &Request, message: &HookMessage, result: Result<()>) {
    match result {
        Err(error) if !matches!(error.kind, ErrorKind::NoVault | ErrorKind::NothingDone) => {
            log(request, message, &error.message);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_of_a_task_are_parsed_as_that_task() {
        let text = || "{}".to_owned();
        for task in [
            BackgroundTask::Read,
            BackgroundTask::ReadWithAgent { agent: "claude", session: "-s".to_owned() },
            BackgroundTask::Sync,
            BackgroundTask::Deliver(text()),
            BackgroundTask::JudgePrompt(text()),
        ] {
            let arguments = task.arguments();
            // `--` ends the options of the command line.
            let words: Vec<&str> = arguments[1..].iter().copied().filter(|word| *word != "--").collect();
            assert_eq!(BackgroundTask::parse(&words, text).as_ref(), Some(&task));
            assert_eq!((arguments[0], task.input().is_none_or(|input| input == text())), ("hook", true));
        }
        assert_eq!(BackgroundTask::parse(&["claude", "prompt"], text), None);
    }
}
