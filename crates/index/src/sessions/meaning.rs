//! Compares a question with the passages of sessions, and ranks conversations by words and meaning.

use std::collections::HashMap;

use super::collect::Conversation;
use super::filter::SessionIndexFilter;
use super::opened::{SessionIndex, SessionTable};
use super::passages::{PassageOrigin, SessionPassage};
use crate::vector::SimilarityScan;
use cm_note::instant::Instant;
use cm_note::passage::{PassageKey, PassageMap};
use cm_note::rank::similarity_threshold::CosineBaseline;
use cm_note::rank::standout::{PassageCosines, SessionScores, Standing, standings};

/// Factor for the cosine of an agent's passage. Cosines lie closer together than BM25 scores, so
/// that it takes away as much as the weight 0.3 of an agent's words.
const AGENT_COSINE_FACTOR: f32 = 0.85;
/// Minimum BM25 score, as a share of the best one, of a conversation that does not stand out.
const MIN_BM25_SHARE: f32 = 0.3;
/// Minimum BM25 score of the person's stretch, as a share of the best one, to represent its
/// conversation in place of the person's nearest passage.
const MIN_PERSON_BM25_SHARE: f32 = 0.5;

/// Similarities of the passages of an index to a question.
#[derive(Debug, Clone)]
pub struct SessionMeaning {
    /// By the small model, which embeds all passages.
    pub coarse: ModelScan,
    /// By the large model; `None` if it has embedded none.
    pub fine: Option<ModelScan>,
}

/// Similarities by one model.
#[derive(Debug, Clone)]
pub struct ModelScan {
    pub scan: SimilarityScan,
    /// Distribution of the question's cosines with unrelated texts.
    pub chance: CosineBaseline,
}

/// A conversation that matches a question by words or by meaning.
pub(super) struct RankedConversation {
    /// Session that represents the conversation.
    pub(super) session: u64,
    pub(super) standing: Standing,
    /// The matches of the question's words, if any.
    pub(super) words: Option<Conversation>,
    /// The person's passage that represents the conversation; `None` if its best stretch does.
    pub(super) passage: Option<SessionPassage>,
}

/// Passages of one session, compared with a question.
#[derive(Clone, Copy, Default)]
struct SessionSimilarity {
    coarse: CosineSum,
    fine: CosineSum,
    /// Whether a passage has no vector of the large model. Its cosines then say nothing, because the
    /// nearest passage may be among the missing ones.
    is_partial: bool,
    /// The person's nearest passage and its cosine.
    passage: Option<(f32, SessionPassage)>,
}

#[derive(Clone, Copy, Default)]
struct CosineSum {
    nearest: Option<f32>,
    sum: f32,
    /// Number of the person's passages.
    count: usize,
}

impl CosineSum {
    fn add(&mut self, cosine: f32, origin: PassageOrigin) {
        let weighted = if origin == PassageOrigin::Agent { AGENT_COSINE_FACTOR * cosine } else { cosine };
        self.nearest = Some(self.nearest.map_or(weighted, |nearest| nearest.max(weighted)));
        if origin == PassageOrigin::Person {
            self.sum += cosine;
            self.count += 1;
        }
    }

    fn cosines(self) -> Option<PassageCosines> {
        let mean = (self.count > 0).then(|| self.sum / self.count as f32);
        self.nearest.map(|nearest| PassageCosines { nearest, mean })
    }
}

impl SessionSimilarity {
    fn nearest(&self) -> f32 {
        self.coarse.nearest.unwrap_or(f32::NEG_INFINITY)
    }
}

impl SessionIndex {
    /// Ranks the conversations `words`, which contain words of the question, and all others that
    /// the filter and `bounds` accept. Conversations that neither stand out nor match the words
    /// well are left out. Best first.
    pub(super) fn ranked(
        &self,
        words: Vec<Conversation>,
        meaning: &SessionMeaning,
        filter: &SessionIndexFilter,
        bounds: Option<&[Conversation]>,
    ) -> tantivy::Result<Vec<RankedConversation>> {
        let book = self.book()?;
        let conversation = |session: u64| book.sessions.get(&session).map_or(session, |it| it.conversation);
        let mut near: HashMap<u64, (u64, SessionSimilarity)> = HashMap::new();
        for (session, found) in self.similarities(meaning, filter)? {
            let ended = |session: u64| book.sessions.get(&session).and_then(|line| line.ended);
            let best = near.entry(conversation(session)).or_insert((session, found));
            // Copies are equally near; the one that ended last represents them.
            let order = found.nearest().total_cmp(&best.1.nearest());
            let order = order.then_with(|| ended(session).cmp(&ended(best.0))).then(session.cmp(&best.0));
            if order.is_gt() {
                *best = (session, found);
            }
        }
        if let Some(bounds) = bounds {
            let inside: Vec<u64> = bounds.iter().map(|it| conversation(it.session)).collect();
            near.retain(|number, _| inside.contains(number));
        }
        let mut found: Vec<(u64, Option<Conversation>, SessionSimilarity)> = words
            .into_iter()
            .map(|words| {
                let near = near.remove(&conversation(words.session)).map(|(_, near)| near);
                (words.session, Some(words), near.unwrap_or_default())
            })
            .collect();
        found.extend(near.into_values().map(|(session, near)| (session, None, near)));
        Ok(rank(found, meaning, &book))
    }

