//! Finds agents' logs, decides which sessions may be read, and which of two logs supplies a session
//! that both contain.
//!
//! This module finds logs, but does not read their events.

use std::path::PathBuf;

use super::session_filter::{SessionFilter, project};
use crate::context::actor::CallerIdentity;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::paths::resolve_path;
use crate::context::request::Request;
use crate::error::{Error, Result};
use cm_agents::ingest::uploaded::{self, UploadHeader};
use cm_agents::ingest::{self, FoundLogs, LogFormat, LogLocations, LogSource};
use cm_session::{Agent, SessionMeta};
use cm_store::config::{SettingOrigin, keys};

/// The session logs that a request may read.
pub struct LogSources {
    /// Filter for the sessions in the logs.
    pub allowed: SessionFilter,
    /// Where agents store their logs; `None` if the caller may only read uploaded sessions.
    places: Option<LogLocations>,
    /// Folder of uploaded sessions; `None` if the user has no home folder to keep private files in.
    uploads: Option<PathBuf>,
    /// Selects the uploaded sessions that may be read.
    senders: UploadSenders,
}

/// Selects uploaded sessions by their sender. The holder of a token may read only those of the token's owner.
#[derive(Debug, Clone, PartialEq, Eq)]
enum UploadSenders {
    All,
    Person(Option<String>),
}

impl UploadSenders {
    fn of(caller: &CallerIdentity) -> Self {
        if caller.has_token { Self::Person(caller.actor.clone()) } else { Self::All }
    }

    /// Whether a session with this header may be read. A log without a header has no known sender.
    fn include(&self, header: impl FnOnce() -> Option<UploadHeader>) -> bool {
        match self {
            Self::All => true,
            Self::Person(person) => header().is_some_and(|header| header.by == *person),
        }
    }
}

/// Folder of uploaded sessions among a vault's private files.
pub const SENT: &str = "sessions";

/// Returns whether the sender of every upload of a session is known: a token holder or a person.
/// `None` if the session was not uploaded.
pub(crate) fn is_signed_upload(open: &OpenVault, session: &str) -> Option<bool> {
    uploads_of(open, session).map(|log| uploaded::is_signed(&log)).reduce(|all, signed| all && signed)
}

/// Returns whether the caller has a token and a person other than its owner uploaded the session.
pub(crate) fn is_of_another_sender(context: &Context, session: &str) -> bool {
    let senders = UploadSenders::of(&context.request.caller);
    if senders == UploadSenders::All {
        return false;
    }
    let is_foreign = |log: String| !senders.include(|| uploaded::first_header(&log));
    context.vaults.iter().any(|open| uploads_of(open, session).any(is_foreign))
}

/// Reads the uploaded logs of a session, one for each agent that has a session of this id.
fn uploads_of(open: &OpenVault, session: &str) -> impl Iterator<Item = String> {
    let is_plain = !session.is_empty() && !session.contains(['/', '\\', '\0']) && session != "..";
    Agent::ALL.into_iter().filter(move |_| is_plain).filter_map(move |agent| {
        let path = format!("{SENT}/{}", uploaded::path(agent, session).to_string_lossy());
        open.vault.read_private(&path).ok().flatten()
    })
}

impl LogSources {
    /// Builds the sources from a vault's settings. Callers with a token get only sessions that the
    /// token's owner uploaded.
    pub fn of(context: &Context, open: &OpenVault, home: PathBuf) -> Self {
        let allowed = SessionFilter::of(context, open);
        let sent = open.vault.private_file(SENT).ok();
        let senders = UploadSenders::of(&context.request.caller);
        if context.request.caller.has_token || allowed.allows_none() {
            return Self { allowed, places: None, uploads: sent, senders };
        }
        let project = project(open);
        let mut places = LogLocations::of_home(home);
        places.environment = context.request.variables.clone();
        places.workspaces = vec![context.request.cwd.clone(), project.to_owned()];
        places.workspaces.extend(allowed.folders());
        places.workspaces.sort();
        places.workspaces.dedup();
        let own = open.settings.get_from(keys::SESSIONS_EXPORTS, SettingOrigin::is_users);
        let exports = own.and_then(|(value, _)| value.as_array()).into_iter().flatten();
        let exports =
            exports.filter_map(toml::Value::as_str).map(|typed| resolve_path(context, project, typed).into());
        places.extra_paths.insert(Agent::Chatgpt, exports.collect());
        Self { allowed, places: Some(places), uploads: sent, senders }
    }

