//! Hooks of a folder whose memory is a team server: the same events, answered over HTTP.
//!
//! The agent waits only for a briefing, and only for a short time. Sessions and feedback are sent by a
//! background process. Without an answer the hook injects nothing, or at the start of a session the
//! last copy of MEMORY.md.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::background::BackgroundTask;
use super::{HookResponse, INJECTION_LOG_DAYS, MORE, start};
use crate::context::request::Request;
use crate::context::secrets;
use crate::error::Result;
use crate::verbs::server_client::api::{CallFailure, ServerApi};
use crate::verbs::server_client::briefing::ServerBriefing;
use crate::verbs::server_client::connection::ServerConnection;
use crate::verbs::server_client::deliver::DeliveryTask;
use crate::verbs::server_client::incomplete::IncompleteSessions;
use crate::verbs::server_client::memory_copy;
use crate::verbs::server_client::outbox::Outbox;
use crate::verbs::server_client::reachability::{self, Outage};
use crate::verbs::server_client::session_upload::{self, SessionReference};
use cm_agents::hook::event::InjectionTiming;
use cm_agents::hook::failure::FailureLogLine;
use cm_agents::hook::injection::{InjectionEntry, InjectionPart, MAX_INJECTION_UNITS};
use cm_agents::hook::injection_log::{InjectionLog, file_name};
use cm_agents::hook::plan::{HookAnswer, HookPlan, InjectionLimit};
use cm_agents::hook::selection::SelectionLimits;
use cm_agents::hook::{HookEvent, HookMessage, hook_agent, memory_text};
use cm_embed::builtin::StaticModel;
use cm_playbook::briefing::MIN_TOKENS;
use cm_playbook::generated::CHARS_PER_TOKEN;
use cm_secrets::redact;
use cm_store::config::{Settings, keys};
use cm_store::vault::json_lines::{JsonLinesFile, remove_old_files};
use cm_text::shorten::{short_line, shorten};

/// Maximum wait for the briefing of a session.
const START_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum wait for the notes that fit a prompt.
const PROMPT_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum length of a question in characters.
const MAX_QUESTION_CHARS: usize = 1_000;
/// Minimum length of a question in characters.
const SHORTEST_QUESTION: usize = 3;
/// Maximum length of the cause of an outage that an agent is shown, in characters.
const MAX_CAUSE_CHARS: usize = 120;

/// Answer of the server to a hook.
#[derive(Default)]
struct ServerAnswer {
    parts: Vec<InjectionPart>,
    /// Whether the server did not answer, so that the event counts as unanswered.
    is_missing: bool,
}

/// Answers an event.
///
/// # Errors
/// Private files that cannot be read or written, settings of the user that are not valid, and an invalid
/// redaction pattern.
pub(super) fn answer(
    request: &Request,
    message: &HookMessage,
    connection: &ServerConnection,
) -> Result<HookResponse> {
    let settings = connection.settings(request)?;
    let log = message
        .session
        .as_deref()
        .map(|id| JsonLinesFile::server_injection_log(&connection.private, &file_name(id)));
    let mut server_answer: Option<ServerAnswer> = None;
    let (reply, plan) = loop {
        let (text, length) =
            log.as_ref().map(JsonLinesFile::text_and_length).transpose()?.unwrap_or_default();
        let injections = InjectionLog::read(&text);
        let plan = HookPlan::of(message, &injections, false, request.now);
        let received = match &mut server_answer {
            Some(received) => received,
            none => none.insert(ask(request, message, connection, &settings, &plan, &injections)?),
        };
        let most = if plan.start {
            settings.integer(keys::HOOKS_START_TOKENS) * CHARS_PER_TOKEN
                + settings.integer(keys::HOOKS_MAX_CHARACTERS)
        } else {
            MAX_INJECTION_UNITS
        };
        let answer = HookAnswer::of(
            message,
            &injections,
            &received.parts,
            &InjectionLimit { most, more: MORE },
            request.now,
        );
        let lines = if received.is_missing { &[][..] } else { &answer.lines };
        let is_recorded = match log.as_ref().filter(|_| !lines.is_empty()) {
            Some(log) => log.append_at(length, lines)?,
            None => true,
        };
        if is_recorded {
            hold(message, connection, &received.parts)?;
            break (answer.reply, plan);
        }
    };
    let later = task(message, connection, &plan)?;
    Ok(HookResponse {
        stdout: reply.stdout(message),
        later: later
            .map(|task| BackgroundTask::Deliver(serde_json::to_string(&task).unwrap_or_default()))
            .into_iter()
            .collect(),
        folder: request.cwd.clone(),
    })
}

/// Runs the background task of a hook. Failures are logged.
pub fn deliver(request: &Request, input: &str) {
    let Ok(Some(connection)) = ServerConnection::of_request(request) else { return };
    let task: DeliveryTask = serde_json::from_str(input).unwrap_or_default();
    if let Err(error) = task.run(request, &connection) {
        let message = HookMessage::read("", hook_agent(&task.agent), None);
        log(&connection, request, &message, &error.message);
    }
}

