//! Handles hook events of agents: parses the event and produces the response.
//!
//! The agent waits for the response, so no index is refreshed or built here, and only what the
//! event needs is opened. Failures are written to `_state/hooks.log` and never shown to the agent.

mod background;
mod long_prompt;
mod over_server;
mod proposal_request;
mod recent_log;
mod recently_learned;
mod selection;
mod session_end;
mod start;

use crate::context::actor::Actor;
use crate::context::open::Context;
use crate::context::receipts::{self, ReceiptEntry, ShownKind};
use crate::context::request::Request;
use crate::context::trust::UNTRUSTED;
use crate::error::{Error, ErrorKind, Result};
use crate::verbs::guard;
use crate::verbs::handoff::{ClaimedHandoff, HandoffReader};
use crate::verbs::server_client::connection::ServerConnection;
use cm_agents::hook::failure::FailureLogLine;
use cm_agents::hook::injection::{InjectionPart, MAX_INJECTION_UNITS};
use cm_agents::hook::injection_log::{InjectionLog, InjectionStep, file_name};
use cm_agents::hook::plan::{HookAnswer, HookPlan, InjectionLimit};
use cm_agents::hook::program::parse_hook_args;
use cm_agents::hook::{HookEvent, HookMessage, HookReply, hook_agent};
use cm_llm::MODEL_CALL_VARIABLE;
use cm_playbook::generated::CHARS_PER_TOKEN;
use cm_store::config::keys;
use cm_store::vault::json_lines::{JsonLinesFile, remove_old_injection_logs};
use cm_store::vault::lock::VaultLock;
use cm_store::vault::{Vault, layout};
use std::time::Duration;

pub use background::{BackgroundTask, judge_prompt, read, read_with_agent, sync};
use long_prompt::LongPrompt;
pub use over_server::deliver;
use proposal_request::ProposalRequest;

/// Number of days after a session's last injection for which its injection log is kept.
const INJECTION_LOG_DAYS: f64 = 30.0;
/// Maximum wait while another process writes. After that the hook injects nothing, because notes
/// may be in an inconsistent state.
const LOCK_TIMEOUT: Duration = Duration::from_millis(15);
/// Command that agents are told to use for more context.
const MORE: &str = "cm context";

/// What a hook prints, and the work to start afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookResponse {
    /// Text for standard output, in the format that the agent expects.
    pub stdout: String,
    /// Work to start after the response, each in a background process.
    pub later: Vec<BackgroundTask>,
    /// Working directory of the agent.
    pub folder: std::path::PathBuf,
}

/// Handles a hook event. `words` are the command-line arguments, agent and event; both may be
/// missing if `stdin` contains them.
pub fn handle_event(request: Request, stdin: &str, words: &[&str]) -> HookResponse {
    let agent_and_event = parse_hook_args(words);
    let (agent, event) =
        agent_and_event.unwrap_or_else(|| (words.first().and_then(|word| hook_agent(word)), None));
    let message = HookMessage::read(stdin, agent, event);
    let quiet = |request: &Request| HookResponse {
        stdout: message.agent.empty_reply().to_owned(),
        later: Vec::new(),
        folder: request.cwd.clone(),
    };
    if is_model_call(&request) {
        return quiet(&request);
    }
    let request = request_of_message(request, &message);
    let answered = match agent_and_event {
        None => Err(Error::usage(format!("`{}` is not an event of an agent's session", words.join(" ")))),
        Some(_) if message.event.is_none() => Err(Error::usage("the message does not contain its event")),
        Some(_) => answer(&request, &message),
    };
    answered.unwrap_or_else(|error| {
        log(&request, &message, &error.message);
        quiet(&request)
    })
}

/// Returns the output without any effect, in the format of the agent that `words` name first.
pub fn nothing_for(words: &[&str]) -> &'static str {
    words.iter().find_map(|word| hook_agent(word)).map_or("", |agent| agent.empty_reply())
}

