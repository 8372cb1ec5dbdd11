//! Which sessions are to be learned from, in which order: those that nobody has learned from, the first ended first.
//! For a model these are also the sessions that were read by rules alone.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::record::Record;
use crate::error::Result;
use crate::memory::Memory;
use crate::sessions::list::{filter, lookback};
use crate::sessions::{Shelf, Which};
use cm_index::sessions::{Filter, Listed};
use cm_note::instant::Instant;

/// A session to work on.
#[derive(Debug, Clone)]
pub struct Todo {
    /// It.
    pub listed: Listed,
    /// Sessions of the same conversation that say nothing of their own.
    pub forks: Vec<Listed>,
    /// All sessions of the same conversation, by agent and id.
    pub conversation: HashSet<(String, String)>,
}

/// What there is to do.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The sessions.
    pub todo: Vec<Todo>,
    /// How many sessions there are of these days, agents and folders, an agent's own left out.
    pub all: usize,
}

/// The sessions to learn from, for a model or by rules alone.
///
/// # Errors
/// No such agent, days that are no number, and those of the index.
pub fn plan(
    memory: &Memory,
    shelf: &Shelf,
    record: &Record,
    which: &Which,
    with_model: bool,
) -> Result<Plan> {
    let days = lookback(memory, which)?;
    let filter = Filter { without_subagents: true, ..filter(memory, which, days)? };
    let listing = shelf.ask(|sessions| sessions.list(&filter, 0, usize::MAX))?.unwrap_or_default();
    let everybody = Filter { without_subagents: true, ..Filter::default() };
    let others = shelf.ask(|sessions| sessions.list(&everybody, 0, usize::MAX))?.unwrap_or_default();
    let mut conversations: HashMap<u64, HashSet<(String, String)>> = HashMap::new();
    for listed in &others.list {
        conversations.entry(listed.session.conversation).or_default().insert(name(listed));
    }
    let wanted = |listed: &&Listed| {
        record.is_open(listed, with_model) && listed.counts.events.contains_key("user_prompt")
    };
    let mut groups: BTreeMap<u64, Vec<Listed>> = BTreeMap::new();
    for listed in listing.list.iter().filter(wanted) {
        groups.entry(listed.session.conversation).or_default().push(listed.clone());
    }
    let mut todo: Vec<Todo> = groups
        .into_iter()
        .filter_map(|(conversation, mut group)| {
            // A fork begins with a copy of what it was forked from, so that the longest says it all but for cut ends.
            group.sort_by_key(|listed| (listed.counts.total(), listed.session.meta.ended));
            let listed = group.pop()?;
            let conversation = conversations.remove(&conversation).unwrap_or_default();
            Some(Todo { listed, forks: group, conversation })
        })
        .collect();
    order(&mut todo);
    Ok(Plan { todo, all: listing.total })
}

/// Agent and id.
pub fn name(listed: &Listed) -> (String, String) {
    (listed.session.meta.agent.name().to_owned(), listed.session.meta.id.as_str().to_owned())
}

/// The first ended first; what one log tells follows each other, so that it is read once.
fn order(todo: &mut [Todo]) {
    let ended = |one: &Todo| one.listed.session.meta.ended;
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
