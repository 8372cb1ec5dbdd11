//! Reflects on sessions: each becomes a diary and a set of proposals, which curation accepts or
//! refuses.
//!
//! Every session is one commit and one line of the record, so an interrupted run loses nothing and
//! the next run continues.

mod carry;
mod clean;
pub mod handed;
mod memories;
pub mod record;
mod settle;
mod todo;
mod witness;
mod work;

use schemars::JsonSchema;
use serde::Serialize;

use super::diary::session::Reader;
use super::error::{Error, Kind, Result};
use super::memory::Memory;
use super::provider::{self, Asker};
use super::sessions::{Shelf, Which};
use super::stop::Stop;
use cm_learn::reflect::evidence::DAYS;
use cm_learn::reflect::run::{Done, Run, conclude};
use record::Record;
use todo::{Plan, Todo, plan};
use work::{Failure, Terms, Work, earlier};

pub use cm_learn::reflect::run::Ending;
pub use work::{Learned, Worked};

/// Selection of sessions and mode of the run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Selects sessions; without a number of days, `sessions.lookback_days` applies.
    pub which: Which,
    /// Maximum number of sessions; the rest remains for the next run.
    pub most: Option<usize>,
    /// Report the changes without writing them.
    pub dry_run: bool,
    /// Do not use a model, whatever the settings are.
    pub no_model: bool,
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reflected {
    /// Outcome of the run, with counts and reasons.
    #[serde(flatten)]
    pub run: Run,
    /// Results of the sessions, in the order of processing.
    pub worked: Vec<Worked>,
    /// Model that was used; null if the run used rules only.
    pub model: Option<String>,
    /// Whether the run was stopped on request.
    pub interrupted: bool,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
    /// Number of matching sessions that earlier runs had processed; not part of the answer.
    #[serde(skip)]
    pub before: usize,
    /// Failure kind that decides exit code and HTTP status; `None` on success.
    #[serde(skip)]
    pub kind: Option<Kind>,
}

/// Progress of a run.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Number of processed sessions.
    pub done: usize,
    /// Number of sessions in this run.
    pub of: usize,
    /// Title of the current session; empty at the end.
    pub title: &'a str,
}

/// Number of consecutive sessions without an answer from the model after which the run ends.
const SILENT: usize = 3;

/// Reflects on the sessions that have not been processed yet.
///
/// # Errors
/// Returns an error if the agent filter or a setting is invalid, or if the model may not be used.
/// The failure of a single session is reported in the result instead.
pub fn reflect(
    memory: &Memory,
    shelf: &Shelf,
    options: &Options,
    stop: &Stop,
    progress: &dyn Fn(Progress<'_>),
) -> Result<Reflected> {
    let record = Record::heard(memory)?;
    let with_model = !options.no_model && provider::is_set(memory);
    let Plan { mut todo, all } = plan(memory, shelf, &record, &options.which, with_model)?;
    let before = all.saturating_sub(todo.iter().map(|one| 1 + one.forks.len()).sum());
    let over = todo.len().saturating_sub(options.most.unwrap_or(usize::MAX));
    todo.truncate(options.most.unwrap_or(usize::MAX));
    let reader = Reader::open(memory)?;
    let wants_model = !options.no_model && !todo.is_empty();
    let asker = if wants_model { Asker::open(memory, &reader.rules, stop)? } else { None };
    let model = asker.as_ref().map(Asker::name);
    let earlier = if todo.is_empty() { Vec::new() } else { earlier(memory, DAYS)? };
    let terms = terms(memory, options.dry_run);
    let mut work = Work { memory, reader, record, asker, earlier, terms };
    let mut ran = Ran::default();
    for one in &todo {
        if stop.is_asked() || ran.ended.is_some() {
            break;
        }
        let title = one.listed.session.meta.title.as_deref().unwrap_or_default();
        progress(Progress { done: ran.worked.len(), of: todo.len(), title });
        ran.take(&mut work, one, stop)?;
    }
    progress(Progress { done: todo.len(), of: todo.len(), title: "" });
    let left = todo.len() - ran.worked.len() + over;
    Ok(ran.concluded(left, before, model, options.dry_run, stop))
}

/// Returns the limits of the run from the settings.
fn terms(memory: &Memory, dry_run: bool) -> Terms {
    let settings = &memory.target().settings;
    let (deltas, rounds) = (settings.whole("reflect.max_deltas"), settings.whole("reflect.max_iterations"));
    Terms { dry_run, deltas, rounds, again: false }
}

/// State of a run.
#[derive(Default)]
struct Ran {
    worked: Vec<Worked>,
    /// Kind of the first failure.
    first: Option<Kind>,
    /// Error that ended the whole run.
    ended: Option<Error>,
    silent: usize,
}

impl Ran {
    fn take(&mut self, work: &mut Work<'_>, todo: &Todo, stop: &Stop) -> Result<()> {
        match work.work(todo) {
            Ok(worked) => {
                self.silent = 0;
                self.worked.push(worked);
            }
            // What was in hand is dropped, and is there for the next run.
            Err(_) if stop.is_at_once() => {}
            Err(Failure { error, is_lasting: true }) => {
                self.first.get_or_insert(error.kind);
                self.ended = Some(error);
            }
            Err(Failure { error, .. }) => {
                self.first.get_or_insert(error.kind);
                self.silent += usize::from(error.kind == Kind::Provider);
                work.failed(todo, &error)?;
                self.worked.push(failed(todo, &error));
                if self.silent >= SILENT {
                    self.ended = Some(Error {
                        message: format!("{SILENT} sessions in a row: {}", error.message),
                        ..error
                    });
                }
            }
        }
        Ok(())
    }

    fn concluded(
        self,
        left: usize,
        before: usize,
        model: Option<String>,
        dry_run: bool,
        stop: &Stop,
    ) -> Reflected {
        let done: Vec<Done> = self.worked.iter().map(|worked| worked.done.clone()).collect();
        let interrupted = stop.is_asked();
        let stopped = interrupted.then_some("stopped on request; the next run goes on");
        let failure = self.ended.as_ref().map(|error| match &error.hint {
            Some(hint) => format!("{}: {hint}", error.message),
            None => error.message.clone(),
        });
        let mut run = conclude(&done, left, stopped, failure.as_deref());
        if run.ending == Ending::NothingToDo && left == 0 {
            run.reasons.push(match before {
                0 => "there is no session of these days, agents and folders".to_owned(),
                1 => "the one session of these days was learned from before".to_owned(),
                before => format!("all {before} sessions of these days were learned from before"),
            });
        }
        let kind = match run.ending {
            _ if interrupted => Some(stop.kind()),
            Ending::Changed => None,
            Ending::NothingToDo | Ending::NothingLearned => Some(Kind::NothingDone),
            Ending::PartlyFailed => Some(Kind::Failed),
            Ending::Failed => Some(self.first.unwrap_or(Kind::Failed)),
        };
        Reflected { run, worked: self.worked, model, interrupted, dry_run, before, kind }
    }
}

/// Result of a session that failed.
fn failed(todo: &Todo, error: &Error) -> Worked {
    let meta = &todo.listed.session.meta;
    let failure = match &error.hint {
        Some(hint) => format!("{}: {hint}", error.message),
        None => error.message.clone(),
    };
    Worked {
        done: Done {
            session: meta.id.as_str().to_owned(),
            agent: meta.agent.name().to_owned(),
            failure: Some(failure),
            ..Done::default()
        },
        title: meta.title.clone().unwrap_or_default(),
        status: cm_session::status::SessionStatus::Unknown,
        made: None,
        path: None,
        learned: Vec::new(),
        commit: None,
    }
}
