//! Searches sessions by their text.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::query::Query as Foreign;

use super::collect::{BySession, Conversation, Matches, by_conversation};
use super::filter::SessionIndexFilter;
use super::opened::{SessionIndex, SessionTable};
use super::record::{Session, SessionKey};
use super::redacted_event::Speaker;
use super::schema::Weights;
use super::stretches::Stretch;
use crate::error::RebuildReason;
use crate::text::{Snippets, Translator, beginning};
use cm_note::instant::Instant;
use cm_note::query::Query;

/// Parameters of a session search.
#[derive(Debug, Clone, Copy)]
pub struct SessionSearchRequest<'a> {
    /// The query. `agent:`, `workspace:`, `session:`, `path:` and dates filter as in searches for
    /// notes.
    pub query: &'a Query,
    pub filter: &'a SessionIndexFilter,
    pub weights: Weights,
    /// Number of conversations to skip.
    pub offset: usize,
    /// Maximum number of conversations.
    pub limit: usize,
}

/// Result of a session search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionHits {
    /// Matching conversations, best first.
    pub hits: Vec<ConversationHit>,
    /// Total number of matching conversations.
    pub total: usize,
}

/// A matching conversation, represented by one session.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationHit {
    pub session: Session,
    /// Score of the best stretch; 0 if the query only filters.
    pub score: f32,
    /// The best matching stretch.
    pub best: Stretch,
    /// Excerpt of the best stretch around the searched words, on one line.
    pub snippet: String,
    /// Number of matching stretches in the session, including the best one.
    pub stretches: usize,
    /// Log lines of the first matches, at most 20.
    pub lines: Vec<u64>,
    /// Forks of the session that match too.
    pub forks: Vec<SessionKey>,
}

impl SessionIndex {
    pub(super) fn search(&self, request: SessionSearchRequest<'_>) -> Result<SessionHits, RebuildReason> {
        self.guarded(|opened| {
            let statistics = opened.statistics()?;
            let places = opened.fields.places(request.weights);
            let query = Translator::new(places, &statistics).root(&request.query.root)?;
            let scored = request.query.ranks();
            let conversations =
                opened.conversations_with(&*query, request.filter, request.weights, scored)?;
            let total = conversations.len();
            let page = conversations.into_iter().skip(request.offset).take(request.limit);
            let book = opened.book()?;
            let hits = page.map(|conversation| opened.hit(conversation, request.query, &book));
            Ok(SessionHits { hits: hits.collect::<tantivy::Result<_>>()?, total })
        })
    }

    /// Returns the conversations with matching stretches, best first.
    pub(super) fn conversations_with(
        &self,
        query: &dyn Foreign,
        filter: &SessionIndexFilter,
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
        found.retain(|_, matches| matches_weighted_speaker(matches, weights));
        Ok(by_conversation(found, &book))
    }

    fn hit(
        &self,
        found: Conversation,
        query: &Query,
        book: &SessionTable,
    ) -> tantivy::Result<ConversationHit> {
        let Conversation { session, matches, others } = found;
        let best = self.stretch(&matches.best.numbers, matches.best.address)?;
        let snippet = Snippets::of(query).best(&best.text, &[]).unwrap_or_else(|| beginning(&best.text, &[]));
        Ok(ConversationHit {
            session: self.numbered(session, book)?,
            score: matches.best.score(),
            best,
            snippet,
            stretches: matches.by.iter().sum(),
            lines: matches.lines.into_iter().collect(),
            forks: self.keys(&others, book)?,
        })
    }

    /// Loads the session with this number.
    pub(super) fn numbered(&self, session: u64, book: &SessionTable) -> tantivy::Result<Session> {
        let line = book.sessions.get(&session);
        let missing = || tantivy::TantivyError::InternalError("a stretch has no session".to_owned());
        self.session(line.ok_or_else(missing)?.address)
    }

    /// Returns the keys of the sessions with these numbers.
    pub(super) fn keys(&self, sessions: &[u64], book: &SessionTable) -> tantivy::Result<Vec<SessionKey>> {
        sessions.iter().map(|session| Ok(self.numbered(*session, book)?.key())).collect()
    }
}

/// Whether a speaker with a weight above 0 has a match.
fn matches_weighted_speaker(matches: &Matches, weights: Weights) -> bool {
    let weights = [weights.person, weights.agent, weights.tool];
    Speaker::ALL
        .into_iter()
        .any(|speaker| matches.by[speaker as usize] > 0 && weights[speaker as usize] > 0.0)
}
