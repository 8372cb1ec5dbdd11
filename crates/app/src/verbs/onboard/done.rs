//! Records which sessions onboarding has processed, one JSON line per session, in the private file
//! `onboarded.jsonl`.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::open::Context;
use crate::error::Result;
use crate::sessions::{SessionAccess, agent};
use cm_index::sessions::SessionKey;
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_store::vault::json_lines::JsonLinesFile;

/// A line of the file that lists processed sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ProcessedLine {
    session: String,
    agent: String,
    at: Instant,
    #[serde(default)]
    by: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProcessedSession {
    /// Session ID.
    pub session: String,
    pub agent: String,
    /// When the session was first marked as done.
    pub at: Instant,
    /// Agent or person who marked the session; null if unknown.
    pub by: Option<String>,
    /// Whether this call marked the session; false if it was marked before.
    pub added: bool,
}

/// Marks a session as done; repeated calls change nothing.
///
/// # Errors
/// An unknown or ambiguous session, or a list that cannot be read or written.
pub fn done(context: &Context, access: &SessionAccess, name: &str) -> Result<ProcessedSession> {
    let listed = access.find(name)?;
    let key = listed.session.key();
    if let Some(line) = lines(context)?.into_iter().find(|line| key_of(line).as_ref() == Some(&key)) {
        return Ok(processed_session(line, false));
    }
    let caller = &context.request.caller;
    let line = ProcessedLine {
        session: key.id.as_str().to_owned(),
        agent: key.agent.name().to_owned(),
        at: context.now(),
        by: caller.agent.clone().or_else(|| caller.actor.clone()),
    };
    JsonLinesFile::of_onboarding(&context.target().vault)?.append(std::slice::from_ref(&line))?;
    Ok(processed_session(line, true))
}

fn processed_session(
    ProcessedLine { session, agent, at, by }: ProcessedLine,
    added: bool,
) -> ProcessedSession {
    ProcessedSession { session, agent, at, by, added }
}

/// Keys of all processed sessions.
///
/// # Errors
/// Returns an error if the list of processed sessions cannot be read.
pub(super) fn processed_keys(context: &Context) -> Result<HashSet<SessionKey>> {
    Ok(lines(context)?.iter().filter_map(key_of).collect())
}

fn lines(context: &Context) -> Result<Vec<ProcessedLine>> {
    let (lines, damaged) = JsonLinesFile::of_onboarding(&context.target().vault)?.read::<ProcessedLine>()?;
    if damaged > 0 {
        context.notice(format!("{damaged} damaged lines of onboarded.jsonl were skipped"));
    }
    Ok(lines)
}

fn key_of(line: &ProcessedLine) -> Option<SessionKey> {
    let agent: Agent = agent(&line.agent)?;
    Some(SessionKey { agent, id: line.session.as_str().into() })
}
