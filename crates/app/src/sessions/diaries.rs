//! Finds diary notes by session in the open vaults.
//!
//! Files are authoritative, because a person may have edited any of them; outcomes stored in an
//! index are ignored.

use std::collections::{HashMap, HashSet};

use crate::context::find::load;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::error::Result;
use cm_learn::diary::Diary;
use cm_learn::diary::read::read;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_note::query::{BooleanGroup, LabelField, Query, QueryNode};

/// Maximum number of session IDs in one index query.
const MAX_IDS_PER_QUERY: usize = 200;

/// A parsed session diary with its vault and file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredDiary {
    /// Vault that contains the diary: project or global.
    pub level: VaultLevel,
    /// Path of the diary's file, relative to the vault root.
    pub path: NotePath,
    pub diary: Diary,
}

/// Loaded diaries by session ID. Several vaults can contain a diary of the same session.
#[derive(Debug, Default)]
pub(crate) struct DiaryIndex(HashMap<String, Vec<StoredDiary>>);

impl DiaryIndex {
    /// Loads the diaries of the given sessions from all open vaults. The files themselves are read,
    /// including those that are not indexed yet.
    pub fn of(context: &Context, sessions: &[&str]) -> Result<Self> {
        let session_ids: HashSet<&str> = sessions.iter().copied().collect();
        let mut diaries = Self::default();
        for open in &context.vaults {
            for path in paths(context, open, &session_ids)? {
                diaries.add(open, path, &session_ids);
            }
        }
        Ok(diaries)
    }

    /// Loads the diaries of all sessions whose ID starts with `prefix`.
    pub fn beginning(context: &Context, prefix: &str) -> Result<Self> {
        let mut sessions: HashSet<String> = HashSet::new();
        let value = LabelField::Session.folded(prefix);
        let session = QueryNode::Label { label: LabelField::Session, value, prefix: true };
        for open in &context.vaults {
            let notes = noted(context, open, session.clone())?.into_iter();
            sessions.extend(notes.filter_map(|note| note.session));
        }
        let sessions: Vec<&str> =
            sessions.iter().map(String::as_str).filter(|session| session.starts_with(prefix)).collect();
        Self::of(context, &sessions)
    }

    /// IDs of the sessions that have a diary, sorted.
    pub fn sessions(&self) -> Vec<&str> {
        let mut sessions: Vec<&str> = self.0.keys().map(String::as_str).collect();
        sessions.sort_unstable();
        sessions
    }

    fn add(&mut self, open: &OpenVault, path: NotePath, wanted: &HashSet<&str>) {
        // A file that is gone, or that names no session, is no diary.
        let Some(diary) = load(open, &path).ok().and_then(|found| read(&found.text())) else { return };
        if wanted.contains(diary.session.as_str()) {
            let diaries = self.0.entry(diary.session.clone()).or_default();
            diaries.push(StoredDiary { level: open.level, path, diary });
        }
    }

    /// Returns the diary that decides a session's outcome: the one whose outcome was recorded last;
    /// if none was, a project's diary before the global vault's, then the latest session.
    pub fn get(&self, agent: Option<&str>, session: &str) -> Option<&StoredDiary> {
        self.best(agent, session, None)
    }

    /// Like [`Self::get`], but considers only vaults of the given level.
    pub fn of_level(&self, level: VaultLevel, agent: Option<&str>, session: &str) -> Option<&StoredDiary> {
        self.best(agent, session, Some(level))
    }

    fn best(&self, agent: Option<&str>, session: &str, level: Option<VaultLevel>) -> Option<&StoredDiary> {
        let counts = |stored: &&StoredDiary| {
            let own = stored.diary.agent.as_str();
            let of_agent = own.is_empty() || agent.is_none_or(|agent| agent == own);
            of_agent && level.is_none_or(|level| level == stored.level)
        };
        let rank = |stored: &&StoredDiary| {
            let judged_at = stored.diary.recorded_outcome.as_ref().map(|judged| judged.at);
            (judged_at, stored.level == VaultLevel::Project, stored.diary.started, stored.path.to_string())
        };
        self.0.get(session)?.iter().filter(counts).max_by_key(rank)
    }
}

