//! Finds contradictions and merge candidates among many rules.
//!
//! Each rule is compared with those that share its words and with its nearest neighbours in
//! meaning, not with all. With thousands of similar rules, contradictions in entirely different
//! words can be missed.

use super::neighbours::neighbours;
use super::pairs::{alike, may_oppose};
use super::similarity::{MinSimilarity, Similarity, name_differently, opposed};
use super::{RuleContradiction, RuleStatement};
use crate::embedding_model::WordVectors;
use cm_text::embedding::Embedding;

/// Minimum cosine of the embeddings of two rules that may be about the same subject.
const SUBJECT: f64 = 0.6;
/// How many nearest neighbours by embedding each rule is compared with.
const NEAREST: usize = 8;

/// Rules prepared for pairwise comparison.
pub struct ComparedRules<'a> {
    statements: Vec<RuleStatement>,
    /// Pairs of rules with similar embeddings, by index, with their cosines.
    near: Vec<(usize, usize, f64)>,
    sense: &'a WordVectors<'a>,
}

impl<'a> ComparedRules<'a> {
    pub fn of(texts: &[String], sense: &'a WordVectors<'a>) -> Self {
        let statements = texts.iter().map(|text| RuleStatement::of(text)).collect();
        let embeddings: Vec<Option<Embedding>> = texts.iter().map(|text| sense.text(text)).collect();
        Self { statements, near: neighbours(&embeddings, SUBJECT, NEAREST), sense }
    }

    /// Returns all pairs of rules that contradict each other, by index.
    pub fn opposed(&self) -> Vec<(usize, usize, RuleContradiction)> {
        let mut pairs = may_oppose(&self.statements);
        pairs.extend(self.near.iter().map(|(a, b, _)| (*a, *b)));
        let opposed = |(a, b)| Some((a, b, opposed(&self.statements[a], &self.statements[b], self.sense)?));
        pairs.into_iter().filter_map(opposed).collect()
    }

    /// Merge candidates, by index: pairs within a group with enough common words, and pairs of any
    /// rules with similar meaning. Pairs that contradict each other or differ in a name are
    /// excluded.
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
        let near = self.near.iter().filter(|(a, b, cosine)| {
            *cosine >= least.cosine
                && !paired.contains(&(*a, *b))
                && !name_differently(&self.statements[*a], &self.statements[*b])
        });
        pairs.extend(near.map(|(a, b, cosine)| (*a, *b, Similarity::Meaning(*cosine))));
        pairs.retain(|(a, b, _)| opposed(&self.statements[*a], &self.statements[*b], self.sense).is_none());
        pairs
    }
}
