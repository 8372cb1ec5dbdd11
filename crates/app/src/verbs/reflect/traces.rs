//! Provides the traces of a project's sessions, so that what recurs in several of them is counted.
//!
//! Traces come from the cache; sessions that are not in it are read from their logs once.

use std::collections::HashSet;

use super::queue::{QueuedSession, session_key};
use crate::context::cancellation::Cancellation;
use crate::context::meaning::embed_requests;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use crate::sessions::SessionAccess;
use crate::sessions::load::GONE;
use crate::sessions::session_filter::is_global;
use crate::sessions::trace_cache::TraceCache;
use crate::verbs::diary::session::{SessionReader, SessionTranscript};
use cm_index::sessions::{SessionIndexFilter, SessionSummary};
use cm_learn::recurring::SessionTrace;
use cm_learn::recurring::trace::TracedRequest;
use cm_learn::reflect::evidence::DEFAULT_EVIDENCE_DAYS;

/// Traces of the sessions that a run may count.
#[derive(Debug, Default)]
pub struct TraceLibrary {
    cache: TraceCache,
    traces: Vec<SessionTrace>,
    /// Whether the vault has sessions of several projects, which are counted apart.
    is_by_workspace: bool,
    /// Whether new traces are not written to the cache.
    is_dry_run: bool,
}

impl TraceLibrary {
    /// Loads the traces of all sessions that ended at most [`DEFAULT_EVIDENCE_DAYS`] days before the first queued one.
    /// Queued sessions are left out; they are added when they are processed.
    ///
    /// # Errors
    /// Returns an error if the session index or the cache cannot be used.
    pub fn open(
        context: &Context,
        access: &SessionAccess,
        reader: &mut SessionReader,
        (todo, is_dry_run): (&[QueuedSession], bool),
        stop: &Cancellation,
    ) -> Result<Self> {
        let is_by_workspace = is_global(context, context.target());
        let mut library = Self { is_by_workspace, is_dry_run, ..Self::default() };
        if todo.is_empty() {
            return Ok(library);
        }
        library.cache = TraceCache::load(context.target())?;
        let queued: HashSet<(String, String)> =
            todo.iter().flat_map(|one| one.forks.iter().chain([&one.listed])).map(session_key).collect();
        let first = todo.iter().filter_map(|one| one.listed.session.meta.ended).min();
        let since = first.unwrap_or(context.now()).min(context.now()).minus_days(DEFAULT_EVIDENCE_DAYS);
        let filter = SessionIndexFilter {
            since: Some(since),
            without_subagents: true,
            ..SessionIndexFilter::default()
        };
        let listing = access.query(|sessions| sessions.list(&filter, 0, usize::MAX))?.unwrap_or_default();
        for listed in listing.list.iter().filter(|listed| !queued.contains(&session_key(listed))) {
            if stop.is_requested() {
                break;
            }
            library.add_earlier(context, reader, listed)?;
        }
        Ok(library)
    }

    /// Adds a session from the cache, else from its log.
    fn add_earlier(
        &mut self,
        context: &Context,
        reader: &mut SessionReader,
        listed: &SessionSummary,
    ) -> Result<()> {
        if let Some(cached) = self.cache.get(listed) {
            let trace = SessionTrace { conversation: listed.session.conversation, ..cached.clone() };
            self.traces.push(trace);
            return Ok(());
        }
        match reader.read(context, &listed.session, None) {
            Ok(transcript) => self.add(context, listed, &transcript).map(drop),
            // An empty trace is stored, so that a log that is gone is not looked for again.
            Err(error) if error.code == GONE => {
                let meta = &listed.session.meta;
                let trace = SessionTrace {
                    session: meta.id.to_string(),
                    agent: meta.agent.to_string(),
                    ended: meta.ended,
                    ..SessionTrace::default()
                };
                self.store(context, listed, &trace)
            }
            Err(_) => Ok(()),
        }
    }

    /// Adds the trace of a session that was read, and returns it.
    ///
    /// # Errors
    /// Returns an error if the cache cannot be written.
    pub fn add(
        &mut self,
        context: &Context,
        listed: &SessionSummary,
        transcript: &SessionTranscript,
    ) -> Result<SessionTrace> {
        let requests = embedded_requests(context.target(), transcript);
        let conversation = listed.session.conversation;
        let trace = SessionTrace { conversation, requests, ..transcript.trace() };
        self.store(context, listed, &trace)?;
        self.traces.retain(|one| one.session != trace.session || one.agent != trace.agent);
        self.traces.push(trace.clone());
        Ok(trace)
    }

    fn store(&mut self, context: &Context, listed: &SessionSummary, trace: &SessionTrace) -> Result<()> {
        if self.is_dry_run || self.cache.get(listed).is_some() {
            return Ok(());
        }
        self.cache.add(context.target(), listed, trace)
    }

    /// Returns the traces that may show a pattern together with `own`: those of its project that ended
    /// at most [`DEFAULT_EVIDENCE_DAYS`] days before or after it, and its own.
    pub fn of_project(&self, own: &SessionTrace) -> Vec<&SessionTrace> {
        let is_near = |other: &SessionTrace| match (own.ended, other.ended) {
            (Some(own), Some(other)) => own.days_until(other).abs() <= DEFAULT_EVIDENCE_DAYS,
            _ => true,
        };
        let is_of_project = |other: &SessionTrace| !self.is_by_workspace || other.workspace == own.workspace;
        self.traces.iter().filter(|other| is_near(other) && is_of_project(other)).collect()
    }
}

/// Returns the sentences of a session that may be wishes for every session, with their embeddings.
fn embedded_requests(open: &OpenVault, transcript: &SessionTranscript) -> Vec<TracedRequest> {
    let requests = &transcript.requests;
    let at = |line: u64| transcript.events.iter().find(|event| event.line == line).and_then(|event| event.at);
    let texts: Vec<&str> = requests.iter().map(|request| request.text.as_str()).collect();
    let vectors = embed_requests(open, &texts);
    let traced = requests.iter().zip(vectors).filter_map(|(request, vector)| {
        let traced = TracedRequest {
            line: request.line,
            at: at(request.line),
            text: request.text.clone(),
            quote: request.quote.clone(),
            lasting: request.lasting,
            vector: Vec::new(),
        };
        Some(traced.with_vector(&vector?))
    });
    traced.collect()
}
