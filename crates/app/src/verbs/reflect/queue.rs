//! Selects the sessions to reflect on and orders them by their end, oldest first.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use crate::sessions::list::{filter, lookback};
use crate::sessions::reflection_log::{ReflectionLog, ReflectionState, SessionReaderKind};
use crate::sessions::session_filter::{has_own_vault, is_global};
use crate::sessions::{SessionAccess, SessionSelection};
use cm_index::sessions::{SessionIndexFilter, SessionSummary};
use cm_note::instant::Instant;
use cm_session::event::EventName;
use cm_text::plural::count_is;

/// A session to process, with its forks.
#[derive(Debug, Clone)]
pub struct QueuedSession {
    pub listed: SessionSummary,
    /// Forks of the session without messages of their own.
    pub forks: Vec<SessionSummary>,
    /// All sessions of the same conversation, as (agent, id).
    pub conversation: HashSet<(String, String)>,
}

/// The sessions to process in one run.
#[derive(Debug, Clone, Default)]
pub struct SessionQueue {
    /// Sessions in the order of processing.
    pub todo: Vec<QueuedSession>,
    /// Number of sessions at the end of `todo` that a cheaper or another reader has processed.
    pub reopened: usize,
    /// Number of sessions that match the filter; subagents are not counted.
    pub matching: usize,
}

/// Selects the sessions to process: those that are open for this kind of reader. Sessions of any age
/// that another reader has processed are open for a model, unless a number of days is given; they
/// come last. The global vault leaves the sessions of projects with a vault of their own to that vault,
/// unless a folder is selected.
///
/// # Errors
/// Returns an error if the agent or the number of days is invalid, or if the session index cannot
/// be read.
pub fn plan(
    context: &Context,
    access: &SessionAccess,
    record: &ReflectionLog,
    which: &SessionSelection,
    reader: SessionReaderKind<'_>,
) -> Result<SessionQueue> {
    let days = lookback(context, which)?;
    let filter = SessionIndexFilter { without_subagents: true, ..filter(context, which, days)? };
    let mut listing = access.query(|sessions| sessions.list(&filter, 0, usize::MAX))?.unwrap_or_default();
    let mut leaves = OwnVaults::of(context, which);
    listing.list.retain(|listed| !leaves.has(listed));
    let left_to_projects = listing.total - listing.list.len();
    let any_age = SessionIndexFilter { since: None, ..filter };
    let is_model = matches!(reader, SessionReaderKind::Model(_)) && which.days.is_none();
    let mut older = match is_model {
        true => access.query(|sessions| sessions.list(&any_age, 0, usize::MAX))?.unwrap_or_default().list,
        false => Vec::new(),
    };
    older.retain(|listed| !leaves.has(listed));
    let everybody = SessionIndexFilter { without_subagents: true, ..SessionIndexFilter::default() };
    let others = access.query(|sessions| sessions.list(&everybody, 0, usize::MAX))?.unwrap_or_default();
    let mut conversations: HashMap<u64, HashSet<(String, String)>> = HashMap::new();
    for listed in &others.list {
        conversations.entry(listed.session.conversation).or_default().insert(session_key(listed));
    }
    let is_processed = |listed: &SessionSummary| record.state(listed) == ReflectionState::Processed;
    let wanted = |listed: &&SessionSummary| {
        record.is_open(listed, reader) && listed.counts.of(EventName::UserPrompt) > 0
    };
    let recent: HashSet<_> = listing.list.iter().map(session_key).collect();
    let is_old = |listed: &&SessionSummary| !recent.contains(&session_key(listed)) && is_processed(listed);
    let all = listing.list.iter().chain(older.iter().filter(is_old)).filter(wanted);
    let all = conversations_of(&all.collect::<Vec<_>>(), &conversations);
    let is_reopened =
        |one: &QueuedSession| is_model && is_processed(&one.listed) && one.forks.iter().all(is_processed);
    let (reread, mut todo): (Vec<_>, Vec<_>) = all.into_iter().partition(is_reopened);
    let reopened = reread.len();
    todo.extend(reread);
    if todo.is_empty() && left_to_projects > 0 {
        let sessions = count_is(left_to_projects, "session");
        context.notice(format!(
            "{sessions} left to the vaults of their projects: `cm reflect` in the project learns from them"
        ));
    }
    Ok(SessionQueue { todo, reopened, matching: listing.list.len() })
}

/// Decides for the global vault which sessions belong to a project with a vault of its own.
struct OwnVaults<'a> {
    /// The global vault; `None` if no session is left out.
    global: Option<&'a OpenVault>,
    by_folder: HashMap<String, bool>,
}

impl<'a> OwnVaults<'a> {
    fn of(context: &'a Context, which: &SessionSelection) -> Self {
        let open = context.target();
        let global = (which.workspace.is_none() && is_global(context, open)).then_some(open);
        Self { global, by_folder: HashMap::new() }
    }

    fn has(&mut self, listed: &SessionSummary) -> bool {
        let Some((global, folder)) = self.global.zip(listed.session.meta.workspace.as_ref()) else {
            return false;
        };
        *self.by_folder.entry(folder.clone()).or_insert_with(|| has_own_vault(global, folder))
    }
}

/// Returns the longest session of each conversation with its forks, in the order of processing.
fn conversations_of(
    sessions: &[&SessionSummary],
    conversations: &HashMap<u64, HashSet<(String, String)>>,
) -> Vec<QueuedSession> {
    let mut groups: BTreeMap<u64, Vec<SessionSummary>> = BTreeMap::new();
    for listed in sessions {
        groups.entry(listed.session.conversation).or_default().push((*listed).clone());
    }
    let mut todo: Vec<QueuedSession> = groups
        .into_iter()
        .filter_map(|(conversation, mut group)| {
            // A fork begins with a copy of what it was forked from, so that the longest says it all but for cut ends.
            group.sort_by_key(|listed| (listed.counts.total(), listed.session.meta.ended));
            let listed = group.pop()?;
            let conversation = conversations.get(&conversation).cloned().unwrap_or_default();
            Some(QueuedSession { listed, forks: group, conversation })
        })
        .collect();
    order(&mut todo);
    todo
}

/// Returns the agent and the id of a session.
pub fn session_key(listed: &SessionSummary) -> (String, String) {
    (listed.session.meta.agent.name().to_owned(), listed.session.meta.id.as_str().to_owned())
}

/// Orders sessions by their end, oldest first. Sessions of one log stay together so that it is read
/// only once.
fn order(todo: &mut [QueuedSession]) {
    let ended = |one: &QueuedSession| one.listed.session.meta.ended;
    let mut firsts: HashMap<Option<String>, Option<Instant>> = HashMap::new();
    for one in todo.iter() {
        let first = firsts.entry(one.listed.session.log.clone()).or_insert_with(|| ended(one));
        *first = (*first).min(ended(one));
    }
    todo.sort_by_cached_key(|one| {
        let log = one.listed.session.log.clone();
        (firsts.get(&log).copied().flatten(), log, ended(one), one.listed.session.key())
    });
}
