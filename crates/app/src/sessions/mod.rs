//! Sessions of agents: reads their logs into an index of the target vault, and answers queries from
//! it.
//!
//! Every query first reads new log entries. All data stays on this machine.

pub mod access_log;
pub mod cass;
pub(crate) mod diaries;
pub(crate) mod diary_location;
pub(super) mod events;
pub(crate) mod evidence;
pub mod evidence_quote;
pub(crate) mod gathered_evidence;
mod index_writer;
pub mod list;
pub mod load;
pub mod logs;
pub(super) mod parse_statistics;
mod project_folders;
mod recorded_outcomes;
pub mod reflection_log;
mod refresh_index;
pub(crate) mod related;
pub mod search;
pub(super) mod session_filter;
pub(crate) mod session_row;
pub mod show;
pub(crate) mod signals;
pub(super) mod sources;
pub mod timeline;
pub(crate) mod tool_signals;
pub mod trace_cache;
pub(crate) mod vectors;

use std::time::Duration;

use crate::context::open::Context;
use crate::context::progress::Progress;
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::reflection_log::ReflectionLog;
use cm_index::sessions::{SessionIndexFilter, SessionLookup, SessionSummary, Sessions};
use cm_session::Agent;

pub use session_row::{SessionInfo, SessionRow, ShownEvent};

#[derive(Debug, Clone, Default)]
pub struct SessionSelection {
    /// Agent names, separated by commas; `None` for all agents.
    pub agents: Option<String>,
    /// Only sessions in this folder or below it; relative paths and `~` are resolved.
    pub workspace: Option<String>,
    /// Maximum age in days; 0 for any age. `None` applies the default of the operation.
    pub days: Option<f64>,
}

/// Reads new log entries into the session index.
///
/// # Errors
/// Returns an error if a redaction pattern is invalid or if the index cannot be used.
pub(super) fn refresh(context: &Context) -> Result<()> {
    refresh_index::refresh(context, &mut |_| {})
}

/// Like [`refresh`], for a background process: waits for another process that reads logs.
///
/// # Errors
/// The errors of [`refresh`].
pub(super) fn refresh_patiently(context: &Context) -> Result<()> {
    refresh_index::refresh_within(context, LOCK_TIMEOUT, &mut |_| {})
}

/// Maximum wait of a background process for another process that reads logs.
const LOCK_TIMEOUT: Duration = Duration::from_secs(120);

/// The open session index, with the record of sessions that were reflected on.
pub struct SessionAccess {
    sessions: Sessions,
    /// Earlier runs of `cm reflect`, by session.
    record: ReflectionLog,
}

impl SessionAccess {
    /// Opens the index and reads new log entries, unless the request has `no_refresh` set.
    ///
    /// # Errors
    /// Returns an error if a redaction pattern is invalid or if the index cannot be used.
    pub fn open(context: &Context, progress: &mut dyn FnMut(Progress)) -> Result<Self> {
        if context.request.no_refresh {
            context.notice("the session index was not updated (`--no-refresh`)");
        } else {
            refresh_index::refresh(context, progress)?;
        }
        Ok(Self { record: ReflectionLog::load_with_notice(context)?, ..Self::open_without_refresh(context) })
    }

    /// Opens the index as it is. Reads the logs only if there is an index that cannot be used.
    ///
    /// # Errors
    /// The errors of [`Self::open`].
    pub fn open_quickly(context: &Context) -> Result<Self> {
        let access = Self::open_without_refresh(context);
        match access.query(|sessions| sessions.list(&SessionIndexFilter::default(), 0, 1)) {
            Ok(_) => Ok(access),
            Err(_) => Self::open(context, &mut |_| {}),
        }
    }

    /// Opens the index without reading new log entries and without the reflection record, for
    /// callers that must respond quickly.
    pub(super) fn open_without_refresh(context: &Context) -> Self {
        Self { sessions: Sessions::open(&folder(context)), record: ReflectionLog::default() }
    }

