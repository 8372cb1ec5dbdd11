//! Reflects on sessions: each becomes a diary and a set of proposals, which curation accepts or
//! refuses. Memories that agents keep by themselves are taken over.
//!
//! Every session is one commit and one line of the record, so an interrupted run loses nothing and
//! the next run continues.

mod check_evidence;
pub(crate) mod commit;
pub(crate) mod later_word;
mod log_result;
mod marked_memories;
pub(crate) mod memories;
mod native;
mod process_session;
mod queue;
mod recorded;
mod redact;
mod session_drafts;
mod session_processor;
mod session_result;
mod standing_rules;
mod traces;
mod withdrawn;
mod withdrawn_memory;
pub mod work_package;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::cancellation::Cancellation;
use crate::context::open::Context;
use crate::context::progress::Progress;
use crate::context::provider::{self, LanguageModel};
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::reflection_log::{ReflectionLog, SessionReaderKind};
use crate::sessions::{SessionAccess, SessionSelection};
use crate::verbs::diary::session::SessionReader;
use cm_learn::reflect::evidence::DEFAULT_EVIDENCE_DAYS;
use cm_learn::reflect::run::{ReflectedSession, ReflectionRun, summarize};
use cm_store::config::keys;
use process_session::recent_diaries;
use queue::{QueuedSession, SessionQueue, plan};
use session_processor::{RunOptions, SessionFailure, SessionProcessor};
use traces::TraceLibrary;

pub use cm_learn::reflect::run::RunOutcome;
pub use native::NativeMemories;
pub use session_result::{LearnedChange, SessionReflection};

/// Which sessions `cm reflect` processes, and how.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Selects sessions; without a number of days, `sessions.lookback_days` applies.
    pub selection: SessionSelection,
    /// Maximum number of sessions to process; later runs process the rest. Without it, all new
    /// sessions, and a few of those that a cheaper or another reader has processed.
    pub limit: Option<usize>,
    /// Report the changes without writing them.
    pub dry_run: bool,
    /// Use rules only, even if the settings select a model.
    pub no_model: bool,
    /// Also process sessions again that a reader of the same kind has processed.
    pub again: bool,
}

/// Result of `cm reflect`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReflectResult {
    /// Counts of the run and the reasons for its outcome.
    #[serde(flatten)]
    pub run: ReflectionRun,
    /// Results of the processed sessions, in order.
    pub worked: Vec<SessionReflection>,
    /// Memories that agents keep by themselves and that were taken over.
    pub native: NativeMemories,
    /// Name of the model that was used; null if the run used rules only.
    pub model: Option<String>,
    /// Whether the user stopped the run.
    pub interrupted: bool,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
    /// Number of matching sessions that earlier runs had processed; not serialized.
    #[serde(skip)]
    pub before: usize,
    /// Kind of failure, which decides exit code and HTTP status; `None` on success. Not serialized.
    #[serde(skip)]
    pub kind: Option<ErrorKind>,
}

/// Maximum number of sessions in a run that a cheaper or another reader has processed, unless the
/// options say otherwise: a new model does not read years at once.
const MAX_REOPENED_SESSIONS: usize = 20;
/// The run ends after this number of consecutive sessions without an answer from the model.
const MAX_UNANSWERED: usize = 3;

/// Learns from the sessions that were not processed yet. `progress` receives the number of finished
/// sessions and the title of the current one, which is empty at the end.
///
/// # Errors
/// Returns an error if the agent filter or a setting is invalid, or if the model may not be used.
/// The failure of a single session is reported in the result instead.
pub fn reflect(
    context: &Context,
    access: &SessionAccess,
    options: &Options,
    stop: &Cancellation,
    progress: &dyn Fn(Progress, &str),
) -> Result<ReflectResult> {
    let record = ReflectionLog::load_with_notice(context)?;
    let model_name = provider::name(context).filter(|_| !options.no_model);
    let kind = reader_of(options, model_name.as_deref());
    let SessionQueue { mut todo, reopened, matching: all } =
        plan(context, access, &record, &options.selection, kind)?;
    let before = all.saturating_sub(todo.iter().map(|one| 1 + one.forks.len()).sum());
    let limit = options.limit.unwrap_or(todo.len() - reopened + MAX_REOPENED_SESSIONS);
    let over = todo.len().saturating_sub(limit);
    todo.truncate(limit);
    let mut reader = SessionReader::open(context)?;
    let wants_model = !options.no_model && !todo.is_empty();
    let language_model = if wants_model { LanguageModel::open(context, &reader.rules, stop)? } else { None };
    let model = language_model.as_ref().map(LanguageModel::name);
    let earlier = if todo.is_empty() { Vec::new() } else { recent_diaries(context, DEFAULT_EVIDENCE_DAYS)? };
    let run_options = RunOptions { reprocess: options.again, ..run_options(context, options.dry_run) };
    let traces = TraceLibrary::open(context, access, &mut reader, (&todo, options.dry_run), stop)?;
    let mut work = SessionProcessor {
        context,
        access,
        reader,
        record,
        model: language_model,
        earlier,
        traces,
        run_options,
    };
    let mut ran = RunState::default();
    for one in &todo {
        if stop.is_requested() || ran.fatal_error.is_some() {
            break;
        }
        let title = one.listed.session.meta.title.as_deref().unwrap_or_default();
        progress(Progress { done: ran.worked.len(), total: todo.len() }, title);
        ran.take(&mut work, one, stop)?;
    }
    progress(Progress { done: todo.len(), total: todo.len() }, "");
    let left = todo.len() - ran.worked.len() + over;
    let mut native = NativeMemories::default();
    if !stop.is_requested() && ran.fatal_error.is_none() {
        match native::take(context, options) {
            Ok(taken) => native = taken,
            Err(error) => {
                context.notice(format!("the agents' own memories were not read: {}", error.message));
            }
        }
    }
    let result = ran.into_result(left, before, model, options.dry_run, stop).with_native(native);
    let is_written = !result.native.notes.is_empty()
        || result.worked.iter().any(|reflection| reflection.path.is_some() || !reflection.learned.is_empty());
    if is_written && !options.dry_run {
        context.embed_learned(context.target(), &|| stop.is_requested());
    }
    Ok(result)
}

