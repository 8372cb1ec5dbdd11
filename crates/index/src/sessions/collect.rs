//! Collects matches by session: the best stretch and the number of stretches, independent of the
//! order in which the index was built.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use super::columns::{Numbers, StretchColumns};
use super::opened::SessionTable;
use super::redacted_event::{Speaker, event_name, line_of};
use super::schema::NO_SPEAKER;
use crate::text::rounded_bits;
use cm_session::event::EventName;

/// Maximum number of log lines listed for a session.
const MAX_LINES_PER_SESSION: usize = 20;

/// Tantivy collector that groups matching stretches by session.
pub(super) struct BySession {
    pub(super) book: Arc<SessionTable>,
    /// Sessions to include; `None` includes all.
    pub(super) passing: Option<Arc<HashSet<u64>>>,
    /// Time bounds in Unix seconds, start inclusive and end exclusive.
    pub(super) since: Option<i64>,
    pub(super) until: Option<i64>,
    pub(super) scored: bool,
    /// Factor for the score of a prompt that an agent sent to its subagent.
    pub(super) of_agents: f32,
}

/// The matches within one session.
#[derive(Debug, Clone)]
pub(super) struct Matches {
    pub(super) best: BestStretch,
    /// Number of matching stretches of each speaker, in the order of `Speaker::ALL`.
    pub(super) by: [usize; 3],
    /// Numbers of the first log lines with a match.
    pub(super) lines: BTreeSet<u64>,
}

/// The best matching stretch.
#[derive(Debug, Clone, Copy)]
pub(super) struct BestStretch {
    /// Bits of the rounded `f32` score. They sort like the score, which is never negative.
    score: u32,
    pub(super) numbers: Numbers,
    pub(super) address: DocAddress,
}

impl BestStretch {
    pub(super) fn score(&self) -> f32 {
        f32::from_bits(self.score)
    }

    /// Orders by score, then by time, then by earlier place in the log; the better match is the
    /// greater one.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let key = |best: &Self| (best.score, best.numbers.at);
        let place = |best: &Self| (best.numbers.place, best.numbers.piece);
        key(self).cmp(&key(other)).then_with(|| place(other).cmp(&place(self)))
    }
}

impl Matches {
    fn count(&mut self, line: u64, speaker: usize, best: Option<BestStretch>) {
        if let Some(count) = self.by.get_mut(speaker) {
            *count += 1;
        }
        self.see(line);
        if let Some(best) = best.filter(|best| best.order(&self.best).is_gt()) {
            self.best = best;
        }
    }

    fn see(&mut self, line: u64) {
        if self.lines.len() < MAX_LINES_PER_SESSION || self.lines.last().is_some_and(|last| line < *last) {
            self.lines.insert(line);
            if self.lines.len() > MAX_LINES_PER_SESSION {
                self.lines.pop_last();
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.by.iter_mut().zip(other.by).for_each(|(count, more)| *count += more);
        other.lines.into_iter().for_each(|line| self.see(line));
        if other.best.order(&self.best).is_gt() {
            self.best = other.best;
        }
    }
}

pub(super) struct SessionSegmentCollector {
    book: Arc<SessionTable>,
    passing: Option<Arc<HashSet<u64>>>,
    since: Option<i64>,
    until: Option<i64>,
    of_agents: f32,
    segment: SegmentOrdinal,
    columns: StretchColumns,
    found: HashMap<u64, Matches>,
}

impl Collector for BySession {
    type Fruit = HashMap<u64, Matches>;
    type Child = SessionSegmentCollector;

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<SessionSegmentCollector> {
        Ok(SessionSegmentCollector {
            book: Arc::clone(&self.book),
            passing: self.passing.clone(),
            since: self.since,
            until: self.until,
            of_agents: self.of_agents,
            segment,
            columns: StretchColumns::open(reader)?,
            found: HashMap::new(),
        })
    }

    fn requires_scoring(&self) -> bool {
        self.scored
    }

    fn merge_fruits(&self, segments: Vec<HashMap<u64, Matches>>) -> tantivy::Result<HashMap<u64, Matches>> {
        let mut all: HashMap<u64, Matches> = HashMap::new();
        for (session, matches) in segments.into_iter().flatten() {
            match all.get_mut(&session) {
                Some(matches_of_session) => matches_of_session.merge(matches),
                None => drop(all.insert(session, matches)),
            }
        }
        Ok(all)
    }
}

impl SessionSegmentCollector {
    /// Whether a stretch is within the time bounds. Stretches without a time always pass, because
    /// their session did.
    fn is_in_time(&self, doc: DocId) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        self.columns.at(doc).is_none_or(|at| {
            self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
        })
    }

    /// Whether the stretch is a prompt within a subagent session, and thus written by an agent.
    fn is_of_agent(&self, doc: DocId, session: u64) -> bool {
        let kind = self.columns.kind(doc).and_then(event_name);
        kind == Some(EventName::UserPrompt)
            && self.book.sessions.get(&session).is_some_and(|line| line.subagent)
    }
}

impl SegmentCollector for SessionSegmentCollector {
    type Fruit = HashMap<u64, Matches>;

