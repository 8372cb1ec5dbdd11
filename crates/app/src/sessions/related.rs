//! Finds the sessions of other agents on the subject of a diary, by words and meaning.
//!
//! Uses the session index as it is; the caller decides whether sessions of other agents may be shown.

use std::collections::HashSet;

use super::SessionAccess;
use super::vectors::SessionVectors;
use crate::context::open::Context;
use crate::error::Result;
use cm_index::sessions::{ConversationHit, SessionIndexFilter, SessionSearchRequest, Weights};
use cm_learn::diary::{Diary, RelatedSessionRef};
use cm_learn::reflect::evidence::{keywords, min_keywords};
use cm_note::instant::Instant;
use cm_note::note::suspicion::suspicion;
use cm_note::query::{BooleanGroup, Query, QueryNode, TextCondition};
use cm_note::rank::relevance;
use cm_session::Agent;

/// Maximum number of related sessions in a diary.
const MAX_RELATED: usize = 5;
/// Number of sessions that are examined.
const EXAMINED_SESSIONS: usize = 20;

/// Returns the sessions of other agents in the same project on the subject of a diary, those nearest
/// in time first.
///
/// # Errors
/// Returns an error if the session index cannot be read.
pub(crate) fn related_sessions(
    context: &Context,
    access: &SessionAccess,
    diary: &Diary,
) -> Result<Vec<RelatedSessionRef>> {
    let subject = subject(diary);
    let words = keywords(&subject);
    let others = Agent::ALL.into_iter().filter(|agent| agent.name() != diary.agent);
    let filter = SessionIndexFilter {
        agents: others.collect(),
        workspace: diary.workspace.clone(),
        without_subagents: true,
        ..SessionIndexFilter::default()
    };
    let word = |word: &String| QueryNode::Text { field: None, text: TextCondition::Word(word.clone()) };
    let any = BooleanGroup { should: words.iter().map(word).collect(), ..BooleanGroup::default() };
    let query = Query { root: QueryNode::Group(any), notices: Vec::new() };
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let meaning = SessionVectors::open(context).and_then(|vectors| vectors.compare(&subject));
    let request = SessionSearchRequest {
        query: &query,
        filter: &filter,
        weights: Weights::default(),
        meaning: meaning.as_ref(),
        offset: 0,
        limit: EXAMINED_SESSIONS,
    };
    let found = access.query(|sessions| sessions.search(request))?.unwrap_or_default();
    let best = found.hits.iter().map(rank).fold(0.0, f32::max);
    let mut hits: Vec<&ConversationHit> = found.hits.iter().filter(|hit| fits(hit, &words)).collect();
    hits.sort_by_key(|hit| distance(hit, diary.started));
    hits.truncate(MAX_RELATED);
    Ok(hits.into_iter().map(|hit| reference(hit, relevance(rank(hit), best))).collect())
}

/// The title, and what was reached, decided and learned first.
fn subject(diary: &Diary) -> String {
    let sections = [&diary.accomplishments, &diary.decisions, &diary.challenges, &diary.learnings];
    let firsts = sections.into_iter().filter_map(|items| items.first()).map(|item| item.text.as_str());
    std::iter::once(diary.title.as_str()).chain(firsts).collect::<Vec<_>>().join("\n")
}

/// Whether a session is about the subject: it stands out by meaning, or mentions enough of its words.
fn fits(hit: &ConversationHit, words: &[String]) -> bool {
    let is_near = hit.standing.is_some_and(|standing| standing.stands_out && standing.is_near);
    let text = hit.best.text.to_lowercase();
    let own: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mentioned = words.iter().filter(|word| own.contains(word.as_str())).count();
    (is_near || mentioned >= min_keywords(words.len()).min(ENOUGH_WORDS)) && !hit.session.meta.ours
}

/// Number of words of the subject that are always enough.
const ENOUGH_WORDS: usize = 3;

fn rank(hit: &ConversationHit) -> f32 {
    hit.standing.map_or(hit.score, |standing| standing.score as f32)
}

/// Time between a session and an instant, in seconds.
fn distance(hit: &ConversationHit, from: Option<Instant>) -> u64 {
    let started = hit.session.meta.started.or(hit.session.meta.ended);
    from.zip(started).map_or(u64::MAX, |(from, started)| from.unix().abs_diff(started.unix()))
}

fn reference(hit: &ConversationHit, relevance: f64) -> RelatedSessionRef {
    let meta = &hit.session.meta;
    let line = meta.title.clone().unwrap_or_else(|| hit.snippet.clone());
    RelatedSessionRef {
        session: meta.id.to_string(),
        agent: Some(meta.agent.name().to_owned()),
        date: meta.started.or(meta.ended).map(|at| at.day()),
        relevance,
        // A line that gives orders to its reader is no record of work.
        snippet: Some(line).filter(|line| suspicion(line).is_none()),
    }
}
