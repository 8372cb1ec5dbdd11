//! Finds contradictions and merge candidates among many rules.
//!
//! Each rule is compared with those that share its words and with its nearest neighbours in
//! meaning, not with all. With thousands of similar rules, contradictions in entirely different
//! words can be missed.

use super::neighbours::neighbours;
use super::pairs::{alike, may_oppose};
use super::similarity::{EmbeddedStatement, MinSimilarity, Similarity, opposed};
use super::stance::Stance;
use super::{RuleContradiction, RuleStatement, StatementVerdict, opposition};
use crate::embedding_model::WordVectors;
use cm_text::embedding::Embedding;

/// Minimum cosine of the embeddings of two rules that may be about the same subject.
const MIN_SUBJECT_COSINE: f64 = 0.35;
/// Minimum probability, by the fast model, that two of many rules are about one thing, for reading them.
const MIN_SUBJECT_PROBABILITY: f64 = 0.4;
/// How many nearest neighbours by embedding each rule is compared with.
const NEIGHBOURS_PER_RULE: usize = 8;

/// Rules prepared for pairwise comparison.
pub struct ComparedRules<'a> {
    statements: Vec<RuleStatement>,
    embeddings: Vec<Option<Embedding>>,
    /// Pairs of rules with similar embeddings, by index, with their cosines.
    near: Vec<(usize, usize, f64)>,
    word_vectors: &'a WordVectors<'a>,
}

impl<'a> ComparedRules<'a> {
    pub fn of(texts: &[String], word_vectors: &'a WordVectors<'a>) -> Self {
        let statements: Vec<RuleStatement> = texts.iter().map(|text| RuleStatement::of(text)).collect();
        let embeddings: Vec<Option<Embedding>> =
            statements.iter().map(|statement| word_vectors.statement(statement)).collect();
        let near = neighbours(&embeddings, MIN_SUBJECT_COSINE, NEIGHBOURS_PER_RULE);
        Self { statements, embeddings, near, word_vectors }
    }

    /// Returns all pairs of rules that contradict each other, by index: those whose claims oppose each other.
    /// The learned verdict would take too long for all pairs; it judges each rule when it is added.
    pub fn opposed(&self) -> Vec<(usize, usize, RuleContradiction)> {
        let mut pairs = may_oppose(&self.statements);
        pairs.extend(self.near.iter().map(|(a, b, _)| (*a, *b)));
        let contradiction = |(a, b): (usize, usize)| {
            let (one, other) = (&self.statements[a], &self.statements[b]);
            let found = opposed(one, other, self.word_vectors)?;
            (Stance::of(one, other) != Some(Stance::Agree)).then_some((a, b, found))
        };
        pairs.into_iter().filter_map(contradiction).collect()
    }

    /// Merge candidates, by index: pairs within a group with enough common words, and pairs of any
    /// rules with similar meaning that probably say the same.
    pub fn worth_merging(
        &self,
        groups: &[Vec<usize>],
        least: MinSimilarity,
    ) -> Vec<(usize, usize, Similarity)> {
        let mut pairs = Vec::new();
        for places in groups {
            let own: Vec<&RuleStatement> = places.iter().map(|at| &self.statements[*at]).collect();
            let found = alike(&own, least.jaccard).into_iter();
            pairs.extend(found.map(|(a, b, share)| (places[a], places[b], Similarity::Words(share))));
        }
        let paired: std::collections::HashSet<_> = pairs.iter().map(|(a, b, _)| (*a, *b)).collect();
        let near = self.near.iter().filter(|(a, b, _)| !paired.contains(&(*a, *b)));
        pairs.extend(near.map(|(a, b, cosine)| (*a, *b, Similarity::Meaning(*cosine))));
        self.read(&pairs);
        pairs
            .into_iter()
            .filter_map(|(a, b, near)| Some((a, b, self.mergeable(a, b, near, least)?)))
            .collect()
    }

    /// Has the slower model read the likeliest pairs, for [`mergeable`](Self::mergeable). Rules in nearly the same
    /// words are not read: they can be worth merging although they say two things.
    fn read(&self, pairs: &[(usize, usize, Similarity)]) {
        let readable = |(a, b, _): &(usize, usize, Similarity)| {
            let pair = [*a, *b].map(|at| self.meant(at));
            pair.iter().all(|each| each.statement.is_readable()).then_some(pair)
        };
        let others = pairs.iter().filter(|(.., near)| matches!(near, Similarity::Meaning(_)));
        let pairs: Vec<_> = others.filter_map(readable).collect();
        let pairs: Vec<_> = pairs.iter().map(|pair| pair.each_ref()).collect();
        StatementVerdict::prepare(&pairs, MIN_SUBJECT_PROBABILITY, self.word_vectors);
    }

    /// The similarity of two rules that probably say the same. Without a model, common words decide.
    fn mergeable(&self, a: usize, b: usize, near: Similarity, least: MinSimilarity) -> Option<Similarity> {
        let is_close = matches!(near, Similarity::Meaning(cosine) if cosine >= least.cosine);
        if self.word_vectors.is_disabled() {
            return opposition(&self.statements[a], &self.statements[b]).is_none().then_some(near);
        }
        let verdict = self.meant(a).mergeable(&self.meant(b), is_close, self.word_vectors)?;
        Some(match near {
            Similarity::Words(_) => near,
            Similarity::Meaning(_) | Similarity::Verdict(_) => Similarity::Verdict(verdict.same),
        })
    }

    fn meant(&self, at: usize) -> EmbeddedStatement<'_> {
        EmbeddedStatement { statement: &self.statements[at], embedding: self.embeddings[at].as_ref() }
    }
}