/// Returns what decides which processed sessions are open.
fn reader_of<'a>(options: &Options, model: Option<&'a str>) -> SessionReaderKind<'a> {
    if options.again { SessionReaderKind::Again } else { SessionReaderKind::of(model) }
}

/// Reads the limits of a run from the settings.
fn run_options(context: &Context, dry_run: bool) -> RunOptions {
    let settings = &context.target().settings;
    let (deltas, rounds) =
        (settings.integer(keys::REFLECT_MAX_DELTAS), settings.integer(keys::REFLECT_MAX_ITERATIONS));
    RunOptions { dry_run, deltas, rounds, reprocess: false }
}

#[derive(Default)]
struct RunState {
    worked: Vec<SessionReflection>,
    /// Error kind of the first failed session.
    first: Option<ErrorKind>,
    /// Error that ends the whole run, because further sessions would fail as well.
    fatal_error: Option<Error>,
    unanswered: usize,
}

impl RunState {
    fn take(
        &mut self,
        work: &mut SessionProcessor<'_>,
        todo: &QueuedSession,
        stop: &Cancellation,
    ) -> Result<()> {
        match work.process(todo) {
            Ok(reflection) => {
                self.unanswered = 0;
                self.worked.push(reflection);
            }
            // What was in hand is dropped, and is there for the next run.
            Err(_) if stop.is_immediate() => {}
            Err(SessionFailure { error, is_lasting: true }) => {
                self.first.get_or_insert(error.kind);
                self.fatal_error = Some(error);
            }
            Err(SessionFailure { error, .. }) => {
                self.first.get_or_insert(error.kind);
                self.unanswered += usize::from(error.kind == ErrorKind::Provider);
                work.failed(todo, &error)?;
                self.worked.push(record_failure(todo, &error));
                if self.unanswered >= MAX_UNANSWERED {
                    self.fatal_error = Some(Error {
                        message: format!("{MAX_UNANSWERED} sessions in a row: {}", error.message),
                        ..error
                    });
                }
            }
        }
        Ok(())
    }

    fn into_result(
        self,
        left: usize,
        before: usize,
        model: Option<String>,
        dry_run: bool,
        stop: &Cancellation,
    ) -> ReflectResult {
        let done: Vec<ReflectedSession> =
            self.worked.iter().map(|reflection| reflection.done.clone()).collect();
        let interrupted = stop.is_requested();
        let stopped = interrupted.then_some("stopped as requested; the next run continues");
        let failure = self.fatal_error.as_ref().map(|error| match &error.hint {
            Some(hint) => format!("{}: {}", error.message, hint.for_terminal()),
            None => error.message.clone(),
        });
        let mut run = summarize(&done, left, stopped, failure.as_deref());
        if run.ending == RunOutcome::NothingToDo && left == 0 {
            run.reasons.push(match before {
                0 => "no session matches these days, agents and folders".to_owned(),
                1 => "the only matching session was already processed".to_owned(),
                before => format!("all {before} matching sessions were already processed"),
            });
        }
        let kind = match run.ending {
            _ if interrupted => Some(stop.kind()),
            RunOutcome::Changed => None,
            RunOutcome::NothingToDo | RunOutcome::NothingLearned => Some(ErrorKind::NothingDone),
            RunOutcome::PartlyFailed => Some(ErrorKind::Failed),
            RunOutcome::Failed => Some(self.first.unwrap_or(ErrorKind::Failed)),
        };
        let native = NativeMemories::default();
        ReflectResult { run, worked: self.worked, native, model, interrupted, dry_run, before, kind }
    }
}

impl ReflectResult {
    /// Adds the memories of agents; a run that took some over has changed something.
    fn with_native(mut self, native: NativeMemories) -> Self {
        let is_idle = matches!(self.run.ending, RunOutcome::NothingToDo | RunOutcome::NothingLearned);
        if !native.notes.is_empty() && is_idle {
            self.run.ending = RunOutcome::Changed;
            self.kind = None;
        }
        self.native = native;
        self
    }
}

/// Creates the result of a session that failed with `error`.
fn record_failure(todo: &QueuedSession, error: &Error) -> SessionReflection {
    let meta = &todo.listed.session.meta;
    let failure = match &error.hint {
        Some(hint) => format!("{}: {}", error.message, hint.for_terminal()),
        None => error.message.clone(),
    };
    SessionReflection {
        done: ReflectedSession {
            session: meta.id.as_str().to_owned(),
            agent: meta.agent.name().to_owned(),
            failure: Some(failure),
            ..ReflectedSession::default()
        },
        title: meta.title.clone().unwrap_or_default(),
        status: cm_session::status::SessionStatus::Unknown,
        made: None,
        path: None,
        learned: Vec::new(),
        commit: None,
    }
}