/// Records an internal failure of a hook, such as a panic, in the failure log.
pub fn log_failure(request: &Request, words: &[&str], what: &str) {
    let (agent, event) = parse_hook_args(words).unwrap_or_default();
    log(request, &HookMessage::read("", agent, event), what);
}

/// Whether cm itself started the agent for a model request; such sessions get no memories and are
/// not recorded.
fn is_model_call(request: &Request) -> bool {
    request.variables.get(MODEL_CALL_VARIABLE).is_some_and(|value| !matches!(value.as_str(), "" | "0"))
}

/// Returns the request with the working directory, agent and session of the hook message.
fn request_of_message(mut request: Request, message: &HookMessage) -> Request {
    // A vault that is named is named from the folder in which the hook was started.
    request.vault = request.vault.map(|vault| request.cwd.join(vault));
    let message_folder = message.cwd.as_ref().map(std::path::PathBuf::from);
    if let Some(folder) = message_folder.filter(|folder| folder.is_absolute() && folder.is_dir()) {
        request.cwd = folder;
    }
    request.caller.kind = Actor::Agent;
    request.caller.agent = Some(message.agent.agent().name().to_owned());
    request.caller.session = message.session.clone();
    request.no_refresh = true;
    request.for_prompts = true;
    request
}

fn answer(request: &Request, message: &HookMessage) -> Result<HookResponse> {
    let response = |reply: HookReply, later| HookResponse {
        stdout: reply.stdout(message),
        later,
        folder: request.cwd.clone(),
    };
    if let Some((decision, notices)) =
        message.guard_request.as_ref().and_then(|tool_call| guard::guard_tool_call(request, tool_call))
    {
        if vault_of(request).is_some() {
            notices.iter().for_each(|notice| log(request, message, notice.for_terminal()));
        }
        return Ok(response(HookReply::Verdict(decision), Vec::new()));
    }
    if let Some(connection) = ServerConnection::of_request(request)? {
        return over_server::answer(request, message, &connection);
    }
    let context = match Context::open(request.clone()) {
        Err(error) if error.kind == ErrorKind::NoVault => {
            return Ok(response(HookReply::Nothing, Vec::new()));
        }
        Err(error) if error.code == UNTRUSTED => return Ok(response(untrusted(message), Vec::new())),
        context => context?.low_latency(),
    };
    for open in &context.vaults {
        VaultLock::wait_until_free(&open.vault, LOCK_TIMEOUT)?;
    }
    // What the last session learned is not in the index yet. Prompts are answered from the index as it is.
    let begins = message.event == Some(HookEvent::SessionStart);
    let context = if begins { context.with_updated_indexes()? } else { context };
    let record = message
        .session
        .as_ref()
        .map(|id| JsonLinesFile::injection_log(&context.target().vault, &file_name(id)));
    let Recorded { answer, work, long_prompt } = recorded(&context, message, record.as_ref())?;
    count(&context, &answer);
    receipts::record(&context, answer.shown.iter().map(receipts::of_part).collect());
    // What a hook could not ask for is asked by the next one, and the session is captured anyway.
    let at_end = session_end::request(&context, message).unwrap_or_else(|error| {
        log(request, message, &error.message);
        None
    });
    if let Some(text) = &at_end {
        receipts::record(&context, vec![ReceiptEntry::of_text(ShownKind::Request, text)]);
    }
    let reply = at_end.map_or(answer.reply, HookReply::Request);
    let later = match session_end::starts_agent(&context, message) {
        Ok(starts_agent) => background::tasks(&context, message, &work, starts_agent),
        Err(error) => {
            log(request, message, &error.message);
            background::tasks(&context, message, &work, false)
        }
    };
    let judged = long_prompt.map(|prompt| BackgroundTask::JudgePrompt(prompt.to_json()));
    let synced = background::sync_at_end(&context, message);
    Ok(response(reply, later.into_iter().chain(judged).chain(synced).collect()))
}