    /// Builds the sources for a request that may have no vault; uses the vault of `context` if given.
    ///
    /// # Errors
    /// Returns an error if the home folder is unknown.
    pub fn at(request: &Request, context: Option<&Context>) -> Result<Self> {
        let home = request.home.clone().ok_or_else(|| {
            Error::usage("there is no home directory to search for logs")
                .hint("set HOME, or pass a folder of logs")
        })?;
        if let Some(context) = context {
            return Ok(Self::of(context, context.target(), home));
        }
        let mut places = LogLocations::of_home(home);
        places.environment.clone_from(&request.variables);
        places.workspaces = vec![request.cwd.clone()];
        Ok(Self {
            allowed: SessionFilter::all(),
            places: Some(places),
            uploads: None,
            senders: UploadSenders::of(&request.caller),
        })
    }

    /// Returns whether the prompts in a log were written by the person: the log is local, or a
    /// person made all of its uploads.
    pub fn is_of_person(&self, open: &OpenVault, source: &LogSource) -> bool {
        let below = self.uploads.as_ref().and_then(|sent| source.path.strip_prefix(sent).ok());
        below.is_none_or(|path| {
            let log = open.vault.read_private(&format!("{SENT}/{}", path.to_string_lossy()));
            log.ok().flatten().is_some_and(|log| uploaded::is_by_person(&log))
        })
    }

    /// Returns whether a session of this log may be read.
    pub fn allow(&self, source: &LogSource, meta: &SessionMeta) -> bool {
        match self.uploads.as_ref().is_some_and(|sent| source.path.starts_with(sent)) {
            true => self.allowed.allows_upload(meta),
            false => self.allowed.allows(meta),
        }
    }

    /// Finds the logs of those wanted agents whose logs may be read; empty means all such agents.
    pub fn find(&self, wanted: &[Agent]) -> FoundLogs {
        let is_wanted = |agent: &Agent| wanted.is_empty() || wanted.contains(agent);
        let agents: Vec<Agent> = self.allowed.agents.iter().copied().filter(is_wanted).collect();
        let mut found = self.places.as_ref().map(|places| ingest::find(&agents, places)).unwrap_or_default();
        let sent = self.uploads.as_deref().map(|folder| uploaded::find(&agents, folder)).unwrap_or_default();
        let is_readable =
            |source: &LogSource| self.senders.include(|| uploaded::header_of_file(&source.path));
        found.sources.extend(sent.sources.into_iter().filter(is_readable));
        found.errors.extend(sent.errors);
        found.sources.sort_by(|a, b| a.path.cmp(&b.path).then(a.agent.cmp(&b.agent)));
        found
    }
}

/// Returns the logs that the settings of the target vault permit, including those stored in the
/// folder `worked_in`. `None` without a home folder.
pub fn sources(context: &Context, worked_in: Option<&str>) -> Option<LogSources> {
    let mut sources = LogSources::of(context, context.target(), context.request.home.clone()?);
    if let Some(places) = &mut sources.places {
        places.workspaces.extend(worked_in.map(PathBuf::from));
    }
    Some(sources)
}

/// Sort key of logs that contain the same session: the log with the smallest key is indexed.
pub fn preference_key(format: LogFormat, path: &str) -> (LogFormat, &str) {
    (format, path)
}

/// Returns the path of a log in the form that the session index stores.
pub fn path_of(source: &LogSource) -> String {
    source.path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_logs_the_newer_format_tells_and_then_the_first_path() {
        assert!(preference_key(LogFormat::CodexLines, "z") < preference_key(LogFormat::CodexDocument, "a"));
        assert!(preference_key(LogFormat::CodexLines, "a") < preference_key(LogFormat::CodexLines, "b"));
    }
}
