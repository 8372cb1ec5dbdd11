//! Outcomes of sessions that have no diary: those of the reflection logs and of the traces.

use std::collections::HashMap;

use super::SessionAccess;
use super::reflection_log::ReflectionLog;
use super::session_filter::is_global;
use super::trace_cache::TraceCache;
use crate::context::open::Context;
use cm_index::sessions::SessionIndexFilter;
use cm_learn::recurring::SessionTrace;
use cm_learn::workspace_path::project_name;
use cm_note::bullet::Bullet;
use cm_session::status::SessionStatus;

/// What the private files of the open vaults have about sessions.
#[derive(Debug, Default)]
pub(crate) struct RecordedOutcomes {
    logs: Vec<ReflectionLog>,
    traces: Vec<SessionTrace>,
    /// Whether the target vault has sessions of several projects.
    is_by_workspace: bool,
}

impl RecordedOutcomes {
    /// Reads the private files. A file that cannot be read is reported and left out.
    pub fn of(context: &Context, sessions: &SessionAccess) -> Self {
        let is_by_workspace = is_global(context, context.target());
        let mut recorded = Self { is_by_workspace, ..Self::default() };
        for open in &context.vaults {
            match (ReflectionLog::load(open), TraceCache::load(open)) {
                (Ok(log), Ok(cache)) => {
                    recorded.logs.push(log);
                    recorded.traces.extend(cache.into_traces());
                }
                (Err(error), _) | (_, Err(error)) => {
                    context.notice(format!("outcomes of sessions could not be read: {}", error.message));
                }
            }
        }
        let all = SessionIndexFilter { without_subagents: true, ..SessionIndexFilter::default() };
        let listed = sessions.query(|sessions| sessions.list(&all, 0, usize::MAX)).unwrap_or_else(|error| {
            context.notice(format!("outcomes of sessions could not be read: {}", error.message));
            None
        });
        let conversations: HashMap<(&str, &str), u64> = listed
            .iter()
            .flat_map(|listing| &listing.list)
            .map(|one| (&one.session.meta, one.session.conversation))
            .map(|(meta, conversation)| ((meta.agent.name(), meta.id.as_str()), conversation))
            .collect();
        let conversation = |trace: &SessionTrace| {
            conversations.get(&(trace.agent.as_str(), trace.session.as_str())).copied()
        };
        // A session that is no longer indexed may be a fork of any other.
        recorded.traces.retain_mut(|trace| match conversation(trace) {
            Some(conversation) => {
                trace.conversation = conversation;
                true
            }
            None => false,
        });
        recorded
    }

    /// Returns the outcome of a session; `None` if it is unknown.
    pub fn status(&self, agent: &str, session: &str) -> Option<SessionStatus> {
        let logged = self.logs.iter().filter_map(|log| log.status(agent, session));
        let traced = self.traces.iter().filter(|one| one.agent == agent && one.session == session);
        logged.chain(traced.map(|one| one.status)).find(|status| *status != SessionStatus::Unknown)
    }

    /// Returns the traces of the sessions in which a rule holds.
    pub fn traces_for(&self, rule: &Bullet) -> Vec<&SessionTrace> {
        let is_here = |trace: &&SessionTrace| {
            let Some(own) = rule.workspace.as_deref().filter(|_| self.is_by_workspace) else { return true };
            trace.workspace.as_deref().is_some_and(|folder| project_name(folder) == own)
        };
        self.traces.iter().filter(is_here).collect()
    }
}
