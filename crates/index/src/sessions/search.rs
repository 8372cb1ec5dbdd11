//! Searches sessions by their text.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::query::Query as Foreign;

use super::collect::{BySession, Conversation, Matches, by_conversation};
use super::filter::SessionIndexFilter;
use super::meaning::{RankedConversation, SessionMeaning};
use super::opened::{SessionIndex, SessionTable};
use super::passage_ranges::part_with;
use super::passages::SessionPassage;
use super::record::{Session, SessionKey};
use super::redacted_event::Speaker;
use super::schema::Weights;
use super::stretches::Stretch;
use crate::error::RebuildReason;
use crate::text::{Snippets, Translator, beginning};
use cm_note::instant::Instant;
use cm_note::query::Query;
use cm_note::rank::standout::Standing;

/// Parameters of a session search.
#[derive(Debug, Clone, Copy)]
pub struct SessionSearchRequest<'a> {
    /// The query. `agent:`, `workspace:`, `session:`, `path:` and dates filter as in searches for
    /// notes.
    pub query: &'a Query,
    pub filter: &'a SessionIndexFilter,
    pub weights: Weights,
    /// Similarities of the query's text; the ranking is then by words and meaning, and a
    /// conversation without any of the words can match. `None` ranks by words.
    pub meaning: Option<&'a SessionMeaning>,
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
    /// BM25 score of the best stretch; 0 if none contains words of the query or if the query only
    /// filters.
    pub score: f32,
    /// How far the conversation stands out by words and meaning; `None` if ranked by words.
    pub standing: Option<Standing>,
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
            if let Some(meaning) = request.meaning.filter(|_| scored) {
                return opened.search_by_meaning(request, meaning, conversations);
            }
            let total = conversations.len();
            let page = conversations.into_iter().skip(request.offset).take(request.limit);
            let book = opened.book()?;
            let hits = page.map(|conversation| opened.hit(conversation, request.query, &book));
            Ok(SessionHits { hits: hits.collect::<tantivy::Result<_>>()?, total })
        })
    }

    fn search_by_meaning(
        &self,
        request: SessionSearchRequest<'_>,
        meaning: &SessionMeaning,
        words: Vec<Conversation>,
    ) -> tantivy::Result<SessionHits> {
        let statistics = self.statistics()?;
        let places = self.fields.places(request.weights);
        let bounds = match request.query.bounds() {
            None => None,
            Some(bounds) => {
                let query = Translator::new(places, &statistics).root(&bounds)?;
                Some(self.conversations_with(&*query, request.filter, request.weights, false)?)
            }
        };
        let ranked = self.ranked(words, meaning, request.filter, bounds.as_deref())?;
        let total = ranked.len();
        let book = self.book()?;
        let page = ranked.into_iter().skip(request.offset).take(request.limit);
        let hits = page.map(|ranked| self.ranked_hit(ranked, request.query, &book));
        Ok(SessionHits { hits: hits.collect::<tantivy::Result<_>>()?, total })
    }

    fn ranked_hit(
        &self,
        ranked: RankedConversation,
        query: &Query,
        book: &SessionTable,
    ) -> tantivy::Result<ConversationHit> {
        let RankedConversation { session, standing, words, passage } = ranked;
        let mut hit = match (words, passage) {
            (Some(words), None) => self.hit(words, query, book)?,
            (Some(words), Some(passage)) => {
                let (best, snippet) = self.passage_hit(&passage, query)?;
                ConversationHit { best, snippet, ..self.hit(words, query, book)? }
            }
            (None, passage) => {
                let missing = || tantivy::TantivyError::InternalError("a match has no passage".to_owned());
                let (best, snippet) = self.passage_hit(&passage.ok_or_else(missing)?, query)?;
                let lines = vec![best.line];
                let session = self.numbered(session, book)?;
                let forks = Vec::new();
                ConversationHit {
                    session,
                    score: 0.0,
                    standing: None,
                    best,
                    snippet,
                    stretches: 0,
                    lines,
                    forks,
                }
            }
        };
        hit.standing = Some(standing);
        Ok(hit)
    }

    /// Returns the stretch of a passage, and an excerpt of the passage.
    fn passage_hit(&self, passage: &SessionPassage, query: &Query) -> tantivy::Result<(Stretch, String)> {
        let stretch = self.stretch(&passage.numbers, passage.address)?;
        let part = part_with(&stretch.text, passage.key).unwrap_or(0..stretch.text.len());
        let text = &stretch.text[part];
        let snippet = Snippets::of(query).best(text, &[]).unwrap_or_else(|| beginning(text, &[]));
        Ok((stretch, snippet))
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
            standing: None,
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