/// Returns an explanation that an untrusted vault provides nothing, at the start of a session. It
/// contains no text of the vault.
fn untrusted(message: &HookMessage) -> HookReply {
    let text = "The memory in this folder is not trusted, so nothing from it is shown here. If you know where the folder comes from, allow it: cm trust";
    match message.event {
        Some(HookEvent::SessionStart) => HookReply::Context(text.to_owned()),
        _ => HookReply::Nothing,
    }
}

/// A response whose injections are in the session's injection log.
struct Recorded {
    answer: HookAnswer,
    work: HookPlan,
    /// The prompt, if it is judged in the background.
    long_prompt: Option<LongPrompt>,
}

/// Computes the response and appends the injected notes to the session's injection log. If another
/// hook wrote the log meanwhile, the response is computed again, so that nothing is injected twice.
fn recorded(context: &Context, message: &HookMessage, record: Option<&JsonLinesFile>) -> Result<Recorded> {
    let mut handoff: Option<ClaimedHandoff> = None;
    let outcome = recorded_with(context, message, record, &mut handoff);
    let shown =
        outcome.as_ref().is_ok_and(|one| one.work.start && matches!(one.answer.reply, HookReply::Context(_)));
    if let Some(handoff) = handoff.filter(|_| !shown) {
        handoff.put_back(context);
    }
    outcome
}

fn recorded_with(
    context: &Context,
    message: &HookMessage,
    record: Option<&JsonLinesFile>,
    handoff: &mut Option<ClaimedHandoff>,
) -> Result<Recorded> {
    let mut proposal: Option<ProposalRequest> = None;
    loop {
        let (text, length) = record.map(JsonLinesFile::text_and_length).transpose()?.unwrap_or_default();
        let injections = InjectionLog::read(&text);
        let work = HookPlan::of(message, &injections, false, context.now());
        let (mut parts, most) = candidate_parts(context, message, &work, &injections)?;
        let may_ask = work.question.is_some() || message.event == Some(HookEvent::PostTool);
        if may_ask && proposal.is_none() {
            proposal = Some(proposal_request::request(context, message)?);
        }
        parts.extend(proposal.as_ref().and_then(|request| request.part.clone()));
        if work.start {
            let is_new =
                text.is_empty() && !matches!(message.source.as_deref(), Some("clear" | "compact" | "resume"));
            let reader = HandoffReader {
                session: message.session.as_deref(),
                agent: Some(message.agent.name()),
                is_new,
                began_after: None,
            };
            *handoff = handoff.take().or_else(|| ClaimedHandoff::take(context, &reader));
            parts.splice(0..0, handoff.as_ref().map(ClaimedHandoff::part));
        }
        let answer =
            HookAnswer::of(message, &injections, &parts, &InjectionLimit { most, more: MORE }, context.now());
        let is_recorded = match record.filter(|_| !answer.lines.is_empty()) {
            Some(record) => record.append_at(length, &answer.lines)?,
            None => true,
        };
        if is_recorded {
            let long_prompt = proposal.and_then(|request| request.long_prompt);
            return Ok(Recorded { answer, work, long_prompt });
        }
    }
}

/// Returns the parts that may be injected and the maximum length of the response, in UTF-16 code
/// units.
fn candidate_parts(
    context: &Context,
    message: &HookMessage,
    work: &HookPlan,
    injections: &InjectionLog,
) -> Result<(Vec<InjectionPart>, usize)> {
    let settings = &context.target().settings;
    if !work.start {
        let parts = match &work.question {
            Some(question) => selection::parts(context, message, question, &injections.excluded_ids())?,
            None if work.pending.is_empty() => Vec::new(),
            None => selection::held(context, &work.pending)?,
        };
        return Ok((parts, MAX_INJECTION_UNITS));
    }
    remove_old_injection_logs(&context.target().vault, context.now().minus_days(INJECTION_LOG_DAYS));
    let tokens = settings.integer(keys::HOOKS_START_TOKENS);
    let start = start::parts(context, tokens)?;
    let Some(question) = &work.question else { return Ok((start, tokens * CHARS_PER_TOKEN)) };
    let ids = start.iter().flat_map(|part| &part.entries).filter_map(|entry| entry.id.clone());
    let excluded = injections.excluded_ids().into_iter().chain(ids).collect();
    let mut parts = selection::parts(context, message, question, &excluded)?;
    parts.extend(start);
    Ok((parts, tokens * CHARS_PER_TOKEN + settings.integer(keys::HOOKS_MAX_CHARACTERS)))
}

