//! Passages of sessions for embedding: parts of what the person typed and of what agents answered.
//!
//! The columns of a stretch hold the keys of its passages, so that passages come and go with their
//! session. Vectors are computed and stored by the caller, by key.

use std::cmp::Reverse;

use tantivy::DocAddress;

use super::columns::Numbers;
use super::opened::{SessionIndex, StoredText};
use super::passage_ranges::part_with;
use super::redacted_event::{Speaker, event_name};
use crate::error::RebuildReason;
use cm_note::passage::{PassageKey, PassageSet};
use cm_session::event::EventName;

/// Maximum number of an agent's messages per session that have passages: the first and the last
/// ones, in which it says what it is about to do and what came of it.
const FIRST_AGENT_MESSAGES: usize = 8;
const LAST_AGENT_MESSAGES: usize = 24;

/// Origin of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassageOrigin {
    /// The person typed it.
    Person,
    /// An agent's summary of the session.
    Summary,
    /// An agent's message.
    Agent,
}

/// A passage of a session.
#[derive(Debug, Clone, Copy)]
pub struct SessionPassage {
    pub key: PassageKey,
    /// Number of the session in the index.
    pub(super) session: u64,
    pub(super) origin: PassageOrigin,
    pub(super) numbers: Numbers,
    pub(super) address: DocAddress,
}

impl SessionIndex {
    /// Returns the passages of all sessions, by session and place; the first call reads them.
    pub(super) fn passages(&self) -> tantivy::Result<&[SessionPassage]> {
        if let Some(passages) = self.passages.get() {
            return Ok(passages);
        }
        let book = self.book()?;
        let is_subagent = |session: u64| book.sessions.get(&session).is_some_and(|line| line.subagent);
        let mut passages = Vec::new();
        for ((segment, columns), ordinal) in
            self.searcher.segment_readers().iter().zip(self.columns()?).zip(0..)
        {
            for doc in segment.doc_ids_alive() {
                for key in columns.passages(doc) {
                    let Some(numbers) = columns.numbers(doc) else { continue };
                    passages.push(SessionPassage {
                        key: PassageKey::from_number(key),
                        session: numbers.session,
                        origin: match numbers.speaker {
                            speaker if speaker == Speaker::Person as u64 && !is_subagent(numbers.session) => {
                                PassageOrigin::Person
                            }
                            _ if event_name(numbers.kind) == Some(EventName::Compaction) => {
                                PassageOrigin::Summary
                            }
                            _ => PassageOrigin::Agent,
                        },
                        numbers,
                        address: DocAddress::new(ordinal, doc),
                    });
                }
            }
        }
        passages.sort_unstable_by_key(|it: &SessionPassage| (it.session, it.numbers.place, it.numbers.piece));
        let sessions = passages.chunk_by(|a, b| a.session == b.session);
        let passages = sessions.flat_map(few_of_agent).collect();
        Ok(self.passages.get_or_init(|| passages))
    }

    /// Returns the passages whose key is not in `known`, each key once, those of the sessions that
    /// ended last first.
    pub(super) fn passages_without(
        &self,
        embedded: &PassageSet,
    ) -> Result<Vec<SessionPassage>, RebuildReason> {
        self.guarded(|opened| {
            let book = opened.book()?;
            let mut seen = PassageSet::default();
            let mut missing = opened.passages()?.to_vec();
            missing.retain(|passage| !embedded.contains(&passage.key));
            let ended = |session: u64| book.sessions.get(&session).and_then(|line| line.ended);
            missing.sort_by_key(|passage| (Reverse(ended(passage.session)), passage.session));
            missing.retain(|passage| seen.insert(passage.key));
            Ok(missing)
        })
    }

    /// Returns the text of a passage; empty if its stretch has changed.
    pub(super) fn passage_text(&self, passage: &SessionPassage) -> tantivy::Result<String> {
        let StoredText(text) = self.searcher.doc(passage.address)?;
        Ok(part_with(&text, passage.key).map_or_else(String::new, |range| text[range].to_owned()))
    }
}

/// Returns the passages of one session without those of an agent's messages in the middle.
fn few_of_agent(session: &[SessionPassage]) -> impl Iterator<Item = SessionPassage> + '_ {
    let is_agents = |passage: &SessionPassage| passage.origin == PassageOrigin::Agent;
    let count = session.iter().filter(|passage| is_agents(passage)).count();
    let mut number = 0;
    session.iter().copied().filter(move |passage| {
        number += usize::from(is_agents(passage));
        !is_agents(passage) || number <= FIRST_AGENT_MESSAGES || number + LAST_AGENT_MESSAGES > count
    })
}