    fn collect(&mut self, doc: DocId, score: Score) {
        let Some((session, place, speaker)) = self.columns.place_and_speaker(doc) else { return };
        let passes = self.passing.as_ref().is_none_or(|passing| passing.contains(&session));
        if !passes || speaker == NO_SPEAKER || !self.is_in_time(doc) {
            return;
        }
        let of_agent = speaker == Speaker::Person as u64 && self.is_of_agent(doc, session);
        let speaker = if of_agent { Speaker::Agent as usize } else { speaker as usize };
        let score = rounded_bits(if of_agent { score * self.of_agents } else { score });
        let matches_of_session = self.found.get_mut(&session);
        let best = if matches_of_session
            .as_ref()
            .is_some_and(|matches_of_session| score < matches_of_session.best.score)
        {
            None
        } else {
            let numbers = self.columns.numbers(doc);
            numbers.map(|numbers| BestStretch { score, numbers, address: DocAddress::new(self.segment, doc) })
        };
        match (matches_of_session, best) {
            (Some(matches_of_session), best) => matches_of_session.count(line_of(place), speaker, best),
            (None, Some(best)) => {
                let mut matches = Matches { best, by: [0; 3], lines: BTreeSet::new() };
                matches.count(line_of(place), speaker, None);
                self.found.insert(session, matches);
            }
            (None, None) => {}
        }
    }

    fn harvest(self) -> HashMap<u64, Matches> {
        self.found
    }
}

/// The matches of one conversation, represented by its best session.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) session: u64,
    pub(super) matches: Matches,
    /// The other matching sessions of the conversation.
    pub(super) others: Vec<u64>,
}

impl Conversation {
    /// Whether the person wrote the best matching stretch.
    pub(super) fn is_by_person(&self) -> bool {
        self.matches.best.numbers.speaker == Speaker::Person as u64
    }
}

/// Groups forked sessions into conversations, best first. Copies have equal matches; the session
/// that ended last represents them.
pub(super) fn by_conversation(found: HashMap<u64, Matches>, book: &SessionTable) -> Vec<Conversation> {
    let ended = |session: u64| book.sessions.get(&session).and_then(|line| line.ended);
    let mut sessions: Vec<(u64, Matches)> = found.into_iter().collect();
    sessions.sort_unstable_by(|(a, of_a), (b, of_b)| {
        of_b.best.order(&of_a.best).then_with(|| ended(*b).cmp(&ended(*a))).then_with(|| a.cmp(b))
    });
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut conversations: Vec<Conversation> = Vec::new();
    for (session, matches) in sessions {
        let conversation = book.sessions.get(&session).map_or(session, |line| line.conversation);
        match places.get(&conversation) {
            Some(place) => conversations[*place].others.push(session),
            None => {
                places.insert(conversation, conversations.len());
                conversations.push(Conversation { session, matches, others: Vec::new() });
            }
        }
    }
    conversations
}