    /// Queries the index; returns `None` if there is no index yet.
    pub(super) fn query<T>(
        &self,
        question: impl FnOnce(&Sessions) -> std::result::Result<T, cm_index::Error>,
    ) -> Result<Option<T>> {
        match question(&self.sessions) {
            Ok(answer) => Ok(Some(answer)),
            Err(cm_index::Error::Unusable(cm_index::RebuildReason::Missing)) => Ok(None),
            Err(error @ cm_index::Error::Unusable(_)) => {
                Err(Error::new(ErrorKind::Failed, "index", error.to_string())
                    .hint("run the command without `--no-refresh` to read the logs again"))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Finds a session by its id, a unique prefix of it, or the path of its log or the end of that
    /// path.
    pub(super) fn find(&self, name: &str) -> Result<SessionSummary> {
        if name.trim().is_empty() {
            return Err(Error::usage("the session ID is empty").hint("`cm sessions` lists them"));
        }
        let lookup = match self.query(|sessions| sessions.lookup(name))? {
            Some(SessionLookup::Nothing) if name.contains(std::path::is_separator) => {
                self.find_by_log(name)?
            }
            found => found.unwrap_or(SessionLookup::Nothing),
        };
        match lookup {
            SessionLookup::One(listed) => Ok(*listed),
            SessionLookup::Nothing => Err(Error::not_found(format!("session `{name}` not found"))
                .hint("`cm sessions --days 0` lists all sessions")),
            SessionLookup::Several(sessions) => {
                let ids: Vec<String> = sessions
                    .iter()
                    .map(|session| format!("{} ({})", session.meta.id, session.meta.agent))
                    .collect();
                let message = format!("`{name}` matches several sessions");
                Err(Error::ambiguous(message).hint(format!("use one of {}", ids.join(", "))))
            }
        }
    }
}

impl SessionAccess {
    fn find_by_log(&self, path: &str) -> Result<SessionLookup> {
        let path = std::path::Path::new(path);
        let path = path.strip_prefix(".").unwrap_or(path);
        let all = SessionIndexFilter { without_subagents: true, ..SessionIndexFilter::default() };
        let listing = self.query(|sessions| sessions.list(&all, 0, usize::MAX))?.unwrap_or_default();
        let is_its_log = |log: &String| std::path::Path::new(log).ends_with(path);
        let mut found: Vec<SessionSummary> = listing.list;
        found.retain(|listed| listed.session.log.as_ref().is_some_and(is_its_log));
        Ok(match found.len() {
            0 => SessionLookup::Nothing,
            1 => SessionLookup::One(Box::new(found.swap_remove(0))),
            _ => SessionLookup::Several(found.into_iter().map(|listed| listed.session).collect()),
        })
    }
}

/// Returns the folder of the session index. Each owner of tokens has a separate index, which contains
/// only the sessions that this person uploaded.
pub(crate) fn folder(context: &Context) -> std::path::PathBuf {
    let caller = &context.request.caller;
    let name = match (caller.has_token, &caller.actor) {
        (false, _) => "sessions".to_owned(),
        (true, None) => "sent".to_owned(),
        (true, Some(person)) => format!("sent-{}", &blake3::hash(person.as_bytes()).to_hex()[..16]),
    };
    context.target().vault.index().join(name)
}

pub(super) fn agent(name: &str) -> Option<Agent> {
    Agent::ALL.into_iter().find(|agent| agent.name() == name)
}

/// Parses agent names separated by commas.
///
/// # Errors
/// Returns an error if a name is not that of a supported agent.
pub fn agents(typed: &str) -> Result<Vec<Agent>> {
    let one = |name: &str| {
        agent(name).ok_or_else(|| {
            let names = Agent::ALL.map(Agent::name).join(", ");
            Error::usage(format!("`{name}` is not a supported agent"))
                .hint(format!("supported agents: {names}"))
        })
    };
    typed.split(',').map(str::trim).map(one).collect()
}
