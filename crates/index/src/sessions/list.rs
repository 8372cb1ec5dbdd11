//! Lists sessions by end time and looks them up by id.

use std::cmp::Reverse;

use super::filter::SessionIndexFilter;
use super::opened::SessionIndex;
use super::opened::fact_range;
use super::record::{Log, Session, SessionKey};
use super::schema::{path_fact, session_prefix};
use super::stretches::Counts;
use crate::error::RebuildReason;
use crate::text::fact;
use cm_note::query::LabelField;

/// Maximum number of sessions returned for an ambiguous prefix.
const MAX_CANDIDATES: usize = 20;

/// A page of sessions, the most recently ended first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexedSessionPage {
    pub list: Vec<SessionSummary>,
    /// Number of sessions that the filter accepts, on all pages.
    pub total: usize,
}

/// A session with its event counts and its log.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSummary {
    pub session: Session,
    pub counts: Counts,
    /// The log that the session was read from, if it is recorded.
    pub log: Option<Log>,
}

/// Result of looking up a session id or prefix.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionLookup {
    /// No session matches.
    Nothing,
    /// Exactly one session matches.
    One(Box<SessionSummary>),
    /// Several sessions match, the most recently ended first. The list is cut off at 20.
    Several(Vec<Session>),
}

impl SessionIndex {
    /// Returns at most `limit` accepted sessions starting at `offset`, the most recently ended
    /// first. Sessions without a time come last.
    pub(super) fn list(
        &self,
        filter: &SessionIndexFilter,
        offset: usize,
        limit: usize,
    ) -> Result<IndexedSessionPage, RebuildReason> {
        self.guarded(|opened| {
            let book = opened.book()?;
            let passing = filter.passing(opened)?;
            let passes = |number: &u64| passing.as_ref().is_none_or(|passing| passing.contains(number));
            let mut all: Vec<_> = book.sessions.iter().filter(|(number, _)| passes(number)).collect();
            all.sort_unstable_by_key(|(number, line)| (Reverse(line.ended), **number));
            let page = all.iter().skip(offset).take(limit);
            let list = page.map(|(_, line)| opened.listed(opened.session(line.address)?));
            Ok(IndexedSessionPage { list: list.collect::<tantivy::Result<_>>()?, total: all.len() })
        })
    }

    /// Whether a session of any agent has this id.
    pub(super) fn contains(&self, id: &str) -> Result<bool, RebuildReason> {
        let term = self.fields.fact(&fact(LabelField::Session, &LabelField::Session.folded(id)));
        self.guarded(|opened| Ok(!opened.having(&term)?.is_empty()))
    }

    /// Looks up a session by id, or by a case-insensitive prefix of its id.
    pub(super) fn lookup(&self, name: &str) -> Result<SessionLookup, RebuildReason> {
        self.guarded(|opened| {
            let prefix = session_prefix(name);
            let mut found: Vec<Session> = Vec::new();
            for fact in fact_range(opened, &prefix)? {
                for address in opened.having(&opened.fields.fact(&fact))? {
                    found.push(opened.session(address)?);
                }
                if found.len() > MAX_CANDIDATES
                    && found.iter().all(|session| session.meta.id.as_str() != name)
                {
                    break;
                }
            }
            let lower = name.to_lowercase();
            found.retain(|session| session.meta.id.as_str().to_lowercase().starts_with(&lower));
            // A whole id is meant before those that it begins.
            if found.iter().any(|session| session.meta.id.as_str() == name) {
                found.retain(|session| session.meta.id.as_str() == name);
            }
            found.sort_by_key(|session| (Reverse(session.meta.ended), session.key()));
            found.truncate(MAX_CANDIDATES);
            Ok(match found.len() {
                0 => SessionLookup::Nothing,
                1 => SessionLookup::One(Box::new(opened.listed(found.swap_remove(0))?)),
                _ => SessionLookup::Several(found),
            })
        })
    }

    fn listed(&self, session: Session) -> tantivy::Result<SessionSummary> {
        let counts = self.counts(&session.key())?;
        let log = match &session.log {
            Some(path) => self.log_at(path)?,
            None => None,
        };
        Ok(SessionSummary { session, counts, log })
    }

    /// Returns the sessions that were read from the log at `path`.
    pub(super) fn sessions_of_log(&self, path: &str) -> tantivy::Result<Vec<SessionKey>> {
        let mut keys = Vec::new();
        for address in self.having(&self.fields.fact(&path_fact(path)))? {
            let session = self.session(address)?;
            // Paths that differ in case only have one fact.
            if session.log.as_deref() == Some(path) {
                keys.push(session.key());
            }
        }
        Ok(keys)
    }

    /// Returns the record of the log at `path`.
    pub(super) fn log_at(&self, path: &str) -> tantivy::Result<Option<Log>> {
        let found = self.having(&self.fields.log_term(path))?;
        found.first().map(|address| self.json(*address)).transpose()
    }
}
