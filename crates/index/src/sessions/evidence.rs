//! Finds conversations that mention the keywords of a rule close together.

use tantivy::query::{BooleanQuery, Occur};

use super::collect::Conversation;
use super::filter::SessionIndexFilter;
use super::opened::{SessionIndex, SessionTable};
use super::record::{Session, SessionKey};
use super::redacted_event::Speaker;
use super::schema::Weights;
use super::stretches::Stretch;
use crate::error::RebuildReason;
use crate::text::Translator;
use cm_note::query::{QueryNode, TextCondition};

/// A conversation with keywords close together.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationEvidence {
    /// The session with the best match.
    pub session: Session,
    /// Forks of the session that match too. They do not count as separate evidence.
    pub forks: Vec<SessionKey>,
    /// Number of matching stretches by the person.
    pub person: usize,
    /// Number of matching stretches by an agent.
    pub agent: usize,
    /// Log lines of the first matches, at most 20.
    pub lines: Vec<u64>,
    /// The best matching stretch.
    pub best: Stretch,
}

impl SessionIndex {
    /// Returns the conversations that have a stretch, by the person or an agent, with at least
    /// `least` of the keywords.
    pub(super) fn evidence(
        &self,
        keywords: &[&str],
        least: usize,
        filter: &SessionIndexFilter,
    ) -> Result<Vec<ConversationEvidence>, RebuildReason> {
        self.guarded(|opened| {
            let weights = Weights { person: 1.0, agent: 1.0, tool: 0.0 };
            let statistics = opened.statistics()?;
            let mut translator = Translator::new(opened.fields.places(weights), &statistics);
            let mut clauses = Vec::new();
            for keyword in keywords {
                let node = QueryNode::Text { field: None, text: TextCondition::Word((*keyword).to_owned()) };
                clauses.push((Occur::Should, translator.root(&node)?));
            }
            if clauses.is_empty() {
                return Ok(Vec::new());
            }
            let least = least.clamp(1, clauses.len());
            let query = BooleanQuery::with_minimum_required_clauses(clauses, least);
            let conversations = opened.conversations_with(&query, filter, weights, true)?;
            let book = opened.book()?;
            conversations.into_iter().map(|found| opened.witness(found, &book)).collect()
        })
    }

    fn witness(&self, found: Conversation, book: &SessionTable) -> tantivy::Result<ConversationEvidence> {
        let Conversation { session, matches, others } = found;
        Ok(ConversationEvidence {
            session: self.numbered(session, book)?,
            forks: self.keys(&others, book)?,
            person: matches.by[Speaker::Person as usize],
            agent: matches.by[Speaker::Agent as usize],
            lines: matches.lines.into_iter().collect(),
            best: self.stretch(&matches.best.numbers, matches.best.address)?,
        })
    }
}