/// Checks that every index can be read without a refresh.
fn check_indexes(context: &Context) -> Result<()> {
    for open in &context.vaults {
        if let Err(error) = open.index().version() {
            let error = Error::from(error);
            return Err(Error {
                message: format!("{}: {}", open.vault.root().display(), error.message),
                ..error
            });
        }
    }
    Ok(())
}

/// Adds the injected notes to the retrieval counters.
fn count(context: &Context, answer: &HookAnswer) {
    let injected = answer.lines.iter().filter_map(|line| match &line.step {
        InjectionStep::Given(ids) => Some(ids),
        InjectionStep::Pending(_) | InjectionStep::Compacted => None,
    });
    // Notes in CORE.md are identified by their path and shown to everyone, so they are not counted.
    let ids: Vec<&str> = injected.flatten().map(String::as_str).filter(|id| !id.contains('/')).collect();
    let holds = |at: &usize, id: &str| {
        let indexed = context.vaults[*at].index().lookup(id).unwrap_or_default();
        indexed.iter().any(|(indexed_id, _)| indexed_id.as_str() == id)
    };
    let owner = |id: &str| (1..context.vaults.len()).find(|at| !holds(&0, id) && holds(at, id)).unwrap_or(0);
    for (at, open) in context.vaults.iter().enumerate() {
        let own: Vec<&str> = ids.iter().copied().filter(|id| owner(id) == at).collect();
        // A vault on a read-only disk can still be read from.
        let _ = open.usage().retrieved(&own, context.now());
    }
}

fn may_capture(context: &Context) -> bool {
    let settings = &context.target().settings;
    settings.broken().is_none() && settings.flag(keys::HOOKS_CAPTURE) != Some(false)
}

/// Records a hook failure among the private files about the server that the folder's hooks call, else
/// in the vault of the request, or in the global vault if there is none.
fn log(request: &Request, message: &HookMessage, what: &str) {
    if let Ok(Some(connection)) = ServerConnection::of_request(request) {
        return over_server::log(&connection, request, message, what);
    }
    let failure = FailureLogLine::new(request.now, message, what);
    let vaults = vault_of(request).into_iter().chain(global(request));
    for vault in vaults {
        if JsonLinesFile::of_hooks(&vault).append(std::slice::from_ref(&failure)).is_ok() {
            return;
        }
    }
}

/// Returns up to `most` hook failures of the request's vault, newest first.
///
/// # Errors
/// Returns an error if the log cannot be read.
pub fn failures(request: &Request, most: usize) -> Result<Vec<FailureLogLine>> {
    let Some(vault) = vault_of(request) else { return Ok(Vec::new()) };
    let (mut failures, _) = JsonLinesFile::of_hooks(&vault).read::<FailureLogLine>()?;
    failures.reverse();
    failures.truncate(most);
    Ok(failures)
}

/// Returns the vault of the request, even if its settings are invalid; `None` without a vault.
fn vault_of(request: &Request) -> Option<Vault> {
    match &request.vault {
        Some(folder) => Vault::open(&request.cwd.join(folder)).ok(),
        None => Vault::find_upwards(&request.cwd).or_else(|| global(request)),
    }
    .map(|vault| vault.prepare(request.private.as_ref()))
}

fn global(request: &Request) -> Option<Vault> {
    let folder = request.global.as_deref().filter(|path| path.join(layout::SETTINGS).is_file())?;
    Vault::open(folder).ok()
}
