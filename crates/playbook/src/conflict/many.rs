//! Many rules held against each other: which contradict, and which are worth merging.
//!
//! Each is compared with those that share its words and with those that lie nearest in meaning, never with all: among
//! thousands of much alike rules some that contradict in other words alone are not met.

use super::meant::{Near, Nearness, name_differently, opposed};
use super::neighbours::neighbours;
use super::pairs::{alike, may_oppose};
use super::{Opposition, Statement};
use crate::meaning::Sense;
use cm_text::embedding::Embedding;

/// Rules about one subject in other words are at least so near.
const SUBJECT: f64 = 0.6;
/// How many nearest rules each is compared with.
const NEAREST: usize = 8;

/// Many rules, prepared for holding them against each other.
pub struct Rules<'a> {
    statements: Vec<Statement>,
    /// Pairs that are near in meaning, with their cosines.
    near: Vec<(usize, usize, f64)>,
    sense: &'a Sense<'a>,
}

impl<'a> Rules<'a> {
    /// Prepares rules.
    pub fn of(texts: &[String], sense: &'a Sense<'a>) -> Self {
        let statements = texts.iter().map(|text| Statement::of(text)).collect();
        let embeddings: Vec<Option<Embedding>> = texts.iter().map(|text| sense.text(text)).collect();
        Self { statements, near: neighbours(&embeddings, SUBJECT, NEAREST), sense }
    }

    /// All pairs that contradict each other, by their numbers.
    pub fn opposed(&self) -> Vec<(usize, usize, Opposition)> {
        let mut pairs = may_oppose(&self.statements);
        pairs.extend(self.near.iter().map(|(a, b, _)| (*a, *b)));
        let opposed = |(a, b)| Some((a, b, opposed(&self.statements[a], &self.statements[b], self.sense)?));
        pairs.into_iter().filter_map(opposed).collect()
    }

    /// Pairs that could be one, by their numbers: of the rules of one group those that share so many words, and of all
    /// rules those that are so near in meaning. What contradicts is no such pair, nor what differs in names.
    pub fn worth_merging(&self, groups: &[Vec<usize>], least: Nearness) -> Vec<(usize, usize, Near)> {
        let mut pairs = Vec::new();
        for places in groups {
            let own: Vec<&Statement> = places.iter().map(|at| &self.statements[*at]).collect();
            let found = alike(&own, least.jaccard).into_iter();
            pairs.extend(found.map(|(a, b, share)| (places[a], places[b], Near::Words(share))));
        }
        let known: std::collections::HashSet<_> = pairs.iter().map(|(a, b, _)| (*a, *b)).collect();
        let near = self.near.iter().filter(|(a, b, cosine)| {
            *cosine >= least.cosine
                && !known.contains(&(*a, *b))
                && !name_differently(&self.statements[*a], &self.statements[*b])
        });
        pairs.extend(near.map(|(a, b, cosine)| (*a, *b, Near::Meaning(*cosine))));
        pairs.retain(|(a, b, _)| opposed(&self.statements[*a], &self.statements[*b], self.sense).is_none());
        pairs
    }
}