    /// Compares the passages of all accepted sessions.
    fn similarities(
        &self,
        meaning: &SessionMeaning,
        filter: &SessionIndexFilter,
    ) -> tantivy::Result<HashMap<u64, SessionSimilarity>> {
        let passing = filter.passing(self)?;
        let coarse = by_key(&meaning.coarse.scan);
        let fine = meaning.fine.as_ref().map(|fine| by_key(&fine.scan)).unwrap_or_default();
        let (since, until) = (filter.since.map(Instant::unix), filter.until.map(Instant::unix));
        let mut found: HashMap<u64, SessionSimilarity> = HashMap::new();
        for passage in self.passages()? {
            let in_time = passage.numbers.at.is_none_or(|at| {
                since.is_none_or(|since| at >= since) && until.is_none_or(|until| at < until)
            });
            if !in_time || passing.as_ref().is_some_and(|passing| !passing.contains(&passage.session)) {
                continue;
            }
            let (coarse, fine) = (coarse.get(&passage.key), fine.get(&passage.key));
            let Some(cosine) = coarse else { continue };
            let session = found.entry(passage.session).or_default();
            session.coarse.add(*cosine, passage.origin);
            fine.into_iter().for_each(|cosine| session.fine.add(*cosine, passage.origin));
            session.is_partial |= fine.is_none();
            let cosine = fine.map_or(*cosine, |fine| (cosine + fine) / 2.0);
            let is_nearer = session.passage.is_none_or(|(nearest, _)| cosine > nearest);
            if passage.origin == PassageOrigin::Person && is_nearer {
                session.passage = Some((cosine, *passage));
            }
        }
        Ok(found)
    }
}

fn by_key(scan: &SimilarityScan) -> PassageMap<f32> {
    let pairs = scan.keys.iter().copied().zip(scan.cosines.iter().copied());
    pairs.collect::<HashMap<PassageKey, f32, _>>()
}

fn rank(
    found: Vec<(u64, Option<Conversation>, SessionSimilarity)>,
    meaning: &SessionMeaning,
    book: &SessionTable,
) -> Vec<RankedConversation> {
    let bm25 = |words: &Option<Conversation>| words.as_ref().map_or(0.0, |it| it.matches.best.score());
    let scores: Vec<SessionScores> = found
        .iter()
        .map(|(_, words, near)| SessionScores {
            bm25: bm25(words),
            coarse: near.coarse.cosines(),
            fine: near.fine.cosines().filter(|_| !near.is_partial),
        })
        .collect();
    let best = scores.iter().map(|one| one.bm25).fold(0.0, f32::max);
    let fine = meaning.fine.as_ref().map_or(meaning.coarse.chance, |fine| fine.chance);
    let standings = standings(&scores, meaning.coarse.chance, fine);
    let mut ranked: Vec<RankedConversation> = Vec::new();
    for (((session, words, near), scores), standing) in found.into_iter().zip(scores).zip(standings) {
        let matches_words = scores.bm25 > 0.0 && scores.bm25 >= MIN_BM25_SHARE * best;
        if !(matches_words || standing.stands_out && standing.is_near) {
            continue;
        }
        let is_telling = scores.bm25 > 0.0
            && scores.bm25 >= MIN_PERSON_BM25_SHARE * best
            && words.as_ref().is_some_and(Conversation::is_by_person);
        let passage = near.passage.map(|(_, passage)| passage).filter(|_| !is_telling);
        if words.is_some() || passage.is_some() {
            ranked.push(RankedConversation { session, standing, words, passage });
        }
    }
    let ended = |session: u64| book.sessions.get(&session).and_then(|line| line.ended);
    ranked.sort_by(|a, b| {
        let order = b.standing.score.total_cmp(&a.standing.score);
        order.then_with(|| ended(b.session).cmp(&ended(a.session))).then(a.session.cmp(&b.session))
    });
    ranked
}