/// Appends a failure to the log of the server's hooks.
pub(super) fn log(connection: &ServerConnection, request: &Request, message: &HookMessage, what: &str) {
    let failure = FailureLogLine::new(request.now, message, what);
    // A hook has no other place to report that this fails.
    let _ = JsonLinesFile::of_server_hooks(&connection.private).append(&[failure]);
}

/// Gets what the event needs.
fn ask(
    request: &Request,
    message: &HookMessage,
    connection: &ServerConnection,
    settings: &Settings,
    plan: &HookPlan,
    injections: &InjectionLog,
) -> Result<ServerAnswer> {
    if !plan.pending.is_empty() {
        return Ok(ServerAnswer { parts: held(message, connection, &plan.pending), is_missing: false });
    }
    // The briefing for a new session contains nothing that was typed in it.
    let question = plan.question.as_deref().filter(|_| settings.flag(keys::HOOKS_CAPTURE) != Some(false));
    let is_nothing = !plan.start && question.is_none();
    if is_nothing || !session_upload::permits(request, settings, message.agent.agent(), Some(&request.cwd)) {
        return Ok(ServerAnswer::default());
    }
    let outage = Outage::of(connection);
    if message.event != Some(HookEvent::SessionStart)
        && outage.as_ref().is_some_and(|it| it.is_recent(request.now))
    {
        return Ok(ServerAnswer { is_missing: true, ..ServerAnswer::default() });
    }
    let rules = secrets::rules_for_server(settings, request)?;
    let api = ServerApi::new(connection, request, message.agent.agent().name(), message.session.as_deref())?;
    let mut parts = Vec::new();
    if let Some(question) = question {
        let question = redact(question, &rules).0.into_string();
        let limits = SelectionLimits {
            threshold: settings.number(keys::HOOKS_THRESHOLD),
            notes: settings.integer(keys::HOOKS_MAX_NOTES),
            characters: settings.integer(keys::HOOKS_MAX_CHARACTERS),
        };
        let tokens = (limits.characters / CHARS_PER_TOKEN).max(MIN_TOKENS);
        match briefing(&api, Some(&question), tokens, PROMPT_TIMEOUT) {
            Ok(found) => {
                let is_failure = message.event == Some(HookEvent::ToolFailure);
                let by_words = settings.disables_embeddings();
                let model = (!by_words).then(StaticModel::shipped);
                let shown = injections.excluded_ids();
                parts.extend(found.parts_for(&question, is_failure, model, &shown, &limits));
                reachability::record_answer(connection);
            }
            Err(failure) => return Ok(missing(request, message, connection, &failure)),
        }
    }
    if plan.start {
        let since = request.now.minus_days(INJECTION_LOG_DAYS);
        remove_old_files(&connection.private.state().join("hooks"), since);
        remove_old_files(&session_upload::folder(connection), since);
        remove_old_files(&IncompleteSessions::of(&connection.private).folder(), since);
        let task = start::task_of(&request.cwd).map(|task| redact(&task, &rules).0.into_string());
        match start_parts(&api, task.as_deref(), settings.integer(keys::HOOKS_START_TOKENS)) {
            Ok(found) => {
                parts.extend(found);
                reachability::record_answer(connection);
            }
            Err(failure) => return Ok(missing(request, message, connection, &failure)),
        }
    }
    Ok(ServerAnswer { parts, is_missing: false })
}

/// Gets what fits the current work, and what applies to any work.
fn start_parts(
    api: &ServerApi,
    task: Option<&str>,
    tokens: usize,
) -> std::result::Result<Vec<InjectionPart>, CallFailure> {
    if task.is_none() {
        return Ok(ServerBriefing::default().start_parts(&briefing(api, None, tokens, START_TIMEOUT)?));
    }
    let found = briefing(api, task, tokens, START_TIMEOUT)?;
    // Without this answer the session still has the first.
    let standing = briefing(api, None, tokens, PROMPT_TIMEOUT).unwrap_or_default();
    Ok(found.start_parts(&standing))
}

fn briefing(
    api: &ServerApi,
    task: Option<&str>,
    tokens: usize,
    timeout: Duration,
) -> std::result::Result<ServerBriefing, CallFailure> {
    if task.is_some_and(|task| task.trim().chars().count() < SHORTEST_QUESTION) {
        return Ok(ServerBriefing::default());
    }
    let task = task.map(|task| shorten(task.trim(), MAX_QUESTION_CHARS).replace('\0', " "));
    let answer = api.briefing(task.as_deref(), tokens, timeout)?;
    ServerBriefing::read(&answer).ok_or_else(|| CallFailure {
        cause: "the server's answer is not a briefing".to_owned(),
        status: None,
        is_final: false,
        refusal: None,
    })
}

