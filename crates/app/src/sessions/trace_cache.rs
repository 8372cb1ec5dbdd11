//! Cache of session traces: one JSON line for each session that was traced, in a private file.
//!
//! The file is derived from the logs and can be deleted; `cm reflect` then reads the logs again.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_index::sessions::SessionSummary;
use cm_learn::recurring::SessionTrace;
use cm_learn::recurring::trace::TRACE_FORMAT_VERSION;
use cm_note::instant::Instant;
use cm_store::vault::json_lines::JsonLinesFile;

/// A line of the cache: the trace of a session, and how long the session was then.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CachedTrace {
    version: u32,
    /// Number of indexed events of the session.
    events: usize,
    /// Time of the last log entry.
    ended: Option<Instant>,
    trace: SessionTrace,
}

/// Traces of sessions by agent and session id.
#[derive(Debug, Default)]
pub struct TraceCache(HashMap<(String, String), CachedTrace>);

impl TraceCache {
    /// Reads the cache of a vault. Lines that are damaged or of another version are left out.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn load(open: &OpenVault) -> Result<Self> {
        let (lines, _) = JsonLinesFile::of_traces(&open.vault)?.read::<CachedTrace>()?;
        let current = lines.into_iter().filter(|line| line.version == TRACE_FORMAT_VERSION);
        Ok(Self(current.map(|line| ((line.trace.agent.clone(), line.trace.session.clone()), line)).collect()))
    }

    /// Returns the trace of a session, unless the session has grown since it was traced.
    pub fn get(&self, listed: &SessionSummary) -> Option<&SessionTrace> {
        let meta = &listed.session.meta;
        let cached = self.0.get(&(meta.agent.name().to_owned(), meta.id.as_str().to_owned()))?;
        let is_current = cached.events == listed.counts.total() && cached.ended == meta.ended;
        is_current.then_some(&cached.trace)
    }

    /// Returns all traces, as they were when their sessions were traced last.
    pub fn into_traces(self) -> impl Iterator<Item = SessionTrace> {
        self.0.into_values().map(|cached| cached.trace)
    }

    /// Appends the trace of a session to the file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn add(&mut self, open: &OpenVault, listed: &SessionSummary, trace: &SessionTrace) -> Result<()> {
        let line = CachedTrace {
            version: TRACE_FORMAT_VERSION,
            events: listed.counts.total(),
            ended: listed.session.meta.ended,
            trace: trace.clone(),
        };
        JsonLinesFile::of_traces(&open.vault)?.append(std::slice::from_ref(&line))?;
        self.0.insert((trace.agent.clone(), trace.session.clone()), line);
        Ok(())
    }
}
