//! Finding sessions by what was said in them.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::query::Query as Foreign;

use super::collect::{BySession, Conversation, Matches, by_conversation};
use super::filter::Filter;
use super::opened::{Book, Opened};
use super::record::{Session, SessionKey};
use super::stretches::Stretch;
use super::told::Speaker;
use crate::error::Unusable;
use crate::text::{Snippets, Translator, beginning};
use cm_note::instant::Instant;
use cm_note::query::Query;

/// What the words of each speaker count; those of nobody with a weight of 0 are not looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// The person's.
    pub person: f32,
    /// Agents'.
    pub agent: f32,
    /// What tools and other programs said.
    pub tool: f32,
}

impl Default for Weights {
    /// Agents repeat what they are told in many words: their words count less, and tools' only where they are asked for.
    fn default() -> Self {
        Self { person: 1.0, agent: 0.3, tool: 0.0 }
    }
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The query; `agent:`, `workspace:`, `session:`, `path:` and the dates select as they do among notes.
    pub query: &'a Query,
    /// Which sessions count.
    pub filter: &'a Filter,
    /// What the words of each speaker count.
    pub weights: Weights,
    /// How many conversations to pass over.
    pub offset: usize,
    /// The most conversations to find.
    pub limit: usize,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The best conversations, best first.
    pub hits: Vec<Hit>,
    /// How many conversations match.
    pub total: usize,
}

/// A session that matches, for its whole conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The session.
    pub session: Session,
    /// How well its best stretch matches; 0 where the query only selects.
    pub score: f32,
    /// The stretch that matches best.
    pub best: Stretch,
    /// A line of it, around what was looked for.
    pub snippet: String,
    /// How many stretches of the session match, this one among them.
    pub stretches: usize,
    /// The first lines of its log with a match, at most 20.
    pub lines: Vec<u64>,
    /// Forks of the session that match as well.
    pub forks: Vec<SessionKey>,
}

impl Opened {
    pub(super) fn search(&self, asked: Asked<'_>) -> Result<Found, Unusable> {
        self.guarded(|opened| {
            let statistics = opened.statistics()?;
            let places = opened.fields.places(asked.weights);
            let query = Translator::new(places, &statistics).root(&asked.query.root)?;
            let scored = asked.query.ranks();
            let conversations = opened.conversations_with(&*query, asked.filter, asked.weights, scored)?;
            let total = conversations.len();
            let page = conversations.into_iter().skip(asked.offset).take(asked.limit);
            let book = opened.book()?;
            let hits = page.map(|conversation| opened.hit(conversation, asked.query, &book));
            Ok(Found { hits: hits.collect::<tantivy::Result<_>>()?, total })
        })
    }

    /// The conversations with stretches that match, best first.
    pub(super) fn conversations_with(
        &self,
        query: &dyn Foreign,
        filter: &Filter,
        weights: Weights,
        scored: bool,
    ) -> tantivy::Result<Vec<Conversation>> {
        let book = self.book()?;
        let collector = BySession {
            book: Arc::clone(&book),
            passing: filter.passing(self)?.map(Arc::new),
            since: filter.since.map(Instant::unix),
            until: filter.until.map(Instant::unix),
            scored,
            of_agents: if weights.person > 0.0 { weights.agent / weights.person } else { 1.0 },
        };
        let statistics = self.statistics()?;
        let mut found: HashMap<u64, Matches> =
            self.searcher.search_with_statistics_provider(query, &collector, &statistics)?;
        // A query that only selects also selects what those said who were not asked for.
        found.retain(|_, matches| heard(matches, weights));
        Ok(by_conversation(found, &book))
    }

    fn hit(&self, found: Conversation, query: &Query, book: &Book) -> tantivy::Result<Hit> {
        let Conversation { session, matches, others } = found;
        let best = self.stretch(&matches.best.numbers, matches.best.address)?;
        let snippet = Snippets::of(query).best(&best.text).unwrap_or_else(|| beginning(&best.text));
        Ok(Hit {
            session: self.numbered(session, book)?,
            score: matches.best.score(),
            best,
            snippet,
            stretches: matches.by.iter().sum(),
            lines: matches.lines.into_iter().collect(),
            forks: self.keys(&others, book)?,
        })
    }

    /// The session of that number.
    pub(super) fn numbered(&self, session: u64, book: &Book) -> tantivy::Result<Session> {
        let line = book.sessions.get(&session);
        let missing = || tantivy::TantivyError::InternalError("a stretch has no session".to_owned());
        self.session(line.ok_or_else(missing)?.address)
    }

    /// The names of the sessions of these numbers.
    pub(super) fn keys(&self, sessions: &[u64], book: &Book) -> tantivy::Result<Vec<SessionKey>> {
        sessions.iter().map(|session| Ok(self.numbered(*session, book)?.key())).collect()
    }
}

/// Whether somebody spoke whose words count.
fn heard(matches: &Matches, weights: Weights) -> bool {
    let weights = [weights.person, weights.agent, weights.tool];
    Speaker::ALL
        .into_iter()
        .any(|speaker| matches.by[speaker as usize] > 0 && weights[speaker as usize] > 0.0)
}