/// Returns the diary notes in the index of one vault that match `which`.
fn noted(context: &Context, open: &OpenVault, which: QueryNode) -> Result<Vec<Note>> {
    let filter = vec![QueryNode::label(LabelField::Kind, NoteKind::Diary.name()), which];
    let query = Query {
        root: QueryNode::Group(BooleanGroup { filter, ..BooleanGroup::default() }),
        notices: Vec::new(),
    };
    let hits = context.query_index(open, |index| index.search(&query, 0, MAX_IDS_PER_QUERY * 4))?.hits;
    Ok(hits.into_iter().map(|hit| hit.note).collect())
}

/// Returns the files that may contain diaries of these sessions, sorted by path.
fn paths(context: &Context, open: &OpenVault, wanted: &HashSet<&str>) -> Result<Vec<NotePath>> {
    let sessions: Vec<&str> = wanted.iter().copied().collect();
    let mut paths: HashSet<NotePath> = HashSet::new();
    for part in sessions.chunks(MAX_IDS_PER_QUERY) {
        let any = part.iter().map(|session| QueryNode::label(LabelField::Session, session)).collect();
        let any = QueryNode::Group(BooleanGroup { should: any, ..BooleanGroup::default() });
        paths.extend(noted(context, open, any)?.into_iter().map(|note| note.path));
    }
    paths.extend(open.index().queued().into_iter().filter(|path| NoteKind::of(path) == NoteKind::Diary));
    let mut paths: Vec<NotePath> = paths.into_iter().collect();
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_session::status::SessionStatus;

    fn kept(level: VaultLevel, name: &str, keys: &str) -> StoredDiary {
        let text = format!("---\nid: {name}\nsession: s\n{keys}---\n");
        let path = NotePath::parse(&format!("diary/{name}.md")).unwrap();
        StoredDiary { level, path, diary: read(&text).unwrap() }
    }

    fn ended(kept: Vec<StoredDiary>, agent: Option<&str>) -> Option<SessionStatus> {
        let diaries = DiaryIndex(HashMap::from([("s".to_owned(), kept)]));
        diaries.get(agent, "s").map(|kept| kept.diary.verdict.status)
    }

    #[test]
    fn what_somebody_said_counts_before_a_later_diary_and_the_project_before_the_global_vault() {
        let early = || kept(VaultLevel::Project, "a", "started: 2026-11-01\nstatus: success\n");
        let late = || kept(VaultLevel::Project, "b", "started: 2026-11-02\nstatus: mixed\n");
        let said = || kept(VaultLevel::Global, "c", "started: 2026-10-01\noutcome: failure\n");
        assert_eq!(ended(vec![late(), early()], None), Some(SessionStatus::Mixed));
        assert_eq!(ended(vec![said(), late(), early()], None), Some(SessionStatus::Failure));
        let global = kept(VaultLevel::Global, "d", "started: 2026-11-03\nstatus: failure\n");
        assert_eq!(ended(vec![global, early()], None), Some(SessionStatus::Success));
    }

    #[test]
    fn a_diary_of_another_agent_tells_nothing_of_a_session_with_the_same_id() {
        let of = |agent: &str| kept(VaultLevel::Project, "a", &format!("agent: {agent}\nstatus: failure\n"));
        assert_eq!(ended(vec![of("codex")], Some("pi")), None);
        assert_eq!(ended(vec![of("pi")], Some("pi")), Some(SessionStatus::Failure));
        let nobody = kept(VaultLevel::Project, "a", "status: failure\n");
        assert_eq!(ended(vec![nobody], Some("pi")), Some(SessionStatus::Failure));
    }
}