/// The answer while the server is away: at the start of a session one line about it and the last copy
/// of MEMORY.md, else nothing.
fn missing(
    request: &Request,
    message: &HookMessage,
    connection: &ServerConnection,
    failure: &CallFailure,
) -> ServerAnswer {
    let is_read_only = failure.refuses_uploads_only();
    if reachability::record_failure(connection, request.now, &failure.cause, is_read_only) {
        log(connection, request, message, &failure.cause);
    }
    let mut parts = Vec::new();
    if message.event == Some(HookEvent::SessionStart) {
        let waiting = Outbox::of(&connection.private).size().unwrap_or_default().items;
        let copy = memory_copy::stored(connection).map(|copy| memory_text::parts(&copy)).unwrap_or_default();
        let text = line(connection, failure, !copy.is_empty(), waiting);
        parts.push(InjectionPart {
            entries: vec![InjectionEntry { text, ..InjectionEntry::default() }],
            ..InjectionPart::default()
        });
        parts.extend(copy);
    }
    ServerAnswer { parts, is_missing: true }
}

/// One line about the outage. It contains no text of the server.
fn line(connection: &ServerConnection, failure: &CallFailure, has_copy: bool, waiting: usize) -> String {
    let url = &connection.url;
    let what = match failure.status {
        Some(401) => format!("The memory server {url} does not accept the token of this machine."),
        Some(status) => format!("The memory server {url} is not available (status {status})."),
        None => format!(
            "The memory server {url} is not available ({}).",
            short_line(&failure.cause, MAX_CAUSE_CHARS)
        ),
    };
    let instead = if has_copy { "Its last copy follows." } else { "Its notes are missing here." };
    let waiting = match waiting {
        0 => String::new(),
        1 => " 1 upload waits on this machine.".to_owned(),
        many => format!(" {many} uploads wait on this machine."),
    };
    format!("{what} {instead}{waiting}")
}

/// The work after the response.
fn task(
    message: &HookMessage,
    connection: &ServerConnection,
    plan: &HookPlan,
) -> Result<Option<DeliveryTask>> {
    let ends = message.event.is_some_and(|event| message.agent.ends_session(event)) && !message.subagent;
    let session = message.session.clone().filter(|_| plan.capture);
    let task = DeliveryTask {
        agent: message.agent.agent().name().to_owned(),
        session: session.map(|session| SessionReference {
            agent: message.agent.agent(),
            session,
            transcript: message.transcript.as_ref().map(PathBuf::from).filter(|path| path.is_absolute()),
        }),
        refresh_memory: plan.start || ends,
    };
    if !task.is_nothing() {
        return Ok(Some(task));
    }
    let is_prompt = message.event == Some(HookEvent::Prompt) && Outage::of(connection).is_none();
    let waits = is_prompt && Outbox::of(&connection.private).size()?.items > 0;
    Ok(waits.then_some(task))
}

/// Text of notes that an agent takes only at a later event.
#[derive(Serialize, Deserialize)]
struct HeldText {
    id: String,
    text: String,
}

fn held_file(connection: &ServerConnection, session: &str) -> PathBuf {
    connection.private.state().join("hooks").join(format!("{}.held", file_name(session)))
}

/// Stores the notes that were selected now and are injected at a later event.
fn hold(message: &HookMessage, connection: &ServerConnection, parts: &[InjectionPart]) -> Result<()> {
    let timing = message.event.map(|event| message.agent.injection_timing(event));
    let (Some(InjectionTiming::At(_)), Some(session)) = (timing, message.session.as_deref()) else {
        return Ok(());
    };
    let entries = parts.iter().flat_map(|part| &part.entries);
    let new = entries.filter_map(|entry| Some(HeldText { id: entry.id.clone()?, text: entry.text.clone() }));
    let mut texts: Vec<HeldText> = new.collect();
    if texts.is_empty() {
        return Ok(());
    }
    texts.extend(stored_texts(connection, session));
    texts.truncate(100);
    Ok(connection.private.write_json_unsynced(&held_file(connection, session), &texts)?)
}

fn held(message: &HookMessage, connection: &ServerConnection, ids: &[String]) -> Vec<InjectionPart> {
    let texts =
        message.session.as_deref().map(|session| stored_texts(connection, session)).unwrap_or_default();
    let entry = |id: &String| {
        let text = texts.iter().find(|text| text.id == *id)?.text.clone();
        Some(InjectionEntry { id: Some(id.clone()), text, relevance: None })
    };
    vec![InjectionPart { entries: ids.iter().filter_map(entry).collect(), ..InjectionPart::default() }]
}

fn stored_texts(connection: &ServerConnection, session: &str) -> Vec<HeldText> {
    connection.private.read_json(&held_file(connection, session)).ok().flatten().unwrap_or_default()
}
